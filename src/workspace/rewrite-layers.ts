/**
 * After a part of the pending changes was landed or discarded, the layers must say the rest, exactly. Taking single
 * paths out of a layer is not enough: an opaque directory goes on hiding what has just been landed below it, and a
 * path taken out of one layer lets an older layer's version show. So each layer gets the final state of the paths that
 * it changed last, one explicit entry per path, and paths that are as in the root get none. A layer that says just that
 * already is left alone, which is the common case.
 *
 * The new content is built beside the old one, with hard links, and the database switches over: a crash at any moment
 * leaves either the one or the other.
 */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";

import type { ManifestEntry } from "../contract/layer.ts";
import type { UnionView } from "../union/union-view.ts";
import type { WhiteoutMaker } from "../union/whiteouts.ts";
import { buildUpper } from "./build-upper.ts";
import type { LayerStore, StoredLayer } from "./layer-store.ts";
import { ancestorsOf, sortByPath } from "./path-relations.ts";
import type { PendingChange } from "./pending.ts";

/** What the layers become; `apply` writes it down, inside the caller's transaction. */
export interface LayerRewrite {
  apply(): void;
}

/** Builds layers that say what `remaining` says and nothing else. */
export async function prepareRewrite(
  remaining: readonly PendingChange[],
  options: {
    readonly layers: readonly StoredLayer[];
    readonly view: UnionView;
    readonly whiteouts: WhiteoutMaker;
    readonly store: LayerStore;
  },
): Promise<LayerRewrite> {
  const { layers, store } = options;
  const entriesByLayer = Map.groupBy(toEntries(remaining), ({ layerId }) => layerId);
  const replacements = new Map<number, { readonly upper: string; readonly entries: readonly ManifestEntry[] }>();
  for (const layer of layers) {
    const entries = (entriesByLayer.get(layer.id) ?? []).map(({ entry }) => entry);
    if (entries.length === 0 || saysTheSame(layer.entries, entries)) continue;
    const upper = `upper-${randomBytes(6).toString("hex")}`;
    await buildUpper(entries, { ...options, source: layer.upper, upper: join(dirname(layer.upper), upper) });
    replacements.set(layer.id, { upper, entries });
  }
  return {
    apply: () => {
      for (const layer of layers) {
        const replacement = replacements.get(layer.id);
        if (replacement !== undefined) store.replaceContent(layer.id, replacement);
        else if (!entriesByLayer.has(layer.id)) store.deleteLayer(layer.id);
      }
      store.retainStamps(new Set(remaining.map((change) => change.path)));
      store.advanceRevision();
    },
  };
}

/** One explicit entry per change; what lies below a path that is deleted or becomes a file needs none. */
function toEntries(
  remaining: readonly PendingChange[],
): readonly { readonly layerId: number; readonly entry: ManifestEntry }[] {
  const hidden = new Set<string>();
  const entries: { readonly layerId: number; readonly entry: ManifestEntry }[] = [];
  for (const { path, kind, type, layerId } of sortByPath(remaining)) {
    if (kind === "deleted" && ancestorsOf(path).some((above) => hidden.has(above))) continue;
    if (kind === "deleted" || type !== "directory") hidden.add(path);
    entries.push({ layerId, entry: kind === "deleted" ? { op: "delete", path } : { op: "put", path, type } });
  }
  return entries;
}

function describeEntry(entry: ManifestEntry): string {
  return entry.op === "delete" ? "delete" : `${entry.type}${entry.opaque === true ? " opaque" : ""}`;
}

function saysTheSame(old: readonly ManifestEntry[], entries: readonly ManifestEntry[]): boolean {
  const known = new Map(old.map((entry) => [entry.path, describeEntry(entry)]));
  return known.size === entries.length && entries.every((entry) => known.get(entry.path) === describeEntry(entry));
}
