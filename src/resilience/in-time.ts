/** How work that belongs to somebody else ended. */
export type TimedOutcome<T> =
  | { readonly how: "done"; readonly value: T }
  | { readonly how: "failed"; readonly error: unknown }
  | { readonly how: "expired" }
  | { readonly how: "cancelled" };

/** How long to wait, and for whom. */
export interface InTimeOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Waits for somebody else's code for a limited time. Never rejects; the work's own signal tells it when nobody waits any more. */
export async function inTime<T>(
  work: (signal: AbortSignal) => T | Promise<T>,
  { timeoutMs, signal }: InTimeOptions,
): Promise<TimedOutcome<T>> {
  if (signal.aborted) return { how: "cancelled" };
  const over = new AbortController();
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<TimedOutcome<T>>();
  const timer = setTimeout(() => interrupt({ how: "expired" }), timeoutMs);
  const cancel = (): void => interrupt({ how: "cancelled" });
  signal.addEventListener("abort", cancel);
  try {
    return await Promise.race([outcomeOf(() => work(over.signal)), interrupted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    over.abort();
  }
}

async function outcomeOf<T>(work: () => T | Promise<T>): Promise<TimedOutcome<T>> {
  try {
    return { how: "done", value: await work() };
  } catch (error) {
    return { how: "failed", error };
  }
}
