import type { ToolFailure } from "../contract/tool-result.ts";
import { commandStopped } from "../errors/messages/cli.ts";

/**
 * Why a command has no exit code of its own, for the person who waits for it; `undefined` for one that ended by itself,
 * since its own output says enough.
 */
export function describeFailure(result: ToolFailure): string | undefined {
  const { termination, signal, timeoutMs } = result.metadata;
  if (termination === "exit") return undefined;
  const kept = result.changes.length > 0;
  switch (termination) {
    case "timeout":
      return commandStopped(`it timed out after ${Number(timeoutMs ?? result.durationMs) / 1000} s`, kept);
    case "idle-timeout":
      return commandStopped("it printed nothing for too long", kept);
    case "output-limit":
      return commandStopped("it printed too much", kept);
    case "out-of-memory":
      return commandStopped('it reached its memory limit (--memory, "sandbox.memoryMb")', kept);
    case "cancelled":
      return commandStopped("it was cancelled", kept);
    case "signal":
      return commandStopped(`it got ${typeof signal === "string" ? signal : "a signal"}`, kept);
    default:
      return result.error;
  }
}
