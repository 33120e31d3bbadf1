import type { Duplex } from "node:stream";

import type { Container } from "dockerode";

import type { OutputChunk } from "../../contract/sandbox.ts";
import { callEngine } from "./call-engine.ts";
import { createFrameReader } from "./frame-reader.ts";

/** The standard streams of a container, over one connection. */
export interface AttachedStreams extends Disposable {
  /** Sends what the command reads and closes its stdin; nothing where it has none. */
  sendStdin(): void;
  /** Settles when the last process that holds stdout or stderr is gone; rejects when the connection breaks. */
  readonly ended: Promise<void>;
}

/**
 * Attaches to a container that has not been started, so that no output is lost. Output is taken as fast as `onContent`
 * takes it, and no faster.
 */
export async function attachStreams(
  container: Container,
  options: { readonly stdin?: Uint8Array; readonly onContent: (chunk: OutputChunk) => void },
): Promise<AttachedStreams> {
  const { stdin, onContent } = options;
  const connection = await callEngine("attach to the sandbox", () =>
    container.attach({ stream: true, stdin: stdin !== undefined, stdout: true, stderr: true, hijack: true }),
  );
  // The type is that of old Node streams; a hijacked connection is the socket itself.
  const socket = connection as Duplex;
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  // A broken connection may be noticed before anybody waits.
  ended.catch(() => undefined);
  socket.on("data", createFrameReader(onContent));
  socket.on("end", resolve);
  socket.on("close", resolve);
  socket.on("error", (error: NodeJS.ErrnoException) => {
    // A command that does not read its stdin closes it; its output still comes.
    if (error.code === "EPIPE") return;
    reject(error);
  });
  return {
    ended,
    sendStdin() {
      if (stdin !== undefined) socket.end(stdin);
    },
    [Symbol.dispose]() {
      socket.destroy();
    },
  };
}
