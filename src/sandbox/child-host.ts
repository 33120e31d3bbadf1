import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

import type { Execution, RunOptions, SandboxLimits } from "../contract/sandbox.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { cannotStartChild, childMisbehaved, childSurvived, jobTooLarge } from "../errors/messages/sandbox.ts";
import { SandboxUnavailableError } from "../errors/sandbox-unavailable-error.ts";
import type { ChildCommand } from "./child-launch.ts";
import { openParentChannel, type ParentChannel, type RequestHandler } from "./parent-channel.ts";
import { encodeFrame, MAX_FRAME_BYTES, type FrameHeader } from "./frame-protocol.ts";
import { createOutputCollector } from "./output-collector.ts";

/*
 * Runs one child process of a sandbox from its start to the point where it is gone for certain. Whatever ends it, an
 * answer, the wall clock, too much output or memory, an abort, it is ended with SIGKILL to its process group: its answer
 * is complete when it has arrived. A child that has output left to give is asked to stop first, where there is no hurry;
 * no signal could ask that. The first reason to stop wins.
 *
 * The run is over when the child has been reaped, its pipes are closed, its process group is empty and no request of its
 * is still being worked on: afterwards nothing changes the workspace on its behalf.
 */

/** What to run and within which bounds. */
export interface ChildRunOptions {
  readonly backend: string;
  readonly command: ChildCommand;
  /** Tells the child what to do. */
  readonly job: FrameHeader;
  readonly jobBody?: Uint8Array;
  readonly run: Pick<RunOptions, "signal" | "timeoutMs" | "onOutput">;
  readonly limits: Pick<SandboxLimits, "retainedOutputBytes" | "floodBytes">;
  /** How long a child that is out of time or cancelled is given for its last output. @default 0, for one that has none */
  readonly stopGraceMs?: number;
  /** Resident memory above which the child is killed; looked at where `/proc` tells. */
  readonly residentBytes: number;
  /** Answers what the child asks for. Without it a request is a breach of the protocol. */
  readonly onRequest?: RequestHandler;
}

/** How a child process ended. */
export type ChildEnd =
  | { readonly kind: "reported"; readonly report: FrameHeader }
  | { readonly kind: "stopped"; readonly by: StopReason }
  | {
      readonly kind: "died";
      readonly exitCode: number | null;
      readonly signal: NodeJS.Signals | null;
      /** The first of what the process itself, not the guest, wrote to stderr. For a cause, never for a model. */
      readonly diagnostics: string;
    };

/** Why the engine ended a child process. */
export type StopReason = "timeout" | "cancelled" | "output-limit" | "out-of-memory";

/** A child process that is gone, and what it printed. */
export interface ChildOutcome {
  readonly end: ChildEnd;
  readonly output: Pick<Execution, "stdout" | "stderr" | "stdoutBytes" | "stderrBytes" | "truncated">;
  readonly durationMs: number;
}

const DEFAULT_RETAINED_OUTPUT_BYTES = 30_000;
const DEFAULT_FLOOD_BYTES = 64 * 1024 * 1024;
const DIAGNOSTICS_CHARACTERS = 4_000;
// What V8 says when it aborts for want of memory. Only Node itself writes to this process's stderr.
const OUT_OF_MEMORY = /out of memory|heap limit|Allocation failed|invalid (?:array|string|table|\w+ )?size/i;
const MEMORY_CHECK_MS = 25;
const GROUP_CHECK_MS = 10;
const GROUP_CHECKS = 300;

/**
 * Starts a child process, serves it, and comes back when it is gone.
 * @throws SandboxUnavailableError when it cannot be started, breaks the protocol, or cannot be killed.
 * @throws ConfigurationError when the job is larger than a child process takes.
 */
export async function runChild(options: ChildRunOptions): Promise<ChildOutcome> {
  const { signal, timeoutMs, onOutput } = options.run;
  const startedAt = performance.now();
  const ending = createEnding();
  const collector = createOutputCollector({
    retainedBytes: options.limits.retainedOutputBytes ?? DEFAULT_RETAINED_OUTPUT_BYTES,
    floodBytes: options.limits.floodBytes ?? DEFAULT_FLOOD_BYTES,
    ...(onOutput === undefined ? {} : { onOutput }),
    onFlood: () => ending.stop("output-limit"),
  });
  const finish = (end: ChildEnd): ChildOutcome => ({
    end,
    output: collector.finish(),
    durationMs: performance.now() - startedAt,
  });
  if (options.run.signal?.aborted === true) return finish({ kind: "stopped", by: "cancelled" });
  const job = encodeJob(options.job, options.jobBody);
  const { child, pid, exit } = await startChild(options);
  const channel = openParentChannel({
    child,
    ...(options.onRequest === undefined ? {} : { onRequest: options.onRequest }),
    onOutput: (stream, bytes) => collector.write(stream, bytes),
    onReport: ending.report,
    onBreach: ending.breach,
  });
  const stopper = createStopper({ channel, pid, graceMs: options.stopGraceMs ?? 0 });
  ending.whenDecided(stopper.stop);
  const cancel = () => ending.stop("cancelled");
  signal?.addEventListener("abort", cancel, { once: true });
  // The signal may have been raised while the child was being started, before anyone listened.
  if (signal?.aborted === true) cancel();
  const timer = setTimeout(() => ending.stop("timeout"), timeoutMs - (performance.now() - startedAt));
  const watch = watchMemory(pid, () => ending.stop("out-of-memory"), options.residentBytes);
  try {
    channel.send(job);
    const died = await exit;
    await channel.settled();
    await assertGroupGone(options.backend, pid);
    return finish(ending.decide(options.backend, died));
  } finally {
    clearTimeout(timer);
    stopper.done();
    watch.stop();
    signal?.removeEventListener("abort", cancel);
  }
}

function encodeJob(job: FrameHeader, body: Uint8Array | undefined): Buffer {
  const frame = encodeFrame(job, body);
  if (frame.byteLength > MAX_FRAME_BYTES) throw new ConfigurationError(jobTooLarge(MAX_FRAME_BYTES >> 20));
  return frame;
}

interface Ending {
  stop(this: void, reason: StopReason): void;
  report(this: void, report: FrameHeader): void;
  breach(this: void, cause: unknown): void;
  /** Calls `action` as soon as something ends the run, and again when something more urgent does. */
  whenDecided(this: void, action: (by: StopReason | "answer") => void): void;
  decide(this: void, backend: string, died: ProcessExit): ChildEnd;
}

function createEnding(): Ending {
  let end: ChildEnd | undefined;
  let broken: { readonly cause: unknown } | undefined;
  let act: ((by: StopReason | "answer") => void) | undefined;
  return {
    stop(by) {
      const isFirst = end === undefined;
      end ??= { kind: "stopped", by };
      if (isFirst || !mayWait(by)) act?.(by);
    },
    report(report) {
      end ??= { kind: "reported", report };
      act?.("answer");
    },
    breach(cause) {
      broken ??= { cause };
      act?.("answer");
    },
    whenDecided(action) {
      act = action;
    },
    decide(backend, died) {
      // A reason to stop that came before the breach stands: the guest was over by then.
      if (end !== undefined) return end;
      if (broken !== undefined) throw new SandboxUnavailableError(childMisbehaved(backend), broken);
      if (OUT_OF_MEMORY.test(died.diagnostics)) return { kind: "stopped", by: "out-of-memory" };
      return { kind: "died", ...died };
    },
  };
}

/** Whether a child that is stopped for this may first give what it has to give. */
function mayWait(by: StopReason | "answer"): boolean {
  return by === "timeout" || by === "cancelled";
}

function createStopper(options: { readonly channel: ParentChannel; readonly pid: number; readonly graceMs: number }): {
  stop(this: void, by: StopReason | "answer"): void;
  done(): void;
} {
  const { channel, pid, graceMs } = options;
  let grace: NodeJS.Timeout | undefined;
  return {
    stop(by) {
      channel.close();
      if (graceMs === 0 || !mayWait(by)) return killGroup(pid);
      channel.send(encodeFrame({ type: "stop" }));
      grace = setTimeout(() => killGroup(pid), graceMs);
    },
    done: () => clearTimeout(grace),
  };
}

interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly diagnostics: string;
}

async function startChild(
  options: Pick<ChildRunOptions, "backend" | "command">,
): Promise<{ readonly child: ChildProcess; readonly pid: number; readonly exit: Promise<ProcessExit> }> {
  const child = spawn(options.command.file, options.command.args, {
    cwd: "/",
    env: {},
    // A process group of its own, so that all of it can be killed at once.
    detached: true,
    stdio: ["pipe", "ignore", "pipe", "pipe"],
  });
  const exit = waitForExit(child);
  if (child.pid !== undefined) return { child, pid: child.pid, exit };
  const [cause] = await once(child, "error");
  throw new SandboxUnavailableError(cannotStartChild(options.backend), { cause });
}

function waitForExit(child: ChildProcess): Promise<ProcessExit> {
  let diagnostics = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    diagnostics = (diagnostics + text).slice(0, DIAGNOSTICS_CHARACTERS);
  });
  return new Promise((resolve) => {
    child.once("close", (exitCode, signal) => resolve({ exitCode, signal, diagnostics }));
  });
}

/** Sends SIGKILL to a process group; one that is gone already is as good. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!isNoSuchProcess(error)) throw error;
  }
}

/** The child has been reaped by now; looks whether anything it could have started is left. */
async function assertGroupGone(backend: string, pid: number): Promise<void> {
  for (let check = 0; check < GROUP_CHECKS; check += 1) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      if (isNoSuchProcess(error)) return;
      throw error;
    }
    await delay(GROUP_CHECK_MS);
  }
  throw new SandboxUnavailableError(childSurvived(backend, pid));
}

function isNoSuchProcess(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ESRCH";
}

function watchMemory(pid: number, onExceeded: () => void, limitBytes: number): { stop(): void } {
  if (process.platform !== "linux") return { stop() {} };
  const statusFile = `/proc/${pid}/status`;
  const timer = setInterval(() => void check(), MEMORY_CHECK_MS);
  return { stop: () => clearInterval(timer) };

  async function check(): Promise<void> {
    if ((await readResidentBytes(statusFile)) > limitBytes) onExceeded();
  }
}

async function readResidentBytes(statusFile: string): Promise<number> {
  // A process that is gone has no file there any more, and uses no memory.
  const status = await readFile(statusFile, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
