import type { HiddenPaths } from "../union/hidden-paths.ts";
import { addAncestors } from "./path-relations.ts";
import type { PendingChange } from "./pending.ts";

/**
 * Whether a path is a repository's metadata, at any depth: hooks and configuration in it run programs on the host. Case
 * does not count, because on some file systems `.GIT` is `.git`.
 */
function isRepositoryMetadata(path: string): boolean {
  return path.split("/").some((part) => part.toLowerCase() === ".git");
}

/**
 * Parts selected changes into those that may land and those that stay pending: repository metadata and hidden paths, and
 * the removal of a directory that holds some, which nobody who removed it can have seen.
 */
export function partHeldBack(
  changes: readonly PendingChange[],
  hidden: HiddenPaths,
): { readonly landable: readonly PendingChange[]; readonly heldBack: readonly PendingChange[] } {
  const isKept = ({ path }: PendingChange): boolean => isRepositoryMetadata(path) || hidden.hides(path);
  const holding = new Set<string>();
  for (const change of changes) if (isKept(change)) addAncestors(holding, change.path);
  const isHeldBack = (change: PendingChange): boolean =>
    isKept(change) || (removesDirectory(change) && holding.has(change.path));
  return {
    landable: changes.filter((change) => !isHeldBack(change)),
    heldBack: changes.filter((change) => isHeldBack(change)),
  };
}

/** Whether a directory of the root goes away. */
export function removesDirectory(change: PendingChange): boolean {
  return change.before?.stat.type === "directory" && change.after?.stat.type !== "directory";
}
