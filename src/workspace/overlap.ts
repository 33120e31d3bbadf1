import type { ManifestEntry } from "../contract/layer.ts";
import { addAncestors, createBelowTest } from "./path-relations.ts";

/** Whether an entry hides whatever lies below its path in lower layers and in the root. */
export function hidesBelow(entry: ManifestEntry): boolean {
  return entry.op === "delete" || entry.type !== "directory" || entry.opaque === true;
}

/**
 * The paths of `entries` that cannot be combined with `others`: both touch the same path, or one touches what lies
 * below a path that the other deletes or replaces.
 */
export function findOverlaps(entries: readonly ManifestEntry[], others: readonly ManifestEntry[]): readonly string[] {
  const touched = new Set(others.map((entry) => entry.path));
  const hidden = new Set(others.filter((entry) => hidesBelow(entry)).map((entry) => entry.path));
  const isBelowHidden = createBelowTest(hidden);
  const holding = new Set<string>();
  for (const { path } of others) addAncestors(holding, path);
  const overlaps = entries.filter(
    (entry) => touched.has(entry.path) || isBelowHidden(entry.path) || (hidesBelow(entry) && holding.has(entry.path)),
  );
  return overlaps.map((entry) => entry.path);
}
