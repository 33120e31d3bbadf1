/**
 * A stamp says what the root had at a path when a pending layer touched the path first; landing refuses to overwrite
 * anything else. It is taken when the layer is kept, so what changed in the root while the layer was being written
 * would be taken for what the layer was made from. Therefore everything that changed since the layer began is stamped
 * `moved`, which matches nothing. The beginning is read from the file system's own clock (`begin-tick.ts`), so that two
 * clocks need not agree.
 *
 * A directory that is renamed gets a new change time, and what it holds does not: whole trees of other content can come
 * to paths that look untouched. So a path has moved as well when any directory above it has changed. That also holds
 * when somebody merely made or removed a neighbour there, which costs a landing and no work. Nothing of the engine's
 * own changes the root while a layer is open, and a path that the root does not have is not asked about the directories
 * above it, since nothing can be overwritten there.
 */
import type { ManifestEntry } from "../contract/layer.ts";
import type { UnionView } from "../union/union-view.ts";
import { parentPath } from "../union/normalize-path.ts";
import { lookUp, walkBelow } from "./compare-views.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { takeFingerprint } from "./fingerprint.ts";
import { inBatches } from "./in-batches.ts";
import type { AnchoredRoot } from "./landing/anchored-root.ts";
import { hidesBelow } from "./overlap.ts";
import { createBelowTest } from "./path-relations.ts";

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
  /** Directories that would go away with all they hold. */
  const vanishing = new Set<string>();
  const hidden = new Set(source.below.filter((entry) => hidesBelow(entry)).map((entry) => entry.path));
  const isBelowHidden = createBelowTest(hidden);
  const isHidden = (path: string): boolean => hidden.has(path) || isBelowHidden(path);

  const note = (path: string): void => {
    if (!source.isStamped(path)) unstamped.add(path);
  };
  for (const entry of entries) {
    note(entry.path);
    if (!hidesBelow(entry) || isHidden(entry.path)) continue;
    if ((await lookUp(source.rootView, entry.path))?.stat.type !== "directory") continue;
    vanishing.add(entry.path);
    for await (const path of walkBelow(source.rootView, entry.path)) {
      note(path);
      vanishing.add(path);
    }
  }
  const directories = new MovedDirectories(source);
  return new Map(
    await inBatches([...unstamped], async (path) => {
      const fingerprint = await takeFingerprint(source.root, path);
      const hasMoved = await directories.haveMoved(path, { fingerprint, isVanishing: vanishing.has(path) });
      return [path, hasMoved ? { type: "moved" } : fingerprint] as const;
    }),
  );
}

/** Knows which directories of the root changed since a layer began; looks at each once. */
class MovedDirectories {
  readonly #source: StampSource;
  readonly #known = new Map<string, Promise<boolean>>([["", Promise.resolve(false)]]);

  constructor(source: StampSource) {
    this.#source = source;
  }

  /** Whether what is at a path, or a directory above it, changed since. */
  async haveMoved(
    path: string,
    { fingerprint, isVanishing }: { readonly fingerprint: Fingerprint; readonly isVanishing: boolean },
  ): Promise<boolean> {
    if (fingerprint.type === "absent" || fingerprint.type === "other") return false;
    // A directory that stays may get new names; one that goes would take them along.
    if (fingerprint.type === "directory" && !isVanishing) return false;
    if (BigInt(fingerprint.ctimeNs) > this.#source.begunAtNs) return true;
    return this.#isMoved(parentPath(path));
  }

  async #isMoved(directory: string): Promise<boolean> {
    const known = this.#known.get(directory);
    if (known !== undefined) return known;
    const answer = this.#lookAt(directory);
    this.#known.set(directory, answer);
    return answer;
  }

  async #lookAt(directory: string): Promise<boolean> {
    const stats = await this.#source.root.inspect(directory);
    if (stats === undefined || stats.ctimeNs > this.#source.begunAtNs) return true;
    return this.#isMoved(parentPath(directory));
  }
}
