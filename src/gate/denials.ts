/** Counts denials of the same thing, so that a model which keeps asking neither wears a person down nor learns nothing. */
export class Denials {
  readonly #counts = new Map<string, number>();

  /** Notes one more denial and gives how many there are now. */
  add(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  /** How often it was denied. */
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** It was approved: what came before no longer counts. */
  forget(key: string): void {
    this.#counts.delete(key);
  }
}

/** So many denials of the same call deny it without asking. */
export const MOST_DENIALS = 3;
