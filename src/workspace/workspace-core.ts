import { setTimeout as delay } from "node:timers/promises";
import type { DatabaseSync } from "node:sqlite";

import type { LayerRoom } from "../contract/layer.ts";
import { callsRunning } from "../errors/messages/workspace.ts";
import { StateError } from "../errors/state-error.ts";
import { inTransaction } from "../state/database.ts";
import { acquireLock } from "../state/lock.ts";
import type { Seat } from "../state/seat.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import type { HiddenPaths } from "../union/hidden-paths.ts";
import type { UnionView } from "../union/union-view.ts";
import { openUnionView } from "../union/union-view.ts";
import type { WhiteoutMaker } from "../union/whiteouts.ts";
import type { DraftContext, FinishedDraft, LayerDraft } from "./layer-draft.ts";
import { openLayerDraft } from "./layer-draft.ts";
import { HiddenFinder } from "./hidden-finder.ts";
import type { LayerStore, StoredLayer } from "./layer-store.ts";
import { findOverlaps } from "./overlap.ts";
import { removeTree } from "./remove-tree.ts";
import { removeDeadDrafts } from "./sweep-layers.ts";
import { WorkspaceRoom } from "./workspace-room.ts";

const POLL_MS = 20;

/** What a workspace is made of. */
export interface WorkspaceParts {
  readonly directory: StateDirectory;
  readonly database: DatabaseSync;
  readonly store: LayerStore;
  readonly whiteouts: WhiteoutMaker;
  readonly clock: () => number;
  /** How long landing, undo and discard wait for running calls. */
  readonly idleWaitMs: number;
  /** Tells other processes that the drafts of this workspace have somebody who writes them. */
  readonly seat: Seat;
  /** What no tool sees. */
  readonly hidden: HiddenPaths;
  /** What all layers together may hold. */
  readonly cap: LayerRoom | undefined;
}

/** The kept layers at one moment. */
export interface Snapshot {
  /** Everything there is, for review and landing. */
  readonly view: UnionView;
  /** What tools see. */
  readonly visible: UnionView;
  readonly layers: readonly StoredLayer[];
}

/**
 * The part of a workspace that knows which layers there are. A layer's directory never changes after it was kept, so a
 * view stays right for as long as somebody uses it. Whatever takes layers away waits until no draft is open, because a
 * sandbox may have them mounted.
 */
export class WorkspaceCore {
  readonly parts: WorkspaceParts;
  /** The root alone, without layers. */
  readonly rootView: UnionView;
  readonly #finder: HiddenFinder;
  readonly #room: WorkspaceRoom;
  readonly #drafts = new Map<number, LayerDraft>();
  #known: (Snapshot & { readonly revision: number }) | undefined;

  constructor(parts: WorkspaceParts) {
    this.parts = parts;
    this.rootView = openUnionView({ root: parts.directory.root, layers: [] });
    this.#room = new WorkspaceRoom(parts.cap);
    this.#finder = new HiddenFinder(parts.directory.root, parts.hidden);
  }

  /** The kept layers now. One small query when nothing moved; else only new layers are read, if there are only new ones. */
  snapshot(): Snapshot {
    const { database } = this.parts;
    if (this.#known?.revision === this.parts.store.revision()) return this.#known;
    if (database.isTransaction) return this.#reload();
    // One transaction, so that what is read is of one moment.
    database.exec("BEGIN");
    try {
      return this.#reload();
    } finally {
      database.exec("COMMIT");
    }
  }

  /** Begins a layer on top of the ones that are kept now. */
  async beginLayer(callId: string): Promise<LayerDraft> {
    const { directory, database, store, clock, seat } = this.parts;
    const { id, snapshot } = await this.#underLock(() =>
      inTransaction(database, () => {
        const snapshot = this.snapshot();
        const draft = { callId, owner: seat.id, begunAtMs: clock(), snapshot: newestPosition(snapshot) };
        return { id: store.insertDraft(draft), snapshot };
      }),
    );
    const room = await this.#room.leftBy(snapshot.layers.map((layer) => layer.upper));
    const draft = await this.#openDraft({
      id,
      room,
      callId,
      root: directory.root,
      directory: store.directoryOf(id),
      below: snapshot.visible,
      finder: this.#finder,
      rootView: this.rootView,
      whiteouts: this.parts.whiteouts,
      isStamped: (path) => store.stampOf(path) !== undefined,
      commit: async (finished) => this.#commit(finished, newestPosition(snapshot)),
      forget: () => this.#forget(id),
    });
    this.#drafts.set(id, draft);
    return draft;
  }

  /** Runs `work` under the lock while no layer is being written, by whichever process. */
  async exclusively<T>(action: string, work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.parts.idleWaitMs;
    for (;;) {
      const outcome = await this.#underLock(async () => {
        await removeDeadDrafts(this.parts.store, this.parts.directory.seats);
        const drafts = this.parts.store.drafts();
        if (drafts.length === 0) return { value: await work() };
        if (performance.now() < deadline) return undefined;
        throw new StateError(callsRunning({ action, callIds: drafts.map((draft) => draft.callId) }));
      });
      if (outcome !== undefined) return outcome.value;
      await delay(POLL_MS);
    }
  }

  /** Drops the layers that this workspace began and that have not ended. */
  async dropDrafts(): Promise<void> {
    for (const draft of this.#drafts.values()) await draft.drop();
  }

  async #underLock<T>(work: () => T | Promise<T>): Promise<T> {
    await using _lock = await acquireLock({ directory: this.parts.directory.path });
    return await work();
  }

  /** The write transaction is the lock here: landing cannot go on meanwhile, because a draft is open. */
  async #commit(finished: FinishedDraft, snapshot: number): Promise<readonly string[]> {
    const { database, store } = this.parts;
    return inTransaction(database, () => {
      const others = store.keptLayers({ after: snapshot }).flatMap((layer) => layer.entries);
      const overlaps = findOverlaps(finished.entries, others);
      if (overlaps.length > 0) return overlaps;
      store.keepDraft(finished.id, finished.entries);
      store.addStamps(finished.stamps);
      store.advanceRevision();
      this.#drafts.delete(finished.id);
      return [];
    });
  }

  async #openDraft(context: DraftContext): Promise<LayerDraft> {
    try {
      return await openLayerDraft(context);
    } catch (error) {
      await removeTree(context.directory);
      this.#forget(context.id);
      throw error;
    }
  }

  #forget(id: number): void {
    this.parts.store.deleteLayer(id);
    this.#drafts.delete(id);
  }

  #reload(): Snapshot {
    const { directory, store, hidden } = this.parts;
    const known = this.#known;
    const uppers = store.keptUppers();
    const revision = store.revision();
    if (known !== undefined && known.layers.every((layer, index) => layer.upper === uppers[index])) {
      const added = store.keptLayers({ after: newestPosition(known) });
      const view = added.reduce((below, layer) => below.withLayer(toLayer(layer)), known.view);
      this.#known = { revision, view, visible: view.hiding(hidden), layers: [...known.layers, ...added] };
    } else {
      const layers = store.keptLayers();
      const view = openUnionView({ root: directory.root, layers: layers.map(toLayer) });
      this.#known = { revision, view, visible: view.hiding(hidden), layers };
    }
    return this.#known;
  }
}

function newestPosition(snapshot: Snapshot): number {
  return snapshot.layers.at(-1)?.position ?? 0;
}

function toLayer({ id, upper, entries }: StoredLayer): { id: number; upper: string; entries: StoredLayer["entries"] } {
  return { id, upper, entries };
}
