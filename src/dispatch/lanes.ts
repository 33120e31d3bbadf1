import PQueue from "p-queue";

/** A lane's answer: the task's value, or that it was cancelled before its turn came. */
export type LaneOutcome<T> = { readonly outcome: "ran"; readonly value: T } | { readonly outcome: "cancelled" };

/**
 * Step 6: calls that may overlap run together, the others one at a time in the order they came. p-queue's own `signal`
 * option is not used: it would let go of a task that is already running, and a running sandbox is waited for.
 */
export class Lanes {
  readonly #together = new PQueue({ concurrency: TOGETHER });
  readonly #oneByOne = new PQueue({ concurrency: 1 });

  /** Runs a task when its turn comes. A call that is cancelled while it waits is answered at once. */
  async run<T>(lane: "together" | "one-by-one", signal: AbortSignal, task: () => Promise<T>): Promise<LaneOutcome<T>> {
    const queue = lane === "together" ? this.#together : this.#oneByOne;
    return await new Promise((answer, fail) => {
      const giveUp = (): void => answer({ outcome: "cancelled" });
      let isWaiting = true;
      const turn = async (): Promise<void> => {
        isWaiting = false;
        signal.removeEventListener("abort", giveUp);
        if (!signal.aborted) answer({ outcome: "ran", value: await task() });
        else answer({ outcome: "cancelled" });
      };
      queue.add(turn).catch(fail);
      // The queue begins at once what need not wait.
      if (isWaiting) signal.addEventListener("abort", giveUp);
    });
  }
}

/** Reads wait for the disk more than for the processor; beyond this the thread pool is the limit. */
const TOGETHER = 8;
