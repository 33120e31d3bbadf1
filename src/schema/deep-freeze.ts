declare const frozen: unique symbol;

/** Marks JSON data that nothing can change any more: only `deepFreeze` gives it, so that one object stands for its content. */
export interface DeeplyFrozen {
  readonly [frozen]: true;
}

/** Freezes a JSON value with everything in it, and gives it back. */
export function deepFreeze<T>(value: T): T & DeeplyFrozen {
  freeze(value);
  // The mark exists in types alone.
  return value as T & DeeplyFrozen;
}

/** A part that is frozen already is walked too, because what it holds need not be. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
