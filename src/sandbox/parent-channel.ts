import type { ChildProcess } from "node:child_process";
import { Readable, type Writable } from "node:stream";

import type { OutputChunk } from "../contract/sandbox.ts";
import { createFrameDecoder, encodeFrame, MAX_FRAME_BYTES, type Frame, type FrameHeader } from "./frame-protocol.ts";

/*
 * The engine's end of the connection to a child process, which may be hostile by now. What it sends is bounded: a frame
 * has a largest size, and while too many requests are being worked on, or too many answers have not been taken, nothing
 * more is read, so that the child blocks and not the engine's memory grows.
 */

/**
 * Answers one request; whatever it throws is the engine's fault and ends the run. The signal is aborted when nobody
 * waits for the answer any more.
 */
export type RequestHandler = (
  request: Frame,
  signal: AbortSignal,
) => Promise<{ readonly header: object; readonly body?: Uint8Array }>;

/** What the connection tells. */
export interface ParentChannelOptions {
  readonly child: ChildProcess;
  readonly onRequest?: RequestHandler;
  readonly onOutput: (stream: OutputChunk["stream"], bytes: Uint8Array) => void;
  readonly onReport: (report: FrameHeader) => void;
  /** The child does not keep to the protocol, or answering it failed. */
  readonly onBreach: (cause: unknown) => void;
}

/** The connection to a child process. */
export interface ParentChannel {
  send(frame: Buffer): void;
  /** Takes no more requests; output is still read to its end. */
  close(): void;
  /** Waits until nothing is being worked on for the child. */
  settled(): Promise<void>;
}

const MAX_REQUESTS_AT_ONCE = 32;
const MAX_UNTAKEN_BYTES = 2 * MAX_FRAME_BYTES;

/** Connects to a child process that was started with pipes as stdin and descriptor 3. */
export function openParentChannel(options: ParentChannelOptions): ParentChannel {
  const { outgoing, incoming } = pipesOf(options.child);
  const desk = createRequestDesk({ outgoing, onRequest: options.onRequest, onChange: pace, onFailure: breach });
  const decoder = createFrameDecoder({
    maxFrameBytes: MAX_FRAME_BYTES,
    onFrame: (frame) => {
      if (!broken) deliver(frame, { ...options, onRequest: desk.take });
    },
  });
  let closed = false;
  let broken = false;
  incoming.on("data", (bytes: Buffer) => {
    try {
      if (!broken) decoder.push(bytes);
    } catch (error) {
      breach(error);
    }
    pace();
  });
  outgoing.on("drain", pace);
  return {
    send: (frame) => void outgoing.write(frame),
    close() {
      closed = true;
      desk.close();
      pace();
    },
    settled: desk.settled,
  };

  function pace(): void {
    if (!closed && (desk.isFull() || outgoing.writableLength > MAX_UNTAKEN_BYTES)) incoming.pause();
    else incoming.resume();
  }

  function breach(cause: unknown): void {
    broken = true;
    options.onBreach(cause);
  }
}

function pipesOf(child: ChildProcess): { readonly outgoing: Writable; readonly incoming: Readable } {
  const incoming = child.stdio[3];
  if (child.stdin === null || !(incoming instanceof Readable)) throw new TypeError("The child process has no pipes");
  // A child that died takes its ends of the pipes with it; how it died is told by its exit.
  child.stdin.on("error", () => {});
  incoming.on("error", () => {});
  return { outgoing: child.stdin, incoming };
}

function deliver(
  frame: Frame,
  to: Pick<ParentChannelOptions, "onOutput" | "onReport"> & { readonly onRequest: (request: Frame) => void },
): void {
  const { header, body } = frame;
  const stream = header["stream"];
  if (header.type === "output" && (stream === "stdout" || stream === "stderr")) to.onOutput(stream, body);
  else if (header.type === "report") to.onReport(header);
  else if (header.type === "request") to.onRequest(frame);
  else throw new Error(`A frame of type "${header.type}" is not expected`);
}

interface RequestDesk {
  take(this: void, request: Frame): void;
  isFull(this: void): boolean;
  /** What was asked before the run ended and is read after it is dropped. */
  close(this: void): void;
  settled(this: void): Promise<void>;
}

function createRequestDesk(options: {
  readonly outgoing: Writable;
  readonly onRequest: RequestHandler | undefined;
  readonly onChange: () => void;
  readonly onFailure: (cause: unknown) => void;
}): RequestDesk {
  const working = new Set<Promise<void>>();
  const end = new AbortController();
  return {
    take(request) {
      if (options.onRequest === undefined) throw new Error("A request is not expected");
      if (end.signal.aborted) return;
      const work = answer(options.onRequest, request);
      working.add(work);
      void work.finally(() => {
        working.delete(work);
        options.onChange();
      });
    },
    isFull: () => working.size >= MAX_REQUESTS_AT_ONCE,
    close() {
      end.abort();
    },
    async settled() {
      while (working.size > 0) await Promise.all(working);
    },
  };

  async function answer(handle: RequestHandler, request: Frame): Promise<void> {
    try {
      const { header, body } = await handle(request, end.signal);
      options.outgoing.write(encodeFrame({ ...header, type: "response", id: request.header["id"] }, body));
    } catch (error) {
      options.onFailure(error);
    }
  }
}
