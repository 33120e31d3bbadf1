import { constants } from "node:os";

import type { Execution } from "../contract/sandbox.ts";

/*
 * How a command ended, from what can be known from outside of a sandbox with a process namespace of its own.
 *
 * Process 1 of the sandbox is an init. It ends with the shell's exit code, or with 128+n when the shell died of signal
 * n, and 128+n is reported as well when it is process 1 that a signal killed. So a status of 137 may be
 * "exit 137", a shell that was killed from inside, or a kill from outside, and the number alone cannot tell.
 * What is recognised on purpose:
 *
 * - We stopped it, and a signal of ours arrived: our reason. A code in this case is only the echo of that signal.
 * - We meant to stop it, and the sandbox was no longer there to be signalled: it had ended by itself.
 * - The kernel killed something in it for memory, and it failed: out of memory. When the shell got over it and ended with 0,
 *   it ended by itself.
 * - It is known (from Docker's event log) that somebody else sent a signal, and the status is its echo: that signal.
 * - Everything else ended by itself with the code that shells use, as `$?` would show it: a code above 128 stays a code.
 *   A signal from inside, or straight from the host's kernel, is not told apart from it, so none is made up.
 */

/** Why we stopped a command. */
export type StopReason = "timeout" | "output-limit" | "cancelled";

/** What is known about a command whose sandbox no longer runs. */
export interface EndedCommand {
  readonly status: number;
  readonly oomKilled: boolean;
  /** Our reason to stop it, and the last signal of ours that arrived. */
  readonly stop?: { readonly reason: StopReason; readonly delivered?: "SIGTERM" | "SIGKILL" };
  /** A signal that is known to have been sent by somebody else. */
  readonly foreignSignal?: number;
}

/** Says how a command ended. */
export function classifyTermination(ended: EndedCommand): Pick<Execution, "termination" | "exitCode" | "signal"> {
  const { status, oomKilled, stop, foreignSignal } = ended;
  if (stop?.delivered !== undefined) {
    return {
      termination: stop.reason,
      exitCode: null,
      signal: isEchoOf(stop.delivered, status) ? stop.delivered : null,
    };
  }
  if (oomKilled && status !== 0) {
    return { termination: "out-of-memory", exitCode: null, signal: isEchoOf("SIGKILL", status) ? "SIGKILL" : null };
  }
  const name = foreignSignal === undefined ? undefined : signalName(foreignSignal);
  if (name !== undefined && isEchoOf(name, status)) return { termination: "signal", exitCode: null, signal: name };
  return { termination: "exit", exitCode: status, signal: null };
}

function isEchoOf(name: NodeJS.Signals, status: number): boolean {
  return status === 128 + constants.signals[name];
}

function signalName(signal: number): NodeJS.Signals | undefined {
  // The table's keys are exactly the signal names, which Object.entries widens to string.
  const entries = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  return entries.find(([, number]) => number === signal)?.[0];
}
