import { chmod, rmdir } from "node:fs/promises";

import type { Layer, ManifestEntry } from "../contract/layer.ts";
import { createDraftChanges } from "./draft-changes.ts";
import { findExactly } from "./exact-entry.ts";
import { openDraftUpper, type DraftUpper } from "./draft-upper.ts";
import { isErrno, lstatIfPresent } from "./host-entry.ts";
import { lookUpNode } from "./layer-tree.ts";
import { listUpper, type UpperListing } from "./list-upper.ts";
import type { RefusedEntry } from "./list-upper.ts";
import { isNormalPath } from "./normalize-path.ts";
import { readOpaqueMarks } from "./overlay-marks.ts";
import { comparePaths, toHostPath } from "./path-bytes.ts";
import { openScratchWhiteouts } from "./scratch-whiteouts.ts";
import { createScanSettler } from "./scan-settler.ts";
import type { UnionView } from "./union-view.ts";
import type { WhiteoutMaker } from "./whiteouts.ts";

/*
 * Reads an upper directory back as a manifest, after a sandbox has written it. Its writer was hostile as far as this code
 * knows, and is gone by now.
 *
 * The manifest says the difference to what lies below and nothing else, and the upper directory is made to say exactly the
 * same: what no workspace holds is removed, what was copied up and not changed is taken out, and a directory that
 * hides what lies below it becomes a plain one with a whiteout for each name that is gone. A draft with the same result has
 * the same manifest and the same upper directory.
 */

/** What a sandbox changed. */
export interface ScannedLayer {
  /** Ordered by the bytes of the paths. */
  readonly entries: readonly ManifestEntry[];
  /** What was found and is not kept, and why. */
  readonly refused: readonly RefusedEntry[];
}

/** What to scan. */
export interface ScanOptions {
  readonly below: UnionView;
  readonly upper: string;
  /** What a sandbox says it deleted where it could leave no whiteouts. Only deletions count, and each is checked. */
  readonly reported?: readonly ManifestEntry[];
  /** @default a maker that leaves nothing behind */
  readonly whiteouts?: WhiteoutMaker;
}

/**
 * Reads an upper directory back, and takes out of it what does not belong to a layer.
 * @throws StateError when overlayfs kept content elsewhere, or its marks cannot be read.
 */
export async function scanUpper(options: ScanOptions): Promise<ScannedLayer> {
  const { below, upper } = options;
  await using scratch = openScratchWhiteouts(upper);
  const whiteouts = options.whiteouts ?? scratch;
  const modeBelow = async (path: string): Promise<number | undefined> => (await findExactly(below, path))?.stat.mode;
  const disk = openDraftUpper({ root: below.root, upper, whiteouts, modeBelow });
  const listing = await listUpper(below, upper);
  try {
    const opaque = await readOpaqueMarks(upper, listing.marked);
    const settler = await createScanSettler({ below, upper, disk, whiteouts, opaque });
    for (const item of listing.items) await settler.settle(item);
    await removeEmptyScaffolding(upper, settler.scaffolding);
    const entries = settler.entries.toSorted((left, right) => comparePaths(left.path, right.path));
    return {
      entries: await mergeReported({ ...options, entries, disk }),
      refused: [...listing.refused, ...settler.refused].sort((left, right) => comparePaths(left.path, right.path)),
    };
  } finally {
    await restoreModes(upper, listing);
  }
}

/** Directories that only led to something which was taken out. */
async function removeEmptyScaffolding(upper: string, scaffolding: readonly string[]): Promise<void> {
  for (const path of scaffolding.toReversed()) {
    try {
      await rmdir(toHostPath(upper, path));
    } catch (error) {
      if (!isErrno(error, "ENOTEMPTY", "EEXIST")) throw error;
    }
  }
}

async function restoreModes(upper: string, listing: UpperListing): Promise<void> {
  for (const { path, mode } of listing.opened.toReversed()) {
    const hostPath = toHostPath(upper, path);
    const stats = await lstatIfPresent(hostPath);
    if (stats !== undefined && !stats.isSymbolicLink()) await chmod(hostPath, mode);
  }
}

/** Adds deletions that the upper directory does not show. Where it shows something, it is right. */
async function mergeReported(
  options: ScanOptions & { readonly entries: readonly ManifestEntry[]; readonly disk: DraftUpper },
): Promise<readonly ManifestEntry[]> {
  const { below, upper, disk, entries, reported = [] } = options;
  if (reported.length === 0) return entries;
  const layer: Layer = { id: SCANNED_LAYER_ID, upper, entries };
  const changes = createDraftChanges({ below: below.tree, layer });
  for (const path of reportedDeletions(reported)) {
    const { state } = lookUpNode(changes.top, path);
    if (state === "deleted" || state === "hidden" || (await findExactly(below, path)) === undefined) continue;
    if ((await lstatIfPresent(toHostPath(upper, path))) !== undefined) continue;
    await disk.hide(path);
    changes.delete(path);
  }
  return changes.entries();
}

/** No layer that was kept has this id. */
const SCANNED_LAYER_ID = -1;

function reportedDeletions(reported: readonly ManifestEntry[]): readonly string[] {
  const deletions = reported.filter(({ op, path }) => op === "delete" && isNormalPath(path));
  return deletions.map(({ path }) => path).sort(comparePaths);
}
