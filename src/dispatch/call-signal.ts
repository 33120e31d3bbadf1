/** A signal of one call, to be let go of when the call is over. */
export interface CallSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Follows the engine's signal and the caller's for the length of one batch. `AbortSignal.any` would do, but a signal that lives as long as
 * the engine then keeps a trace of every call there ever was.
 */
export function followSignals(engine: AbortSignal, caller: AbortSignal | undefined): CallSignal {
  if (caller === undefined) return { signal: engine, [Symbol.dispose]: () => undefined };
  const controller = new AbortController();
  const follow = [engine, caller].map((source) => {
    const stop = (): void => controller.abort(source.reason);
    if (source.aborted) stop();
    source.addEventListener("abort", stop);
    return (): void => source.removeEventListener("abort", stop);
  });
  return { signal: controller.signal, [Symbol.dispose]: () => follow.forEach((letGo) => letGo()) };
}
