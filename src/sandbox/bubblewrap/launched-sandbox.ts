import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Duplex, type Readable } from "node:stream";

import { bubblewrapMessages } from "../../errors/messages/bubblewrap.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import type { CommandEnd, CommandPipe } from "./command-pipes.ts";
import { LAUNCH_ENVIRONMENT, type LaunchCommand } from "./launch-command.ts";
import { watchInit, type SandboxInit } from "./sandbox-init.ts";
import { DESCRIPTOR } from "./stream-descriptors.ts";

/*
 * A sandbox's process from the start to its end. bubblewrap tells through a descriptor which process is number 1 of the
 * sandbox, and at the end the exit code: without that line no command has run, whatever bubblewrap itself exits with.
 */

/** How to launch a sandbox. */
export interface LaunchOptions {
  readonly command: LaunchCommand;
  /** Where the names in the overlay's options lead. */
  readonly workingDirectory: string;
  readonly files: Readonly<Record<"arguments" | "filter" | "passwd" | "group" | "hosts", Buffer>>;
  readonly stdin?: CommandEnd;
  readonly stdout: CommandPipe;
  readonly stderr: CommandPipe;
}

/** How a sandbox ended. */
export interface SandboxEnd {
  /** As a shell would show it; absent when bubblewrap itself was killed. */
  readonly status?: number;
  readonly signal: NodeJS.Signals | null;
}

/** A sandbox that has been launched. */
export interface LaunchedSandbox {
  /**
   * Waits until all is made and the command could begin.
   * @throws SandboxUnavailableError when it cannot be made; the cause says what bubblewrap said.
   */
  ready(): Promise<SandboxInit>;
  /** Lets the command run. */
  begin(): void;
  /** Settles when bubblewrap has ended. */
  readonly ended: Promise<SandboxEnd>;
  /** Kills what has not become a sandbox yet. */
  abandon(): void;
}

/** How long it may take until a command could begin, on a machine that is busy. */
const READY_DEADLINE_MS = 30_000;
const DIAGNOSTICS_CHARACTERS = 4_000;

/**
 * Starts a sandbox.
 * @throws SandboxUnavailableError when not even the first program can be started.
 */
export async function launchSandbox(options: LaunchOptions): Promise<LaunchedSandbox> {
  const child = await start(options);
  const diagnostics = collectText(streamOf(child, DESCRIPTOR.diagnostics), DIAGNOSTICS_CHARACTERS);
  const status = readStatus(streamOf(child, DESCRIPTOR.status));
  const control = streamOf(child, DESCRIPTOR.control);
  // Broken when the sandbox ends early, which its exit tells.
  control.on("error", () => undefined);
  const told = new Promise((resolve) => control.once("data", resolve));
  const exit = waitForExit(child);
  return {
    async ready() {
      const deadline = setTimeout(() => killGroup(child), READY_DEADLINE_MS);
      try {
        const isReady = await Promise.race([told.then(() => true), exit.then(() => false)]);
        if (isReady) return watchInit(await status.initPid);
        // What bubblewrap had begun to make.
        killGroup(child);
        throw new SandboxUnavailableError(bubblewrapMessages.notMade, { cause: new Error(await diagnostics) });
      } finally {
        clearTimeout(deadline);
      }
    },
    begin: () => void control.end("begin\n"),
    ended: endOf(exit, status),
    abandon() {
      // Once it has ended, its number may be somebody else's.
      if (child.exitCode === null && child.signalCode === null) killGroup(child);
    },
  };
}

async function start({ command, workingDirectory, files, ...streams }: LaunchOptions): Promise<ChildProcess> {
  const child = spawn(command.file, command.args, {
    cwd: workingDirectory,
    env: LAUNCH_ENVIRONMENT,
    // A session and process group of its own, so that no Ctrl-C reaches it and all of it can be killed at once.
    detached: true,
    stdio: [
      streams.stdin?.descriptor ?? "ignore",
      streams.stdout.descriptor,
      "pipe",
      "pipe",
      streams.stderr.descriptor,
      ...Array.from({ length: 6 }, () => "pipe" as const),
    ],
  });
  for (const pipe of [streams.stdin, streams.stdout, streams.stderr]) pipe?.handOver();
  if (child.pid === undefined) {
    const [cause] = await once(child, "error");
    throw new SandboxUnavailableError(bubblewrapMessages.notMade, { cause });
  }
  for (const name of ["arguments", "filter", "passwd", "group", "hosts"] as const) {
    const stream = streamOf(child, DESCRIPTOR[name]);
    // A launch that fails reads none of it, and its exit tells.
    stream.on("error", () => undefined);
    stream.end(files[name]);
  }
  return child;
}

/** What Node calls a pipe goes both ways. */
function streamOf({ stdio }: ChildProcess, descriptor: number): Duplex {
  const streams: readonly unknown[] = stdio;
  const stream = streams[descriptor];
  if (stream instanceof Duplex) return stream;
  throw new TypeError(`The sandbox has no descriptor ${descriptor}`);
}

interface StatusReader {
  readonly initPid: Promise<number>;
  /** The exit code, once everything has been told. */
  readonly exitCode: Promise<number | undefined>;
}

function readStatus(stream: Readable): StatusReader {
  const init = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<number | undefined>();
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text += chunk;
    const pid = /"child-pid": (\d+)/.exec(text)?.[1];
    if (pid !== undefined) init.resolve(Number(pid));
  });
  stream.on("error", () => undefined);
  stream.on("close", () => {
    const exitCode = /"exit-code": (\d+)/.exec(text)?.[1];
    ended.resolve(exitCode === undefined ? undefined : Number(exitCode));
  });
  return { initPid: init.promise, exitCode: ended.promise };
}

function waitForExit(child: ChildProcess): Promise<NodeJS.Signals | null> {
  return new Promise((resolve) => {
    child.once("exit", (_code, signal) => resolve(signal));
  });
}

async function endOf(exit: Promise<NodeJS.Signals | null>, status: StatusReader): Promise<SandboxEnd> {
  const signal = await exit;
  const exitCode = await status.exitCode;
  return { signal, ...(exitCode === undefined ? {} : { status: exitCode }) };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}

async function collectText(stream: Readable, mostCharacters: number): Promise<string> {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text = (text + chunk).slice(0, mostCharacters);
  });
  stream.on("error", () => undefined);
  await once(stream, "close");
  return text.trim();
}
