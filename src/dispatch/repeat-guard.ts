import { isDeepStrictEqual } from "node:util";

/**
 * Notices a model that makes the same call again and again: same tool, same input whatever the order of its keys, with
 * no other call in between. Inputs are validated, frozen copies, so the last one can be held as it is.
 */
export class RepeatGuard {
  readonly #maxRepeats: number;
  #last: { readonly tool: string; readonly input: unknown } | undefined;
  #inRow = 0;

  constructor(maxRepeats: number) {
    this.#maxRepeats = maxRepeats;
  }

  /** Takes note of a call; whether it has now been made too often in a row. */
  isRepeated(tool: string, input: unknown): boolean {
    const isSame = this.#last?.tool === tool && isDeepStrictEqual(this.#last.input, input);
    this.#inRow = isSame ? this.#inRow + 1 : 1;
    if (!isSame) this.#last = { tool, input };
    return this.#inRow > this.#maxRepeats;
  }

  /** Something else came in between. */
  forget(): void {
    this.#last = undefined;
    this.#inRow = 0;
  }
}
