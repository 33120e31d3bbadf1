import type { ManifestEntry } from "../contract/layer.ts";
import { ancestorsOf } from "./path-relations.ts";

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
  const holding = new Set(others.flatMap((entry) => ancestorsOf(entry.path)));
  const overlaps = entries.filter(
    (entry) =>
      touched.has(entry.path) ||
      ancestorsOf(entry.path).some((above) => hidden.has(above)) ||
      (hidesBelow(entry) && holding.has(entry.path)),
  );
  return overlaps.map((entry) => entry.path);
}
