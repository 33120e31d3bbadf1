/** A signal of one call, to be let go of when the call is over. */
export interface CallSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Follows several signals for the length of one call. `AbortSignal.any` would do, but a signal that lives as long as
 * the engine then keeps a trace of every call there ever was.
 */
export function followSignals(sources: readonly (AbortSignal | undefined)[]): CallSignal {
  const controller = new AbortController();
  const over = new AbortController();
  for (const source of sources) {
    if (source === undefined) continue;
    if (source.aborted) controller.abort(source.reason);
    else source.addEventListener("abort", () => controller.abort(source.reason), { signal: over.signal });
  }
  return { signal: controller.signal, [Symbol.dispose]: () => over.abort() };
}
