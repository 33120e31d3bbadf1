import { constants } from "node:os";
import type { ErrorKind, ToolResult } from "../contract/tool-result.ts";

/*
 * The exit codes are those that timeout(1), docker-run(1) and every shell use, so that scripts need not learn new ones:
 *
 *   the command's own  when it ended by itself
 *   124                it timed out
 *   125                the engine or the sandbox failed, and the command may not have run; or its changes could not be landed
 *   126                it was denied
 *   128 + n            signal n ended it (137 as well for too much memory or output), or ended us
 *   2                  the command line or the configuration is wrong
 *
 * A command can exit with 124, 125 or 126 itself; `--json` tells the two apart by `metadata.termination`.
 */

/** Codes of our own. */
export const EXIT = { success: 0, failure: 1, usage: 2, timeout: 124, engineFailed: 125, denied: 126 } as const;

/** What `run` exits with. `interruptedBy` is the signal that we got, when we got one. */
export function exitCodeOfRun(result: ToolResult, interruptedBy?: NodeJS.Signals): number {
  const { termination, exitCode, signal } = result.metadata;
  switch (termination) {
    case "exit":
      if (typeof exitCode === "number") return exitCode;
      break;
    case "signal":
      return exitCodeOfSignal(signal);
    case "out-of-memory":
    case "output-limit":
      return exitCodeOfSignal("SIGKILL");
    case "timeout":
    case "idle-timeout":
      return EXIT.timeout;
    case "cancelled":
      return exitCodeOfSignal(interruptedBy ?? "SIGINT");
    default:
      break;
  }
  if (result.success) return EXIT.success;
  return WITHOUT_TERMINATION[result.errorKind] ?? exitCodeOfFailure(result.errorKind, interruptedBy);
}

/** What `call` exits with: a tool that failed in its own terms is 1, whatever its command's exit code was. */
export function exitCodeOfCall(result: ToolResult, interruptedBy?: NodeJS.Signals): number {
  return result.success ? EXIT.success : exitCodeOfFailure(result.errorKind, interruptedBy);
}

/** `128 + n`; 125 for what is no signal of this system. */
export function exitCodeOfSignal(signal: unknown): number {
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  return number === undefined ? EXIT.engineFailed : 128 + number;
}

/** The command never got to an end of its own, so 1 would be taken for its exit code. */
const WITHOUT_TERMINATION: Partial<Record<ErrorKind, number>> = {
  business: EXIT.engineFailed,
  conflict: EXIT.engineFailed,
  "not-found": EXIT.engineFailed,
  validation: EXIT.usage,
};

function exitCodeOfFailure(kind: ErrorKind, interruptedBy: NodeJS.Signals | undefined): number {
  switch (kind) {
    case "timeout":
      return EXIT.timeout;
    case "denied":
      return EXIT.denied;
    case "cancelled":
      return exitCodeOfSignal(interruptedBy ?? "SIGINT");
    case "dependency":
    case "internal":
    case "unavailable":
      return EXIT.engineFailed;
    case "business":
    case "conflict":
    case "not-found":
    case "validation":
      return EXIT.failure;
  }
}
