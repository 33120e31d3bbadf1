/** Something that comes to pass once. Its promise is made when somebody waits for it, which is seldom. */
export class Milestone {
  #isReached = false;
  #waiting: PromiseWithResolvers<void> | undefined;

  /** Settles when it comes to pass, at once when it has. */
  get reached(): Promise<void> {
    if (this.#isReached) return Promise.resolve();
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** It has come to pass. */
  reach(): void {
    this.#isReached = true;
    this.#waiting?.resolve();
  }
}
