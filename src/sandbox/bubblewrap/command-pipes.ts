import { execFile } from "node:child_process";
import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { makeOwnedDirectory } from "../owned-directories.ts";

/*
 * The streams of a command can be opened by name, as everywhere in a shell. What Node calls a pipe is a pair of sockets, and
 * a command that opens `/dev/stdout` or `/dev/stdin`, which is common, cannot open a socket.
 *
 * Node can make no pipe, but a FIFO is one, and stays one without its name: each end is opened through a descriptor that
 * is held. Everybody may open it, since a command may have other numbers than the engine, and can reach it only through a
 * descriptor that it was given. What a command reads is a file without a name instead: whoever opens a FIFO for reading
 * when everything has been written waits forever.
 */

/** The command's end of a stream, for `spawn`. */
export interface CommandEnd {
  readonly descriptor: number;
  /** Closes it here, once the command has it or will never get it. */
  handOver(): void;
}

/** A pipe from a command to this process. */
export interface CommandPipe extends CommandEnd {
  /** This process's end. */
  readonly stream: Socket;
}

/** Makes the streams of commands. A pipe that was read to its end is used again. */
export interface CommandPipes {
  /** A pipe that this process reads. */
  openOutput(): Promise<CommandPipe>;
  /** Something for the command to read, to its end. */
  openInput(content: Uint8Array): Promise<CommandEnd>;
}

/** Pipes that may wait for the next command; more at once are made anew. */
const MOST_IDLE = 8;

/** Makes a maker of streams; nothing is on disk when it is idle. */
export function createCommandPipes(mkfifo: string): CommandPipes {
  const idle: number[] = [];
  return {
    async openOutput() {
      const held = idle.pop() ?? (await makePipe(mkfifo));
      const reading = openSync(pathOf(held), constants.O_RDONLY | constants.O_NONBLOCK);
      const stream = new Socket({ fd: reading, readable: true, writable: false });
      // It closes then too, and what had come counts.
      stream.on("error", () => undefined);
      let isEmpty = false;
      stream.once("end", () => {
        isEmpty = true;
      });
      stream.once("close", () => {
        // What is left in it belongs to nobody; the next command would seem to have printed it.
        if (isEmpty && idle.length < MOST_IDLE) idle.push(held);
        else closeSync(held);
      });
      return { stream, ...endOf(openSync(pathOf(held), constants.O_WRONLY)) };
    },
    openInput: async (content) => endOf(await openUnnamedFile(content)),
  };
}

function endOf(descriptor: number): CommandEnd {
  let isOpen = true;
  return {
    descriptor,
    handOver() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** A file that has no name any more when it gets its content, opened for reading from its start. */
async function openUnnamedFile(content: Uint8Array): Promise<number> {
  const directory = await makeOwnedDirectory("stdin");
  const path = join(directory, "stdin");
  const held = openSync(path, "wx", 0o444);
  try {
    await rm(directory, { recursive: true });
    writeFileSync(held, content);
    return openSync(pathOf(held), constants.O_RDONLY);
  } finally {
    closeSync(held);
  }
}

async function makePipe(mkfifo: string): Promise<number> {
  const directory = await makeOwnedDirectory("pipes");
  try {
    const path = join(directory, "pipe");
    await promisify(execFile)(mkfifo, ["-m", "666", path], { env: {} });
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function pathOf(held: number): string {
  return `/proc/self/fd/${held}`;
}
