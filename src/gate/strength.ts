import type { Effect } from "../contract/gate.ts";

/** Deny beats ask beats allow. */
export const STRENGTH: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** The strictest of several, the first of them where some are equal. */
export function strictest<T extends { readonly effect: Effect }>(candidates: readonly T[]): T | undefined {
  return candidates.reduce<T | undefined>(
    (best, each) => (best !== undefined && STRENGTH[each.effect] <= STRENGTH[best.effect] ? best : each),
    undefined,
  );
}
