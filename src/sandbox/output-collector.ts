import type { Execution, OutputChunk } from "../contract/sandbox.ts";

/*
 * What a command prints is kept in bounded memory, whatever comes. Each stream keeps its first `retainedBytes` and, once
 * there is more, a ring of the last half of that; the split of the budget between the streams is decided at the end,
 * when it is known whether one of them was idle. At most three times the budget is held.
 *
 * The budget counts the bytes of the command. The line that says how much was left out comes on top of it.
 */

/** Takes the output of one command. */
export interface OutputCollector {
  /** Takes a piece of output; the bytes are copied. */
  write(stream: OutputChunk["stream"], bytes: Uint8Array): void;
  /** What was kept so far, as the execution reports it. */
  finish(): Pick<Execution, "stdout" | "stderr" | "stdoutBytes" | "stderrBytes" | "truncated">;
}

/** How much output is kept, and who hears of it. */
export interface OutputCollectorOptions {
  /** Bytes kept of both streams together; what one stream does not need goes to the other. */
  readonly retainedBytes: number;
  /** Bytes of both streams together after which `onFlood` is called. */
  readonly floodBytes: number;
  /** Hears every piece until the flood. */
  readonly onOutput?: (chunk: OutputChunk) => void;
  /** Called once, after the piece that went over the limit. */
  readonly onFlood: () => void;
}

/** Makes a collector that keeps head and tail of each stream. */
export function createOutputCollector(options: OutputCollectorOptions): OutputCollector {
  const { retainedBytes, floodBytes, onOutput, onFlood } = options;
  const streams = { stdout: createRetainedStream(retainedBytes), stderr: createRetainedStream(retainedBytes) };
  let flooded = false;
  return {
    write(stream, bytes) {
      if (bytes.byteLength === 0) return;
      streams[stream].append(bytes);
      if (flooded) return;
      onOutput?.({ stream, bytes });
      if (streams.stdout.totalBytes() + streams.stderr.totalBytes() <= floodBytes) return;
      flooded = true;
      onFlood();
    },
    finish() {
      const stdoutBytes = streams.stdout.totalBytes();
      const stderrBytes = streams.stderr.totalBytes();
      const share = Math.floor(retainedBytes / 2);
      return {
        stdout: streams.stdout.render(Math.max(retainedBytes - stderrBytes, share)),
        stderr: streams.stderr.render(Math.max(retainedBytes - stdoutBytes, share)),
        stdoutBytes,
        stderrBytes,
        truncated: stdoutBytes + stderrBytes > retainedBytes,
      };
    },
  };
}

interface RetainedStream {
  append(bytes: Uint8Array): void;
  totalBytes(): number;
  render(budgetBytes: number): string;
}

function createRetainedStream(capacityBytes: number): RetainedStream {
  let head: Buffer<ArrayBuffer> = Buffer.alloc(0);
  let headBytes = 0;
  const ring = createRing(Math.ceil(capacityBytes / 2));
  let totalBytes = 0;
  return {
    append(bytes) {
      totalBytes += bytes.byteLength;
      const fitting = bytes.subarray(0, capacityBytes - headBytes);
      if (fitting.byteLength > 0) {
        head = withRoom(head, { needed: headBytes + fitting.byteLength, atMost: capacityBytes });
        head.set(fitting, headBytes);
        headBytes += fitting.byteLength;
      }
      ring.append(bytes.subarray(fitting.byteLength));
    },
    totalBytes: () => totalBytes,
    render(budgetBytes) {
      const start = head.subarray(0, headBytes);
      if (totalBytes <= budgetBytes) return start.toString("utf8");
      const kept = Math.ceil(budgetBytes / 2);
      const first = cutEnd(start, Math.min(kept, headBytes));
      const end = Buffer.concat([start, ring.contents()]);
      const last = cutStart(end, end.byteLength - (budgetBytes - kept));
      return joinAroundGap(first, last, totalBytes - first.byteLength - last.byteLength);
    },
  };
}

/** Grows by doubling, so that a command with little output costs little. */
function withRoom(
  buffer: Buffer<ArrayBuffer>,
  size: { readonly needed: number; readonly atMost: number },
): Buffer<ArrayBuffer> {
  if (buffer.byteLength >= size.needed) return buffer;
  const grown = Buffer.alloc(Math.min(Math.max(size.needed, buffer.byteLength * 2, 1024), size.atMost));
  grown.set(buffer);
  return grown;
}

/** The last `capacityBytes` of what is appended; takes no memory until something is. */
function createRing(capacityBytes: number): { append(bytes: Uint8Array): void; contents(): Buffer } {
  let store: Buffer | undefined;
  let next = 0;
  let held = 0;
  return {
    append(bytes) {
      const newest = bytes.subarray(Math.max(0, bytes.byteLength - capacityBytes));
      if (newest.byteLength === 0) return;
      store ??= Buffer.alloc(capacityBytes);
      const untilWrap = newest.subarray(0, capacityBytes - next);
      store.set(untilWrap, next);
      store.set(newest.subarray(untilWrap.byteLength), 0);
      next = (next + newest.byteLength) % capacityBytes;
      held = Math.min(held + newest.byteLength, capacityBytes);
    },
    contents() {
      if (store === undefined) return Buffer.alloc(0);
      return held < capacityBytes
        ? store.subarray(0, held)
        : Buffer.concat([store.subarray(next), store.subarray(0, next)]);
    },
  };
}

/** The bytes before `end`, less a character that `end` would split. */
function cutEnd(bytes: Buffer, end: number): Buffer {
  for (let lead = end - 1; lead >= Math.max(0, end - 3); lead -= 1) {
    const byte = bytes[lead];
    if (byte === undefined || isContinuation(byte)) continue;
    return bytes.subarray(0, lead + sequenceLength(byte) > end ? lead : end);
  }
  return bytes.subarray(0, end);
}

/** The bytes from `start` on, less the rest of a character that `start` would split. */
function cutStart(bytes: Buffer, start: number): Buffer {
  let border = start;
  while (border < bytes.byteLength && border < start + 3 && isContinuation(bytes[border] ?? 0)) border += 1;
  return bytes.subarray(border);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

function joinAroundGap(first: Buffer, last: Buffer, missingBytes: number): string {
  const lineBreak = first.byteLength === 0 || first.at(-1) === 0x0a ? "" : "\n";
  const marker = `[... ${missingBytes.toLocaleString("en-US")} bytes left out ...]`;
  return `${first.toString("utf8")}${lineBreak}${marker}\n${last.toString("utf8")}`;
}
