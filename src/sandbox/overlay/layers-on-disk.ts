import { lstat } from "node:fs/promises";

import type { Layer, LayerMount } from "../../contract/layer.ts";
import { toHostPath } from "../../union/path-bytes.ts";
import { isWhiteout, prepareWhiteouts } from "../../union/whiteouts.ts";

/** The lower directories of a mount, uppermost first: what hides, the kept layers, the root. */
export function lowersOf({ root, lowers, hidden }: LayerMount): readonly string[] {
  const mask = hidden === undefined ? [] : [hidden.mask.upper];
  return [...mask, ...lowers.map((layer) => layer.upper).toReversed(), root];
}

/**
 * Whether the kernel would see every deletion of the kept layers. Where the file system can hold no character device, or
 * ran out of links to one, only the manifest says what was deleted, and a mount would bring it back.
 */
export async function areLayersOnDisk(mount: LayerMount): Promise<boolean> {
  const hiding = mount.hidden === undefined ? [] : [mount.hidden.mask];
  for (const layer of [...mount.lowers, ...hiding]) {
    if (!(await areDeletionsOnDisk(layer))) return false;
  }
  // What hides below a directory that replaced another one is not listed by path; it takes devices as well.
  const hides = mount.lowers.some(({ entries }) =>
    entries.some((entry) => entry.op === "put" && entry.opaque === true),
  );
  return !hides || prepareWhiteouts({ directory: mount.work });
}

async function areDeletionsOnDisk(layer: Layer): Promise<boolean> {
  for (const entry of layer.entries) {
    if (entry.op !== "delete") continue;
    const stats = await lstat(toHostPath(layer.upper, entry.path)).catch(() => undefined);
    if (stats === undefined || !isWhiteout(stats)) return false;
  }
  return true;
}
