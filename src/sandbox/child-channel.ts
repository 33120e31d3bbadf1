import { writeSync } from "node:fs";

import { createFrameDecoder, encodeFrame, MAX_FRAME_BYTES, type Frame, type FrameHeader } from "./frame-protocol.ts";

/*
 * The child's end. Frames come in on stdin and go out on descriptor 3; stdout and stderr are left to Node's own
 * diagnostics, so that nothing a guest prints can be taken for them.
 *
 * The engine keeps stdin open as long as it lives: the end of stdin means that it is gone, and then so is the child.
 * Sending blocks until the engine has taken the bytes, which is what holds a flooding guest back.
 */

/** The connection of a sandbox's child process to the engine. */
export interface ChildChannel {
  send(header: FrameHeader, body?: Uint8Array): void;
  /** Sends output in pieces that the engine can pass on one by one. */
  sendOutput(stream: "stdout" | "stderr", bytes: Uint8Array): void;
}

const OUT_DESCRIPTOR = 3;
const OUTPUT_PIECE_BYTES = 64 * 1024;

/** Connects to the engine that started this process; every frame from it goes to `onFrame`. */
export function openChildChannel(onFrame: (frame: Frame) => void): ChildChannel {
  const decoder = createFrameDecoder({ maxFrameBytes: 2 * MAX_FRAME_BYTES, onFrame });
  process.stdin.on("data", (bytes: Buffer) => decoder.push(bytes));
  process.stdin.on("close", () => process.kill(process.pid, "SIGKILL"));
  return {
    send,
    sendOutput(stream, bytes) {
      for (let start = 0; start < bytes.byteLength; start += OUTPUT_PIECE_BYTES) {
        send({ type: "output", stream }, bytes.subarray(start, start + OUTPUT_PIECE_BYTES));
      }
    },
  };
}

function send(header: FrameHeader, body?: Uint8Array): void {
  const bytes = encodeFrame(header, body);
  let written = 0;
  while (written < bytes.byteLength) written += writeSync(OUT_DESCRIPTOR, bytes, written);
}
