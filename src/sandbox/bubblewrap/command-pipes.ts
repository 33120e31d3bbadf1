import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { makeOwnedDirectory } from "../owned-directories.ts";

/*
 * The streams of a command are real pipes, as everywhere in a shell. What Node calls a pipe is a pair of sockets, and a
 * command that opens `/dev/stdout` or `/dev/stdin`, which is common, cannot open a socket.
 *
 * Node can make no pipe, but a FIFO is one, and stays one without its name: each end is opened through a descriptor that
 * is held. Everybody may open it, since a command may have other numbers than the engine, and can reach it only through a
 * descriptor that it was given.
 */

/** A pipe between this process and a command. */
export interface CommandPipe {
  /** This process's end. */
  readonly stream: Socket;
  /** The command's end, for `spawn`. */
  readonly descriptor: number;
  /** Closes the command's end here, once the command has it or will never get it. */
  handOver(): void;
}

/** Makes pipes. One that was read to its end is used again. */
export interface CommandPipes {
  /** A pipe that this process reads. */
  openOutput(): Promise<CommandPipe>;
  /** A pipe that this process writes. */
  openInput(): Promise<CommandPipe>;
}

/** Pipes that may wait for the next command; more at once are made anew. */
const MOST_IDLE = 8;

/** Makes a maker of pipes; nothing is on disk when it is idle. */
export function createCommandPipes(mkfifo: string): CommandPipes {
  const idle: number[] = [];
  return {
    async openOutput() {
      const held = idle.pop() ?? (await makePipe(mkfifo));
      const stream = new Socket({ fd: openEnd(held, constants.O_RDONLY), readable: true, writable: false });
      let isEmpty = false;
      stream.once("end", () => {
        isEmpty = true;
      });
      stream.once("close", () => {
        // What is left in it belongs to nobody; the next command would seem to have printed it.
        if (isEmpty && idle.length < MOST_IDLE) idle.push(held);
        else closeSync(held);
      });
      return pipeOf(stream, openSync(pathOf(held), constants.O_WRONLY));
    },
    async openInput() {
      const held = await makePipe(mkfifo);
      const descriptor = openSync(pathOf(held), constants.O_RDONLY);
      const stream = new Socket({ fd: openEnd(held, constants.O_WRONLY), readable: false, writable: true });
      // A command that does not read its stdin closes it.
      stream.on("error", () => undefined);
      closeSync(held);
      return pipeOf(stream, descriptor);
    },
  };
}

function pipeOf(stream: Socket, descriptor: number): CommandPipe {
  let isOpen = true;
  return {
    stream,
    descriptor,
    handOver() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
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

function openEnd(held: number, mode: number): number {
  return openSync(pathOf(held), mode | constants.O_NONBLOCK);
}

function pathOf(held: number): string {
  return `/proc/self/fd/${held}`;
}
