import { chmod, chown, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";

import type { Change } from "../contract/change.ts";
import type { Layer, LayerMount, LayerRoom, ManifestEntry } from "../contract/layer.ts";
import { draftEnded } from "../errors/messages/workspace.ts";
import { StateError } from "../errors/state-error.ts";
import { NOTHING_HIDDEN } from "../union/hidden-paths.ts";
import { isOverRoom } from "../union/layer-room.ts";
import { scanUpper } from "../union/scan-upper.ts";
import type { UnionDraft } from "../union/union-draft.ts";
import { openUnionDraft } from "../union/union-draft.ts";
import type { UnionView } from "../union/union-view.ts";
import type { WhiteoutMaker } from "../union/whiteouts.ts";
import { beginTick } from "./begin-tick.ts";
import { detectRenames } from "./detect-renames.ts";
import type { HiddenFinder } from "./hidden-finder.ts";
import { AnchoredRoot } from "./landing/anchored-root.ts";
import { buildMaskLayer } from "./mask-layer.ts";
import { findPendingChanges, toChange } from "./pending.ts";
import { removeTree } from "./remove-tree.ts";
import type { Stamp } from "./stamp.ts";
import { takeStamps } from "./stamp.ts";

/** A layer that is being written. It ends by exactly one of `keep` and `drop`. */
export interface LayerDraft {
  readonly id: number;
  /** Where the layer's content goes, and the work directory that a mount of it needs. */
  readonly directories: Pick<LayerMount, "upper" | "work">;
  /** The workspace with this layer on top, for tools in this process. */
  readonly files: UnionDraft;
  /** What a sandbox mounts or copies. What is hidden is looked for when this is asked for the first time. */
  mount(): Promise<LayerMount>;
  /** Whether what a sandbox has written so far is more than the layer may hold. */
  isOverRoom(): Promise<boolean>;
  /**
   * Reads back what a sandbox wrote to the layer, and from then on shows it in `files`.
   * @param reported deletions that the sandbox could not write down as devices
   * @returns what was refused, and why
   */
  rescan(reported?: readonly ManifestEntry[]): Promise<readonly { readonly path: string; readonly reason: string }[]>;
  /**
   * Makes the layer part of the workspace, unless it changed nothing or overlaps with a layer that was kept since.
   * @throws StateError when the layer has ended before.
   */
  keep(): Promise<KeptLayer>;
  /** Removes the layer and all that was written to it. When it has ended, waits for what is being removed. */
  drop(): Promise<void>;
}

/** Beside the upper directory. */
const MASK_NAME = "mask";

/** What became of a layer. */
export type KeptLayer =
  | { readonly outcome: "kept"; readonly layerId: number; readonly changes: readonly Change[] }
  | { readonly outcome: "unchanged" }
  /** Another layer that was kept meanwhile touches these paths; this one was dropped. */
  | { readonly outcome: "conflict"; readonly paths: readonly string[] };

/** What a finished draft hands over to be kept. */
export interface FinishedDraft {
  readonly id: number;
  readonly entries: readonly ManifestEntry[];
  readonly stamps: ReadonlyMap<string, Stamp>;
}

/** What a draft needs from its workspace. */
export interface DraftContext {
  readonly id: number;
  readonly callId: string;
  readonly root: string;
  /** The directory of the layer, which does not exist yet. */
  readonly directory: string;
  /** The kept layers over the root as tools see them. */
  readonly below: UnionView;
  /** What the cap of the workspace leaves for this layer. */
  readonly room: LayerRoom | undefined;
  /** Finds what is hidden. */
  readonly finder: HiddenFinder;
  readonly rootView: UnionView;
  readonly whiteouts: WhiteoutMaker;
  readonly isStamped: (path: string) => boolean;
  /** Makes it part of the workspace in one transaction; gives the overlapping paths when that cannot be. */
  readonly commit: (finished: FinishedDraft) => Promise<readonly string[]>;
  /** Forgets the row. */
  readonly forget: () => void;
}

/** Makes the directories of a new layer. The upper one gets the root's owner and mode, since containers run as that owner. */
export async function openLayerDraft(context: DraftContext): Promise<LayerDraft> {
  const upper = join(context.directory, "upper");
  const work = join(context.directory, "work");
  const root = await stat(context.root);
  for (const directory of [context.directory, upper, work]) await mkdir(directory, { mode: 0o700 });
  await chmod(upper, root.mode & 0o777);
  if (process.getuid?.() === 0) {
    await chown(upper, root.uid, root.gid);
    await chown(work, root.uid, root.gid);
  }
  const begunAtNs = await beginTick({ upper, root: context.root });
  return new DirectoryDraft(context, { upper, work, begunAtNs });
}

class DirectoryDraft implements LayerDraft {
  readonly directories: Pick<LayerMount, "upper" | "work">;
  readonly #context: DraftContext;
  readonly #begunAtNs: bigint;
  #files: UnionDraft;
  #isEnded = false;
  #mount: Promise<LayerMount> | undefined;
  /** The removal of a dropped layer; whoever drops it a second time waits for it too. */
  #removal: Promise<void> | undefined;

  constructor(
    context: DraftContext,
    place: { readonly upper: string; readonly work: string; readonly begunAtNs: bigint },
  ) {
    this.#context = context;
    this.#begunAtNs = place.begunAtNs;
    this.directories = { upper: place.upper, work: place.work };
    this.#files = this.#openFiles();
  }

  get id(): number {
    return this.#context.id;
  }

  get files(): UnionDraft {
    return this.#files;
  }

  async mount(): Promise<LayerMount> {
    this.#mount ??= this.#prepareMount();
    return this.#mount;
  }

  async isOverRoom(): Promise<boolean> {
    const { room } = this.#context;
    return room !== undefined && (await isOverRoom(this.directories.upper, room));
  }

  async rescan(
    reported: readonly ManifestEntry[] = [],
  ): Promise<readonly { readonly path: string; readonly reason: string }[]> {
    const { entries, refused } = await scanUpper({
      below: this.#context.below,
      upper: this.directories.upper,
      reported,
    });
    this.#files = this.#openFiles(entries);
    return refused;
  }

  async keep(): Promise<KeptLayer> {
    if (this.#isEnded) throw new StateError(draftEnded(this.#context.callId));
    const entries = this.#files.entries();
    if (entries.length === 0) {
      await this.drop();
      return { outcome: "unchanged" };
    }
    const stamps = await this.#takeStamps(entries);
    const changes = await this.#describe({ id: this.id, upper: this.directories.upper, entries });
    const overlaps = await this.#context.commit({ id: this.id, entries, stamps });
    if (overlaps.length > 0) {
      await this.drop();
      return { outcome: "conflict", paths: overlaps };
    }
    this.#isEnded = true;
    await removeTree(this.directories.work);
    await removeTree(join(this.#context.directory, MASK_NAME));
    return { outcome: "kept", layerId: this.id, changes };
  }

  async drop(): Promise<void> {
    if (this.#isEnded) return await this.#removal;
    this.#isEnded = true;
    this.#removal = this.#remove();
    await this.#removal;
  }

  async #prepareMount(): Promise<LayerMount> {
    const { root, below, finder, whiteouts, directory, room } = this.#context;
    const mount = { root, lowers: below.layers, ...this.directories, ...(room === undefined ? {} : { room }) };
    const { patterns } = below.hidden;
    if (patterns.length === 0) return mount;
    const view = below.hiding(NOTHING_HIDDEN);
    const mask = await buildMaskLayer(await finder.find(below.layers), {
      view,
      whiteouts,
      directory: join(directory, MASK_NAME),
    });
    return { ...mount, hidden: { patterns, mask } };
  }

  async #remove(): Promise<void> {
    // The directory first: while the row is there, whoever finds this process dead removes the rest.
    await removeTree(this.#context.directory);
    this.#context.forget();
  }

  #openFiles(entries: readonly ManifestEntry[] = []): UnionDraft {
    const { below, whiteouts, room } = this.#context;
    return openUnionDraft({ below, upper: this.directories.upper, whiteouts, entries, room });
  }

  async #takeStamps(entries: readonly ManifestEntry[]): Promise<ReadonlyMap<string, Stamp>> {
    const { rootView, below, isStamped } = this.#context;
    await using root = new AnchoredRoot(this.#context.root);
    return await takeStamps(entries, {
      root,
      rootView,
      begunAtNs: this.#begunAtNs,
      below: below.layers.flatMap((layer) => layer.entries),
      isStamped,
    });
  }

  async #describe(layer: Layer): Promise<readonly Change[]> {
    const views = { before: this.#context.below, after: this.#context.below.withLayer(layer) };
    const pending = await findPendingChanges([{ ...layer, callId: this.#context.callId }], views);
    const renames = await detectRenames(pending, views);
    return pending.map((change) => toChange(change, renames.get(change.path)));
  }
}
