import { compareNames } from "../compare-names.ts";

/** Sorted by code units, the same on every machine, because an order that changes empties the provider's prompt cache. */
export function sortedByName<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  return items.toSorted((left, right) => compareNames(left.name, right.name));
}
