import PQueue from "p-queue";
import { isInConflict, isInConflictAcrossBatches } from "./access.ts";
import type { Access } from "./access.ts";
import { Milestone } from "./milestone.ts";

/** Where a call stands among the others. */
export interface Place {
  readonly access: Access;
  /** The same object for the calls of one batch, which are kept in order. */
  readonly batch: object;
  readonly signal: AbortSignal;
}

/** What a call does in its turn. */
export interface LaneWork<T, R> {
  readonly run: () => Promise<T>;
  /**
   * Makes the answer of what the work gave. Calls behind this one in its batch wait for it; others do not, so that a hook
   * may dispatch calls of its own.
   */
  readonly conclude: (value: T) => Promise<R>;
}

/** A lane's answer: the call's, or that it was cancelled before its turn came. */
export type LaneOutcome<T> = { readonly outcome: "ran"; readonly value: T } | { readonly outcome: "cancelled" };

/**
 * Step 6: a call waits for those before it in its batch that it is in conflict with, then for those of other batches that
 * came this far before it, and then runs beside whatever else runs. What still waits for its own batch holds nobody else
 * up: that batch may be waiting for a hook, and the hook for a call of its own.
 *
 * p-queue bounds how many run; its own `signal` option is not used, since it would let go of a task that is already running,
 * and a running sandbox is waited for.
 */
export class Lanes {
  readonly #together = new PQueue({ concurrency: TOGETHER - 1 });
  /** What waits, runs or is being concluded, in the order it came. */
  readonly #unfinished = new Set<Turn>();
  /** What its own batch lets run, in the order it came to this. */
  readonly #admitted = new Set<Turn>();

  /** Does a call's work when its turn comes. One that is cancelled while it waits is answered at once. */
  async run<T, R>(place: Place, work: LaneWork<T, R>): Promise<LaneOutcome<R>> {
    if (place.signal.aborted) return CANCELLED;
    const turn: Turn = { place, ran: new Milestone(), over: new Milestone(), hasBegun: false };
    const outcome = this.#take(turn, work);
    // What need not wait has begun by now.
    return turn.hasBegun ? await outcome : await unlessCancelled(turn, outcome);
  }

  /** One that was cancelled keeps its place until its turn comes: those behind it may count on it for what is before it. */
  async #take<T, R>(turn: Turn, work: LaneWork<T, R>): Promise<LaneOutcome<R>> {
    const before = beforeInBatch(turn.place, this.#unfinished);
    this.#unfinished.add(turn);
    try {
      if (before.length > 0) await Promise.all(before.map(({ over }) => over.reached));
      const outcome = await this.#admit(turn, work);
      if (outcome.outcome === "cancelled") return outcome;
      return { outcome: "ran", value: await work.conclude(outcome.value) };
    } finally {
      this.#unfinished.delete(turn);
      turn.over.reach();
    }
  }

  async #admit<T>(turn: Turn, { run }: Pick<LaneWork<T, unknown>, "run">): Promise<LaneOutcome<T>> {
    const before = beforeInOtherBatches(turn.place, this.#admitted);
    this.#admitted.add(turn);
    const begin = async (): Promise<LaneOutcome<T>> => {
      if (turn.place.signal.aborted) return CANCELLED;
      turn.hasBegun = true;
      return { outcome: "ran", value: await run() };
    };
    try {
      if (before.length > 0) await Promise.all(before.map(({ ran }) => ran.reached));
      return await (this.#needsBound(turn) ? this.#together.add(begin) : begin());
    } finally {
      this.#admitted.delete(turn);
      turn.ran.reach();
    }
  }

  /**
   * One that nothing else may run beside must not wait behind what has nothing to do with it. One that comes while nothing
   * runs need not queue, and is the one that the queue's own bound leaves room for.
   */
  #needsBound({ place }: Turn): boolean {
    return place.access.writes !== "everything" && this.#admitted.size > 1;
  }
}

/** For calls that need not wait. */
export const OPEN_LANES: Pick<Lanes, "run"> = {
  run: async ({ signal }, { run, conclude }) => {
    if (signal.aborted) return CANCELLED;
    return { outcome: "ran", value: await conclude(await run()) };
  },
};

const CANCELLED = { outcome: "cancelled" } as const;

/** Reads wait for the disk more than for the processor; beyond this the thread pool is the limit. */
const TOGETHER = 8;

interface Turn {
  readonly place: Place;
  /** Its work is done, or will not be: whoever is in no order with it may go on. */
  readonly ran: Milestone;
  /** It has been concluded too. */
  readonly over: Milestone;
  hasBegun: boolean;
}

async function unlessCancelled<T>(turn: Turn, outcome: Promise<LaneOutcome<T>>): Promise<LaneOutcome<T>> {
  const { signal } = turn.place;
  const cancelled = Promise.withResolvers<LaneOutcome<T>>();
  const giveUp = (): void => (turn.hasBegun ? undefined : cancelled.resolve(CANCELLED));
  signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([outcome, cancelled.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

const NOBODY: readonly Turn[] = [];

function beforeInBatch({ access, batch }: Place, unfinished: ReadonlySet<Turn>): readonly Turn[] {
  if (unfinished.size === 0) return NOBODY;
  const before: Turn[] = [];
  for (const turn of [...unfinished].toReversed()) {
    const { place } = turn;
    if (place.batch !== batch || !isInConflict(access, place.access)) continue;
    before.push(turn);
    // It waits itself for everything in the batch that is before it.
    if (place.access.writes === "everything") break;
  }
  return before;
}

function beforeInOtherBatches({ access, batch }: Place, admitted: ReadonlySet<Turn>): readonly Turn[] {
  if (admitted.size === 0) return NOBODY;
  return [...admitted].filter(({ place }) => place.batch !== batch && isInConflictAcrossBatches(access, place.access));
}
