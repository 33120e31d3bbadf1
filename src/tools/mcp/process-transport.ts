/**
 * Speaks to a server over the stdin and stdout of a process. The client package has a transport for that; this one differs
 * in what becomes of the process. It leads a process group of its own, which is ended as a whole, since many
 * servers are started through `npx` or a shell, and a server that is stuck would outlive the wrapper alone. Its
 * environment holds nothing that was not chosen, and what it says on stderr is kept for the message about a failed start.
 */
import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { mcpMessages } from "../../errors/messages/mcp.ts";
import { LineReader } from "./line-reader.ts";

/** What to start. */
export interface ProcessTransportOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly serialize: (message: JSONRPCMessage) => string;
  /** Reads a line; it throws when that is no message. */
  readonly parse: (line: string) => JSONRPCMessage;
  /** A server that sends more in one message is ended. */
  readonly maxMessageBytes: number;
  /** Time for the server to end by itself when its stdin ends, and again on SIGTERM. @default 2_000 */
  readonly graceMs?: number;
}

/** A process with a server in it, started by `start()` and gone when `close()` has returned. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #options: ProcessTransportOptions;
  readonly #ended = Promise.withResolvers<void>();
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #said = "";
  #endedBefore: string | undefined;
  #isClosing = false;

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
  }

  /** How the process ended, when it did so before `close()`. */
  get endedBefore(): string | undefined {
    return this.#endedBefore;
  }

  /** The end of what it wrote to stderr. */
  get said(): string {
    return this.#said.trim();
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#options;
    const child = spawn(command, args, {
      env: { ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
    });
    await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    this.#child = child;
    const lines = new LineReader(this.#options.maxMessageBytes);
    child.stdout.on("data", (chunk: Buffer) => this.#read(lines, chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#said = `${this.#said}${text}`.slice(-MAX_SAID_CHARACTERS);
    });
    for (const emitter of [child, child.stdin, child.stdout, child.stderr]) {
      emitter.on("error", (error: Error) => this.onerror?.(error));
    }
    child.once("exit", (code, signal) => {
      if (!this.#isClosing) this.#endedBefore = mcpMessages.processEnded(code, signal);
      this.#leaveNothing(child);
    });
    child.once("close", () => {
      this.#ended.resolve();
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined) throw new TypeError("start() comes before send()");
    await new Promise<void>((resolve, reject) => {
      child.stdin.write(this.#options.serialize(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#isClosing = true;
    child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#endsInTime()) return;
      killGroup(child.pid, signal);
    }
    await this.#ended.promise;
  }

  #read(lines: LineReader, chunk: Buffer): void {
    try {
      for (const line of lines.read(chunk)) this.#receive(line);
    } catch (error) {
      this.onerror?.(toError(error));
      // A stream that has lost its place cannot be read on.
      killGroup(this.#child?.pid, "SIGKILL");
    }
  }

  #receive(line: string): void {
    try {
      this.onmessage?.(this.#options.parse(line));
    } catch (error) {
      // Servers print what is no message, too, and the next line may be one again.
      this.onerror?.(toError(error));
    }
  }

  /** What the leader started ends with it, and a pipe that something took out of the group holds nobody up. */
  #leaveNothing(child: ChildProcessByStdio<Writable, Readable, Readable>): void {
    killGroup(child.pid, "SIGKILL");
    const timer = setTimeout(() => [child.stdin, child.stdout, child.stderr].forEach((pipe) => pipe.destroy()), 500);
    child.once("close", () => clearTimeout(timer));
  }

  async #endsInTime(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), this.#options.graceMs ?? 2_000);
    try {
      return await Promise.race([this.#ended.promise.then(() => true), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const MAX_SAID_CHARACTERS = 2_000;

function killGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch (error) {
    // Nobody is left in the group, which is what this is for.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
