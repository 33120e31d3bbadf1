/**
 * A stamp says what the root had at a path when a pending layer touched the path first; landing refuses to overwrite
 * anything else. It is taken when the layer is kept, so what changed in the root while the layer was being written
 * would be taken for what the layer was made from. Therefore everything that changed since the layer began is stamped
 * `moved`, which matches nothing. The beginning is read from the file system's own clock (the change time of the new
 * upper directory), so that two clocks need not agree.
 */
import type { ManifestEntry } from "../contract/layer.ts";
import type { UnionView } from "../union/union-view.ts";
import { lookUp, walkBelow } from "./compare-views.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { takeFingerprint } from "./fingerprint.ts";
import { inBatches } from "./in-batches.ts";
import type { AnchoredRoot } from "./landing/anchored-root.ts";
import { hidesBelow } from "./overlap.ts";
import { ancestorsOf } from "./path-relations.ts";

/** What the root had, or `moved` when it changed while the layer was being written. */
export type Stamp = Fingerprint | { readonly type: "moved" };

/** What stamps are taken from. */
export interface StampSource {
  readonly root: AnchoredRoot;
  /** The root alone, without layers. */
  readonly rootView: UnionView;
  readonly begunAtNs: bigint;
  /** The entries of the pending layers below: what one of them hid as a whole has been stamped as a whole. */
  readonly below: readonly ManifestEntry[];
  readonly isStamped: (path: string) => boolean;
}

/** Stamps for every path that these entries touch and that has none yet, with all that lies below a hidden directory. */
export async function takeStamps(
  entries: readonly ManifestEntry[],
  source: StampSource,
): Promise<ReadonlyMap<string, Stamp>> {
  const unstamped = new Set<string>();
  const hidden = new Set(source.below.filter((entry) => hidesBelow(entry)).map((entry) => entry.path));
  const isHidden = (path: string): boolean => hidden.has(path) || ancestorsOf(path).some((above) => hidden.has(above));

  const note = (path: string): void => {
    if (!source.isStamped(path)) unstamped.add(path);
  };
  for (const entry of entries) {
    note(entry.path);
    if (!hidesBelow(entry) || isHidden(entry.path)) continue;
    if ((await lookUp(source.rootView, entry.path))?.stat.type !== "directory") continue;
    for await (const path of walkBelow(source.rootView, entry.path)) note(path);
  }
  return new Map(await inBatches([...unstamped], async (path) => [path, await takeStamp(path, source)] as const));
}

async function takeStamp(path: string, source: StampSource): Promise<Stamp> {
  const fingerprint = await takeFingerprint(source.root, path);
  // A directory's times tell about the names in it, which have stamps of their own.
  if (fingerprint.type !== "file" && fingerprint.type !== "symlink") return fingerprint;
  return BigInt(fingerprint.ctimeNs) > source.begunAtNs ? { type: "moved" } : fingerprint;
}
