import type { Change } from "../contract/change.ts";
import type { Layer, ManifestEntry } from "../contract/layer.ts";
import { isUtf8Path, pathToBytes } from "../union/path-bytes.ts";
import { createReadBudget, MAX_COMPARED_BYTES } from "../union/read-limits.ts";
import type { UnionView } from "../union/union-view.ts";
import type { Difference } from "./compare-views.ts";
import { comparePath, lookUp, walkBelow } from "./compare-views.ts";
import { inBatches } from "./in-batches.ts";
import { hidesBelow } from "./overlap.ts";
import { addAncestors, sortByPath } from "./path-relations.ts";

/** A layer whose changes are asked for. */
export type AttributedLayer = Pick<Layer, "id" | "entries"> & { readonly callId: string };

/** A difference, and the layer that made it last. */
export interface PendingChange extends Difference {
  readonly layerId: number;
  readonly callId: string;
}

/**
 * How `after` differs from `before`, where `layers` lie between the two. Costs what the layers touch, not the tree. A
 * deleted directory is listed with everything that was below it, because that is what a reviewer agrees to.
 */
export async function findPendingChanges(
  layers: readonly AttributedLayer[],
  views: { readonly before: UnionView; readonly after: UnionView },
): Promise<readonly PendingChange[]> {
  const touches = [...(await findTouches(layers, views.before))];
  const budget = createReadBudget(MAX_COMPARED_BYTES);
  const compared = await inBatches(touches, async ([path, layer]) => {
    const difference = await comparePath(path, { ...views, budget });
    return difference && { ...difference, layerId: layer.id, callId: layer.callId };
  });
  return sortByPath(compared.filter((change) => change !== undefined));
}

/** A pending change as the public contract has it. */
export function toChange(pending: PendingChange, from?: string): Change {
  return {
    path: pending.path,
    kind: pending.kind,
    type: pending.type,
    ...(from === undefined ? {} : { from }),
    callId: pending.callId,
    ...(isUtf8Path(pending.path) ? {} : { pathBytes: Uint8Array.from(pathToBytes(pending.path)) }),
  };
}

/** Each path that a layer touches, with the last layer that did, also where it did so by hiding a whole directory. */
async function findTouches(
  layers: readonly AttributedLayer[],
  before: UnionView,
): Promise<ReadonlyMap<string, AttributedLayer>> {
  const touches = new Map<string, AttributedLayer>();
  const holding = new Set<string>();
  const touch = (path: string, layer: AttributedLayer): void => {
    touches.set(path, layer);
    addAncestors(holding, path);
  };
  const touchAgainBelow = (directory: string, layer: AttributedLayer): void => {
    for (const path of touches.keys()) if (path.startsWith(`${directory}/`)) touches.set(path, layer);
  };
  for (const layer of layers) {
    const hiding: readonly ManifestEntry[] = layer.entries.filter((entry) => hidesBelow(entry));
    for (const { path } of hiding) {
      if (holding.has(path)) touchAgainBelow(path, layer);
      if ((await lookUp(before, path))?.stat.type !== "directory") continue;
      for await (const below of walkBelow(before, path)) touch(below, layer);
    }
    for (const { path } of layer.entries) touch(path, layer);
  }
  return touches;
}
