import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

import type { Change } from "../contract/change.ts";
import type { LayerRoom } from "../contract/layer.ts";
import type { WorkspaceReview } from "../contract/engine.ts";
import type { ChangeSelection, Landing, LandingSummary, ReviewedSelection } from "../contract/landing.ts";
import { LandingConflictError } from "../errors/landing-conflict-error.ts";
import { changedSinceReview, workspaceClosed } from "../errors/messages/workspace.ts";
import { StateError } from "../errors/state-error.ts";
import { openDatabase } from "../state/database.ts";
import { acquireLock } from "../state/lock.ts";
import { clearEmptySeats, takeSeat } from "../state/seat.ts";
import { openStateDirectory } from "../state/state-directory.ts";
import { createHiddenPaths } from "../union/hidden-paths.ts";
import type { UnionView } from "../union/union-view.ts";
import { createWhiteoutMaker } from "../union/whiteouts.ts";
import { detectRenames } from "./detect-renames.ts";
import { renderDiff } from "./diff/render-diff.ts";
import { discard } from "./discard.ts";
import type { LandingSource } from "./landing/land.ts";
import { land } from "./landing/land.ts";
import type { LandingContext } from "./landing/landing-context.ts";
import type { LandingObserver } from "./landing/landing-step.ts";
import { LandingStore } from "./landing/landing-store.ts";
import { recoverLandings } from "./landing/recover-landings.ts";
import { undo } from "./landing/undo.ts";
import type { LayerDraft } from "./layer-draft.ts";
import { LayerStore } from "./layer-store.ts";
import type { PendingChange } from "./pending.ts";
import { findPendingChanges, toChange } from "./pending.ts";
import { selectPaths } from "./selection.ts";
import { removeDeadDrafts, sweepLayers } from "./sweep-layers.ts";
import { WorkspaceCore } from "./workspace-core.ts";

/** The copy-on-write workspace of one root: layers over it, their review, landing and undo. Several processes may share it. */
export interface Workspace extends AsyncDisposable, WorkspaceReview {
  /** The root's real path. */
  readonly root: string;
  readonly stateDirectory: string;
  /** Where processes have their seats, and the one of this process. */
  readonly seatsDirectory: string;
  readonly seatId: string;
  /** The state database, for what else is kept about this root. */
  readonly database: DatabaseSync;
  /** The kept layers over the root, as of now, whichever process kept them. */
  view(): Promise<UnionView>;
  /** Begins a layer on top of what is kept now. */
  beginLayer(options: { readonly callId: string }): Promise<LayerDraft>;
  /**
   * Applies selected pending changes to the root, all or none.
   * @throws LandingConflictError when the root moved; nothing is landed.
   * @throws ConfigurationError when the selection selects nothing that can land.
   * @throws StateError when calls are still running.
   */
  land(selection?: ReviewedSelection): Promise<Landing>;
  /**
   * Takes a landing back, the last one without an id.
   * @throws LandingConflictError when a landed path has changed since; nothing is undone.
   * @throws ConfigurationError when there is no such landing, or it was taken back before.
   * @throws StateError when calls are still running.
   */
  undo(landingId?: string): Promise<Landing>;
  /**
   * Drops selected pending changes and says which.
   * @throws ConfigurationError when the selection selects nothing.
   * @throws StateError when calls are still running.
   */
  discard(selection?: ReviewedSelection): Promise<readonly Change[]>;
  /** The landings so far, oldest first. */
  landings(): readonly LandingSummary[];
}

/** How to open a workspace. */
export interface WorkspaceOptions {
  readonly root: string;
  readonly stateHome: string;
  /** @default Date.now */
  readonly clock?: () => number;
  /** How long landing, undo and discard wait for running calls to end. @default 10_000 */
  readonly idleWaitMs?: number;
  /** Globs of paths that no tool and no command sees. @default none */
  readonly hide?: readonly string[];
  /** What all pending layers together may hold. @default any amount */
  readonly cap?: LayerRoom;
  /** Told of each moment of a landing before it happens. */
  readonly onLandingMoment?: LandingObserver;
}

/**
 * Opens the workspace of a root, and ends what dead processes left half done in it.
 * @throws ConfigurationError when the root or the state home cannot be used.
 * @throws StateError when the state is damaged, in use, or of a newer version.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const directory = await openStateDirectory(options);
  const whiteoutsDirectory = join(directory.path, "whiteouts");
  await mkdir(whiteoutsDirectory, { recursive: true, mode: 0o700 });
  await using _lock = await acquireLock({ directory: directory.path });
  const database = openDatabase(join(directory.path, "state.sqlite"));
  const seat = takeSeat(directory.seats);
  try {
    const store = new LayerStore(database, directory.layers);
    const context: LandingContext = {
      root: directory.root,
      layersDirectory: directory.layers,
      layers: store,
      landings: new LandingStore(database),
      hidden: createHiddenPaths(options.hide ?? []),
      observe: options.onLandingMoment ?? (() => undefined),
      backupsOf: (landingId) => join(directory.landings, landingId),
    };
    await recoverLandings(context);
    clearEmptySeats(directory.seats);
    await removeDeadDrafts(store, directory.seats);
    await sweepLayers(store, directory.layers);
    const core = new WorkspaceCore({
      directory,
      database,
      store,
      whiteouts: createWhiteoutMaker({ directory: whiteoutsDirectory }),
      clock: options.clock ?? Date.now,
      idleWaitMs: options.idleWaitMs ?? 10_000,
      seat,
      hidden: context.hidden,
      cap: options.cap,
    });
    return new DirectoryWorkspace(core, context);
  } catch (error) {
    database.close();
    seat[Symbol.dispose]();
    throw error;
  }
}

class DirectoryWorkspace implements Workspace {
  readonly root: string;
  readonly stateDirectory: string;
  readonly seatsDirectory: string;
  readonly seatId: string;
  readonly database: DatabaseSync;
  readonly #core: WorkspaceCore;
  readonly #context: LandingContext;

  constructor(core: WorkspaceCore, context: LandingContext) {
    this.root = core.parts.directory.root;
    this.stateDirectory = core.parts.directory.path;
    this.seatsDirectory = core.parts.directory.seats;
    this.seatId = core.parts.seat.id;
    this.database = core.parts.database;
    this.#core = core;
    this.#context = context;
  }

  async view(): Promise<UnionView> {
    this.#assertOpen();
    return this.#core.snapshot().visible;
  }

  async beginLayer(options: { readonly callId: string }): Promise<LayerDraft> {
    this.#assertOpen();
    return this.#core.beginLayer(options.callId);
  }

  async changes(selection?: ChangeSelection): Promise<readonly Change[]> {
    const { selected, renames } = await this.#review(selection, "show changes of");
    return selected.map((change) => toChange(change, renames.get(change.path)));
  }

  async diff(selection?: ChangeSelection): Promise<string> {
    const { selected, renames, views } = await this.#review(selection, "show the diff of");
    return renderDiff(selected, { views, renames });
  }

  async revision(): Promise<string> {
    this.#assertOpen();
    return String(this.#core.parts.store.revision());
  }

  async land(selection: ReviewedSelection = {}): Promise<Landing> {
    return this.#onReviewed("land changes", selection, async () => land(this.#context, this.#source(), selection));
  }

  async undo(landingId?: string): Promise<Landing> {
    const now = this.#now();
    return this.#exclusively("undo a landing", async () => undo(this.#context, { landingId, now }));
  }

  async discard(selection: ReviewedSelection = {}): Promise<readonly Change[]> {
    return this.#onReviewed("discard changes", selection, async () =>
      discard(this.#context, this.#source(), selection),
    );
  }

  landings(): readonly { readonly id: string; readonly landedAt: Date; readonly state: "landed" | "undone" }[] {
    this.#assertOpen();
    return this.#context.landings
      .landings()
      .map(({ id, landedAt, state }) => ({ id, landedAt, state: state === "undone" ? "undone" : "landed" }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.database.isOpen) return;
    await this.#core.dropDrafts();
    this.database.close();
    this.#core.parts.seat[Symbol.dispose]();
  }

  async #review(
    selection: ChangeSelection | undefined,
    action: string,
  ): Promise<{
    readonly selected: readonly PendingChange[];
    readonly renames: ReadonlyMap<string, string>;
    readonly views: { readonly before: UnionView; readonly after: UnionView };
  }> {
    this.#assertOpen();
    const { layers, view } = this.#core.snapshot();
    const views = { before: this.#core.rootView, after: view };
    const pending = await findPendingChanges(layers, views);
    const shown = pending.filter(({ path }) => !this.#context.hidden.hides(path));
    const selected = selectPaths(shown, selection, action);
    return { selected, renames: await detectRenames(selected, views), views };
  }

  /** Runs `work` on what was reviewed and nothing else: a call that ends while this waits may have added to it. */
  async #onReviewed<T>(action: string, selection: ReviewedSelection, work: () => Promise<T>): Promise<T> {
    const reviewed = selection.revision ?? (await this.revision());
    return this.#exclusively(action, async () => {
      if ((await this.revision()) === reviewed) return work();
      throw new LandingConflictError(changedSinceReview(action), { conflicts: [] });
    });
  }

  async #exclusively<T>(action: string, work: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    return this.#core.exclusively(action, async () => {
      await recoverLandings(this.#context);
      return work();
    });
  }

  #source(): LandingSource {
    const { whiteouts } = this.#core.parts;
    return { ...this.#core.snapshot(), rootView: this.#core.rootView, whiteouts, now: this.#now() };
  }

  #now(): Date {
    return new Date(this.#core.parts.clock());
  }

  #assertOpen(): void {
    if (!this.database.isOpen) throw new StateError(workspaceClosed());
  }
}
