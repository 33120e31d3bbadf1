/**
 * Tells the model how a command ended. What a command does is its own business, a non-zero exit included: its effects are
 * real and its output is kept. Only a command that ran out of time says something about the infrastructure. A sandbox
 * that fails itself throws, and never gets here. How long a command ran is not said: it is always a little more than its
 * limit, which whoever sets it names.
 */
import type { ErrorKind } from "../contract/tool-result.ts";
import type { ToolOutcome } from "../contract/tool.ts";
import type { Execution } from "../contract/sandbox.ts";
import { coreToolMessages } from "../errors/messages/core-tools.ts";

/** Makes a tool's outcome of a finished command; `value` is what JavaScript code returned. */
export function toExecutionOutcome(execution: Execution): ToolOutcome {
  const failure = findFailure(execution);
  const metadata = describeExecution(execution);
  if (failure !== undefined) {
    return { success: false, ...failure, output: joinOutput(execution, failure.error), metadata };
  }
  const { value } = execution;
  if (value === undefined) return { success: true, output: joinOutput(execution), metadata };
  return { success: true, output: joinOutput(execution, JSON.stringify(value)), structured: value, metadata };
}

function findFailure(execution: Execution): { readonly error: string; readonly errorKind: ErrorKind } | undefined {
  const { termination, exitCode, signal } = execution;
  switch (termination) {
    case "exit":
      return exitCode === 0 ? undefined : { error: coreToolMessages.exitCode(exitCode ?? -1), errorKind: "business" };
    case "signal":
      return { error: coreToolMessages.killedBy(signal ?? "a signal"), errorKind: "business" };
    case "timeout":
      return { error: coreToolMessages.timedOut, errorKind: "timeout" };
    case "idle-timeout":
      return { error: coreToolMessages.idle, errorKind: "timeout" };
    case "output-limit":
      return {
        error: coreToolMessages.outputLimit(execution.stdoutBytes + execution.stderrBytes),
        errorKind: "business",
      };
    case "out-of-memory":
      return { error: coreToolMessages.outOfMemory, errorKind: "business" };
    case "cancelled":
      return { error: coreToolMessages.cancelled, errorKind: "cancelled" };
  }
}

/** stdout, then stderr under a line of its own where there are both, then a last line. */
function joinOutput({ stdout, stderr }: Execution, lastLine?: string): string {
  const parts = [
    ...(stdout === "" ? [] : [stdout.replace(/\n$/, "")]),
    ...(stderr === "" ? [] : [stdout === "" ? stderr.replace(/\n$/, "") : `[stderr]\n${stderr.replace(/\n$/, "")}`]),
    ...(lastLine === undefined ? [] : [lastLine]),
  ];
  return parts.length === 0 ? "(no output)" : parts.join("\n");
}

/** The backend's own facts come first, so that none of them can stand for one of these. */
function describeExecution(execution: Execution): Readonly<Record<string, unknown>> {
  const { termination, exitCode, signal, stdoutBytes, stderrBytes, truncated, details } = execution;
  return { ...details, termination, exitCode, signal, stdoutBytes, stderrBytes, truncated };
}
