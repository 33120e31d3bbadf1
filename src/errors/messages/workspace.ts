/** `LayerDraft`: it was kept or dropped before. */
export function draftEnded(callId: string): string {
  return `Cannot keep the layer of call "${callId}": it was kept or dropped before; a layer ends once`;
}

/** Any method after the workspace was disposed. */
export function workspaceClosed(): string {
  return "Cannot use the workspace: it is closed; open it again";
}

/** `land`, `undo`, `discard`: calls that run on the present layers did not end in time. */
export function callsRunning(options: { readonly action: string; readonly callIds: readonly string[] }): string {
  const calls = options.callIds.map((callId) => `"${callId}"`).join(", ");
  return `Cannot ${options.action}: still running on the workspace: ${calls}; try again when they have ended`;
}

/** A selection that selects nothing. */
export function nothingSelected(options: {
  readonly patterns: readonly string[];
  readonly nearest: readonly string[];
}): string {
  const patterns = options.patterns.map((pattern) => `"${pattern}"`).join(", ");
  const nearest = options.nearest.map((path) => `"${path}"`).join(", ");
  return `Cannot select ${patterns}: no pending change matches; the nearest are ${nearest}`;
}

/** A selection with an empty pattern, as an unset variable of a script gives. */
export function emptyPath(action: string): string {
  return `Cannot ${action} "": a path is empty; leave it out to select everything`;
}

/** `land` with no change in the workspace. */
export function nothingPending(): string {
  return "Cannot land changes: none are pending; change something first";
}

/** `land` when all that was selected is repository metadata. */
export function onlyHeldBack(paths: readonly string[]): string {
  return `Cannot land ${listed(paths)}: repository metadata and hidden paths are never landed; select other paths, or discard these`;
}

/** `undo` without an id when there is nothing to take back. */
export function nothingToUndo(): string {
  return "Cannot undo a landing: nothing has been landed, or all of it was taken back; land something first";
}

/** `undo` of an id that names no landing. */
export function landingUnknown(id: string): string {
  return `Cannot undo landing "${id}": no landing has this id; "cofferdam status" lists them`;
}

/** `undo` of a landing that was taken back before. */
export function landingAlreadyUndone(id: string): string {
  return `Cannot undo landing "${id}": it was taken back before; name another one`;
}

/** `LandingConflictError` of a landing. */
export function landingConflict(conflicts: readonly Conflict[]): string {
  return `Cannot land changes: the root moved at ${described(conflicts)}; nothing was landed; discard these changes or make them anew`;
}

/** `LandingConflictError` of an undo. */
export function undoConflict(conflicts: readonly Conflict[]): string {
  return `Cannot undo the landing: newer work at ${described(conflicts)}; nothing was undone; move that work away first`;
}

/** A landing or undo that the system stopped, and that was taken back. */
export function landingFailed(action: "land" | "undo"): string {
  return `Cannot ${action} changes: the system refused a step, and all was put back as it was; see the cause`;
}

/** A rollback left paths alone that somebody else changed after they had been landed. */
export function rollBackIncomplete(
  paths: readonly { readonly path: string; readonly saved: string | undefined }[],
): string {
  const shown = paths
    .slice(0, 3)
    .map(({ path, saved }) => `"${path}"${saved === undefined ? "" : ` (its former content is in "${saved}")`}`);
  const more = paths.length - shown.length;
  const all = shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `Cannot roll back an interrupted landing at ${all}: changed by somebody else meanwhile and left as it is; all else is as it was before, so look at what is left and try again`;
}

/** The system did not let a rollback change a path; it is tried again the next time. */
export function rollBackFailed(path: string): string {
  return `Cannot roll back an interrupted landing: the system refused to put "${path}" back; see the cause, remove it and try again`;
}

/** Recovery misses a saved content, or finds it changed. */
export function backupDamaged(path: string): string {
  return `Cannot restore "${path}": its saved content is missing or was changed; restore it from another copy`;
}

/** Reasons of single conflicts; each follows a path and a colon. */
export const conflictReasons = {
  changedWhileRunning: "changed while the call that touched it was running",
  appeared: "appeared since it was first touched",
  disappeared: "disappeared since it was first touched",
  changed: "changed since it was first touched",
  parentMissing: "its directory is missing or is no directory any more",
  holdsOther: (name: string) => `holds "${name}", which is not part of the changes`,
  special: "is a socket, FIFO or device, is larger than 8 GiB, or cannot be read",
  changedMeanwhile: "changed while it was being applied",
  changedSinceLanding: "changed since it was landed",
  pendingAbove: "a pending change touches it; land or discard that first",
} as const;

interface Conflict {
  readonly path: string;
  readonly reason: string;
}

function described(conflicts: readonly Conflict[]): string {
  const shown = conflicts.slice(0, 3).map(({ path, reason }) => `"${path}" (${reason})`);
  const more = conflicts.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map((path) => `"${path}"`);
  const more = paths.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Calls went on between the review and its answer. */
export function changedSinceReview(action: string): string {
  return `Cannot ${action}: calls have changed the workspace since it was reviewed; look at the diff again`;
}
