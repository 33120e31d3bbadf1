import PQueue from "p-queue";
import { isInConflict, isInConflictAcrossBatches } from "./access.ts";
import type { Access } from "./access.ts";

/** Where a call stands among the others. */
export interface Place {
  readonly access: Access;
  /** The same object for the calls of one batch, which are kept in order. */
  readonly batch: object;
  readonly signal: AbortSignal;
}

/** What a call does in its turn. */
export interface LaneWork<T> {
  readonly run: () => Promise<T>;
  /**
   * Looks at the value when the work is done. Calls behind this one in its batch wait for it; others do not, so that a hook
   * may dispatch calls of its own.
   */
  readonly conclude: (value: T) => Promise<void>;
}

/** A lane's answer: the task's value, or that it was cancelled before its turn came. */
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
  readonly #together = new PQueue({ concurrency: TOGETHER });
  /** What waits, runs or is being concluded, in the order it came. */
  readonly #unfinished = new Set<Unfinished>();
  /** What its own batch lets run, in the order it came to this. */
  readonly #admitted = new Set<Admitted>();

  /** Does a call's work when its turn comes. One that is cancelled while it waits is answered at once. */
  async run<T>(place: Place, work: LaneWork<T>): Promise<LaneOutcome<T>> {
    const { signal } = place;
    if (signal.aborted) return { outcome: "cancelled" };
    return await new Promise((answer, fail) => {
      const giveUp = (): void => answer({ outcome: "cancelled" });
      let isWaiting = true;
      let ran: { readonly value: T } | undefined;
      const begin = async (): Promise<void> => {
        isWaiting = false;
        signal.removeEventListener("abort", giveUp);
        if (signal.aborted) giveUp();
        else ran = { value: await work.run() };
      };
      const end = async (): Promise<void> => {
        if (ran === undefined) return;
        await work.conclude(ran.value);
        answer({ outcome: "ran", ...ran });
      };
      this.#enter(place, { begin, end, fail });
      // What need not wait has begun by now.
      if (isWaiting) signal.addEventListener("abort", giveUp);
    });
  }

  /** One that was cancelled keeps its place until its turn comes: those behind it may count on it for what is before it. */
  #enter(place: Place, { begin, end, fail }: Steps): void {
    const before = beforeInBatch(place, this.#unfinished);
    const ran =
      before.length === 0 ? this.#admit(place, begin) : Promise.all(before).then(() => this.#admit(place, begin));
    const over = ran.then(end).catch(fail);
    const unfinished = { place, over: over.then(() => void this.#unfinished.delete(unfinished)) };
    this.#unfinished.add(unfinished);
  }

  async #admit(place: Place, begin: Steps["begin"]): Promise<void> {
    const before = beforeInOtherBatches(place, this.#admitted);
    const ran =
      before.length === 0
        ? this.#begin(place, begin)
        : Promise.allSettled(before).then(() => this.#begin(place, begin));
    const admitted = { place, ran };
    this.#admitted.add(admitted);
    try {
      await ran;
    } finally {
      this.#admitted.delete(admitted);
    }
  }

  async #begin({ access }: Place, begin: Steps["begin"]): Promise<void> {
    // One that nothing else may run beside needs no bound, and must not wait behind what has nothing to do with it.
    await (access.writes === "everything" ? begin() : this.#together.add(begin));
  }
}

/** Reads wait for the disk more than for the processor; beyond this the thread pool is the limit. */
const TOGETHER = 8;

interface Steps {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
  readonly fail: (error: unknown) => void;
}

interface Unfinished {
  readonly place: Place;
  /** Its work is done and concluded. Never rejects. */
  readonly over: Promise<void>;
}

interface Admitted {
  readonly place: Place;
  /** Its work is done; rejects when that failed. */
  readonly ran: Promise<void>;
}

function beforeInBatch({ access, batch }: Place, unfinished: ReadonlySet<Unfinished>): readonly Promise<void>[] {
  const before: Promise<void>[] = [];
  for (const { place, over } of [...unfinished].toReversed()) {
    if (place.batch !== batch || !isInConflict(access, place.access)) continue;
    before.push(over);
    // It waits itself for everything in the batch that is before it.
    if (place.access.writes === "everything") break;
  }
  return before;
}

function beforeInOtherBatches({ access, batch }: Place, admitted: ReadonlySet<Admitted>): readonly Promise<void>[] {
  return [...admitted]
    .filter(({ place }) => place.batch !== batch && isInConflictAcrossBatches(access, place.access))
    .map(({ ran }) => ran);
}
