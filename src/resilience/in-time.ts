/** How work that belongs to somebody else ended. */
export type TimedOutcome<T> =
  | { readonly how: "done"; readonly value: T }
  | { readonly how: "failed"; readonly error: unknown }
  | { readonly how: "expired" }
  | { readonly how: "cancelled" };

/** How long to wait, and for whom. */
export interface InTimeOptions {
  readonly timeoutMs: number;
  /** @default nobody cancels */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits for somebody else's code for a limited time, and answers at once when that is over, whether or not the code heeds
 * its signal. Never rejects; the work's own signal tells it when nobody waits any more, also after it has returned.
 *
 * cockatiel's timeout does the same and is not used because every call of every tool comes through here: it makes two
 * emitters and two wrappers each time, and takes longer than all else that a short call waits for.
 */
export async function inTime<T>(
  work: (signal: AbortSignal) => T | Promise<T>,
  { timeoutMs, signal }: InTimeOptions,
): Promise<TimedOutcome<T>> {
  if (signal?.aborted === true) return { how: "cancelled" };
  return await new Promise((answer) => {
    const over = new AbortController();
    const end = (outcome: TimedOutcome<T>, reason: unknown): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      over.abort(reason);
      answer(outcome);
    };
    const cancel = (): void => end({ how: "cancelled" }, signal?.reason);
    const expire = (): void => end({ how: "expired" }, new DOMException("The time is over", "TimeoutError"));
    const timer = setTimeout(expire, timeoutMs);
    signal?.addEventListener("abort", cancel);
    void outcomeOf(() => work(over.signal)).then((outcome) => end(outcome, RETURNED));
  });
}

/** Why the signal of work that has returned is aborted. Made once: a reason with its stack costs more than all the rest. */
const RETURNED = new DOMException("The work has returned", "AbortError");

async function outcomeOf<T>(work: () => T | Promise<T>): Promise<TimedOutcome<T>> {
  try {
    return { how: "done", value: await work() };
  } catch (error) {
    return { how: "failed", error };
  }
}
