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
 * Parts selected changes into those that may land and those that stay pending: repository metadata, and the removal of
 * a directory that holds some.
 */
export function partHeldBack(changes: readonly PendingChange[]): {
  readonly landable: readonly PendingChange[];
  readonly heldBack: readonly PendingChange[];
} {
  const metadata = changes.filter((change) => isRepositoryMetadata(change.path)).map((change) => change.path);
  const holding = new Set<string>();
  for (const path of metadata) addAncestors(holding, path);
  const isHeldBack = (change: PendingChange): boolean =>
    isRepositoryMetadata(change.path) || (removesDirectory(change) && holding.has(change.path));
  return {
    landable: changes.filter((change) => !isHeldBack(change)),
    heldBack: changes.filter((change) => isHeldBack(change)),
  };
}

/** Whether a directory of the root goes away. */
export function removesDirectory(change: PendingChange): boolean {
  return change.before?.stat.type === "directory" && change.after?.stat.type !== "directory";
}
