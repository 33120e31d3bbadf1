/** Sentences of the dispatcher: how a call ended, for the model. */

/** A name that is no tool. */
export function unknownTool(name: string, suggestions: readonly string[], available: readonly string[]): string {
  const hint =
    suggestions.length > 0 ? `did you mean ${quoted(suggestions)}?` : `the tools are ${quoted(available.slice(0, 40))}`;
  return `Cannot call the tool "${name}": there is no such tool; ${hint}`;
}

function quoted(names: readonly string[]): string {
  return names.map((one) => `"${one}"`).join(", ");
}

/** A call that is not even a call. */
export const MALFORMED_CALL = "Cannot dispatch the call: it needs an id and a name that are text";

/** An in-process tool or a backstop ran out of time. */
export function toolTimedOut(tool: string, timeoutMs: number): string {
  return `"${tool}" timed out after ${timeoutMs} ms; what it changed has been dropped`;
}

/** Cancelled before it began. */
export function cancelledBeforeStart(tool: string): string {
  return `"${tool}" was cancelled before it started`;
}

/** Cancelled while it ran. */
export function cancelledWhileRunning(tool: string): string {
  return `"${tool}" was cancelled; what it changed has been dropped`;
}

/** Something else had changed the same paths first. */
export function layerConflict(tool: string, paths: readonly string[]): string {
  return `Cannot keep what "${tool}" changed: another call changed ${quoted(paths)} first; look at the files again and repeat the call`;
}

/** The tool's own code failed. */
export function toolCrashed(tool: string, problem: string): string {
  return `"${tool}" failed: ${problem}`;
}

/** A tool's own handler of errors failed; both are said, for the first is what went wrong. */
export function errorHandlerFailed(thrown: string, problem: string): string {
  return `${thrown} (and its "onError" failed: ${problem})`;
}

/** What a sandbox made that no workspace can carry. */
export function entriesRefused(entries: readonly { readonly path: string; readonly reason: string }[]): string {
  return `Not kept: ${entries.map(({ path, reason }) => `"${path}" (${reason})`).join(", ")}`;
}

/** A call after the end. */
export const ENGINE_DISPOSED = "Cannot dispatch: the engine has been disposed";

/** A name of a conversation that names none. */
export const CONVERSATION_UNUSABLE =
  'Cannot dispatch: "conversation" is no text that names one; give one, or leave it out';

/** A tool that promises a structured output and gives another one. */
export function outputMismatch(tool: string, problem: string): string {
  return `"${tool}" failed: what it returned is not what its output schema says: ${problem}`;
}

/** A tool that says that it is not ready. */
export function notReady(tool: string, reason: string): string {
  return `Cannot run "${tool}" now: ${reason}`;
}

/** A tool that was to say whether it is ready, and said neither that nor why not. */
export const READINESS_UNCLEAR = "it does not say whether it is ready";

/** A tool whose own look at its readiness failed. */
export function readinessFailed(problem: string): string {
  return `its own check whether it is ready failed (${problem})`;
}

/** A tool that has failed too often in a row. */
export function breakerOpen(tool: string, retryAfterMs: number): string {
  return `${tryAgainIn(`Cannot run "${tool}" now: it has failed too often in a row`, retryAfterMs)}, or use another tool`;
}

/** A failure that is known to pass. */
export function tryAgainIn(failure: string, retryAfterMs: number): string {
  return `${failure}; try again in ${Math.ceil(retryAfterMs / 1_000)} s`;
}

/** The same call, again and again. */
export function callRepeated(tool: string, times: number): string {
  return `Cannot call "${tool}" again: it has been called ${times} ${times === 1 ? "time" : "times"} in a row with this very input; use what it answered, or do something else`;
}

/** Not begun, because another call of the batch crashed and the engine stops then. */
export function notStarted(tool: string): string {
  return `"${tool}" was not started: another tool crashed, and the engine stops at that`;
}

/** Why a batch rejects; `failure` is what the crashed call was answered. */
export function batchStopped(failure: string): string {
  return `${failure}; every call has been answered, see "results"`;
}

/** Commands wrote more than the workspace may hold. */
export function workspaceFull(): string {
  return "Cannot keep what the command wrote: the workspace holds as much as it may, so the command was stopped and its changes were dropped; write less, or have pending changes landed or discarded first";
}
