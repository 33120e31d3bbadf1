/** A signal of one batch, to be let go of when the batch is over. */
export interface BatchSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Follows several signals for the length of one batch. `AbortSignal.any` would do, but a signal that lives as long as the
 * engine then keeps a trace of every batch there ever was.
 */
export function followSignals(sources: readonly AbortSignal[]): BatchSignal {
  const controller = new AbortController();
  const follow = sources.map((source) => {
    const stop = (): void => controller.abort(source.reason);
    if (source.aborted) stop();
    source.addEventListener("abort", stop);
    return (): void => source.removeEventListener("abort", stop);
  });
  return { signal: controller.signal, [Symbol.dispose]: () => follow.forEach((letGo) => letGo()) };
}
