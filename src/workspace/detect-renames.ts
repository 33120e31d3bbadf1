import { createHash } from "node:crypto";

import { createReadBudget } from "../union/read-limits.ts";
import type { UnionView } from "../union/union-view.ts";
import type { PendingChange } from "./pending.ts";

const CHUNK_BYTES = 1 << 20;
/** Larger files are listed as deleted and added. */
const MAX_HASHED_BYTES = 32 << 20;
/** What is read in all for one list of changes; candidates beyond it are listed as deleted and added. */
const MAX_TOTAL_BYTES = 256 << 20;

/**
 * Finds which added files are deleted ones under a new name: same content, not empty, and exactly one of each. Two
 * candidates are no rename, because picking one would be a guess. Only sizes that occur on both sides are read, and only
 * when all of that size fit what may be read, so that no candidate is overlooked.
 * @returns the old path by the new one
 */
export async function detectRenames(
  changes: readonly PendingChange[],
  views: { readonly before: UnionView; readonly after: UnionView },
): Promise<ReadonlyMap<string, string>> {
  const files = changes.filter(
    (change) => change.type === "file" && sizeOf(change) > 0 && sizeOf(change) <= MAX_HASHED_BYTES,
  );
  const deleted = files.filter((change) => change.kind === "deleted");
  const added = files.filter((change) => change.kind === "added");
  const sizes = chooseSizes(deleted, added);
  const before = await groupByContent(
    deleted.filter((change) => sizes.has(sizeOf(change))),
    views.before,
  );
  const after = await groupByContent(
    added.filter((change) => sizes.has(sizeOf(change))),
    views.after,
  );
  const renames = new Map<string, string>();
  for (const [digest, newPaths] of after) {
    const [newPath, ...otherNew] = newPaths;
    const [oldPath, ...otherOld] = before.get(digest) ?? [];
    if (newPath === undefined || oldPath === undefined || otherNew.length + otherOld.length > 0) continue;
    renames.set(newPath, oldPath);
  }
  return renames;
}

/** The sizes that occur on both sides, the smallest first, as many as may be read. */
function chooseSizes(deleted: readonly PendingChange[], added: readonly PendingChange[]): ReadonlySet<number> {
  const budget = createReadBudget(MAX_TOTAL_BYTES);
  const addedBySize = Map.groupBy(added, sizeOf);
  const bothSides = [...Map.groupBy(deleted, sizeOf)].toSorted(([one], [other]) => one - other);
  const chosen = new Set<number>();
  for (const [sizeBytes, changes] of bothSides) {
    const count = changes.length + (addedBySize.get(sizeBytes)?.length ?? 0);
    if (addedBySize.has(sizeBytes) && budget.take(count * sizeBytes)) chosen.add(sizeBytes);
  }
  return chosen;
}

function sizeOf(change: PendingChange): number {
  return (change.after ?? change.before)?.stat.sizeBytes ?? 0;
}

async function groupByContent(
  changes: readonly PendingChange[],
  view: UnionView,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const groups = new Map<string, string[]>();
  for (const change of changes) {
    const digest = await hashFile(view, change.path, sizeOf(change));
    groups.set(digest, [...(groups.get(digest) ?? []), change.path]);
  }
  return groups;
}

async function hashFile(view: UnionView, path: string, sizeBytes: number): Promise<string> {
  const hash = createHash("sha256");
  for (let offsetBytes = 0; offsetBytes < sizeBytes; offsetBytes += CHUNK_BYTES) {
    hash.update(await view.readFile(path, { offsetBytes, lengthBytes: CHUNK_BYTES }));
  }
  return hash.digest("hex");
}
