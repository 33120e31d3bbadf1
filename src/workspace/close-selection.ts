import { removesDirectory } from "./held-back.ts";
import { addAncestors, createBelowTest } from "./path-relations.ts";
import type { PendingChange } from "./pending.ts";

/**
 * What must land together with the selected changes: the new directories that hold them, and everything below a
 * directory that goes away.
 */
export function closeForLanding(
  selected: readonly PendingChange[],
  pending: readonly PendingChange[],
): readonly PendingChange[] {
  const paths = new Set(selected.map((change) => change.path));
  const isBelowRemoved = createBelowTest(new Set(selected.filter(removesDirectory).map((change) => change.path)));
  const needed = new Set<string>();
  for (const { path, after } of selected) if (after !== undefined) addAncestors(needed, path);
  return pending.filter(
    (change) =>
      paths.has(change.path) ||
      (needed.has(change.path) && becomesDirectory(change)) ||
      (change.kind === "deleted" && isBelowRemoved(change.path)),
  );
}

/**
 * What must be discarded together with the selected changes: everything inside a new directory, and the removal of the
 * directories that hold what comes back.
 */
export function closeForDiscard(
  selected: readonly PendingChange[],
  pending: readonly PendingChange[],
): readonly PendingChange[] {
  const paths = new Set(selected.map((change) => change.path));
  const restored = new Set<string>();
  for (const { path, before } of selected) if (before !== undefined) addAncestors(restored, path);
  const withHolders = pending.filter(
    (change) => paths.has(change.path) || (restored.has(change.path) && removesDirectory(change)),
  );
  const isVanishing = createBelowTest(new Set(withHolders.filter(becomesDirectory).map((change) => change.path)));
  const closed = new Set(withHolders);
  return pending.filter((change) => closed.has(change) || (change.after !== undefined && isVanishing(change.path)));
}

/** Whether there is a directory where the root has none. */
function becomesDirectory(change: PendingChange): boolean {
  return change.after?.stat.type === "directory" && change.before?.stat.type !== "directory";
}
