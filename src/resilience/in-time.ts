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

/** The time that work has. Its signal is made when it is first asked for, because most short work never does. */
export interface WorkTime {
  /** Tells the work when nobody waits for it any more, also after it has returned. */
  readonly signal: AbortSignal;
}

/**
 * Waits for somebody else's code for a limited time, and answers at once when that is over, whether or not the code heeds
 * its signal. Never rejects.
 *
 * cockatiel's timeout does the same and is not used because every call of every tool comes through here: it makes two
 * emitters, two wrappers and a signal each time, and takes longer than all else that a short call waits for.
 */
export function inTime<T>(
  work: (time: WorkTime) => T | Promise<T>,
  { timeoutMs, signal }: InTimeOptions,
): Promise<TimedOutcome<T>> {
  if (signal?.aborted === true) return Promise.resolve({ how: "cancelled" });
  return new Promise((answer) => {
    const time = new LimitedTime();
    const end = (outcome: TimedOutcome<T>, reason: unknown): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      time.end(reason);
      answer(outcome);
    };
    const cancel = (): void => end({ how: "cancelled" }, signal?.reason);
    const expire = (): void => end({ how: "expired" }, new DOMException("The time is over", "TimeoutError"));
    const timer = setTimeout(expire, timeoutMs);
    signal?.addEventListener("abort", cancel);
    void outcomeOf(work, time).then((outcome) => end(outcome, undefined));
  });
}

class LimitedTime implements WorkTime {
  #controller: AbortController | undefined;
  #over: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#over !== undefined) this.#controller.abort(this.#over.reason);
    return this.#controller.signal;
  }

  end(reason: unknown): void {
    this.#over ??= { reason };
    this.#controller?.abort(this.#over.reason);
  }
}

async function outcomeOf<T>(work: (time: WorkTime) => T | Promise<T>, time: WorkTime): Promise<TimedOutcome<T>> {
  try {
    return { how: "done", value: await work(time) };
  } catch (error) {
    return { how: "failed", error };
  }
}
