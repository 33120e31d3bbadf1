import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { isSeatTaken } from "../state/seat.ts";
import type { LayerStore } from "./layer-store.ts";
import { removeTree } from "./remove-tree.ts";

/** Removes the drafts that dead processes left. Age decides nothing. The caller holds the lock. */
export async function removeDeadDrafts(store: LayerStore, seatsDirectory: string): Promise<void> {
  for (const draft of store.drafts()) {
    if (isSeatTaken(seatsDirectory, draft.owner)) continue;
    await removeTree(store.directoryOf(draft.id));
    store.deleteLayer(draft.id);
  }
}

/**
 * Removes the directories that no row refers to: layers that were landed or discarded, and the former content of
 * rewritten ones. A row is always written before its directory is made, so what has no row is nobody's. The caller holds
 * the lock.
 */
export async function sweepLayers(store: LayerStore, layersDirectory: string): Promise<void> {
  const ids = store.layerIds();
  for (const name of await readdir(layersDirectory)) {
    if (/^\d+$/.test(name) && !ids.has(Number(name))) await removeTree(join(layersDirectory, name));
  }
  for (const upper of store.keptUppers()) {
    for (const entry of await readdir(dirname(upper), { withFileTypes: true })) {
      if (entry.name !== basename(upper) && entry.isDirectory()) await removeTree(join(dirname(upper), entry.name));
    }
  }
}
