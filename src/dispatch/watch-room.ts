import type { LayerDraft } from "../workspace/layer-draft.ts";

/** The least pause between two looks at a layer; measuring takes at most a tenth of the time. */
const PAUSE_MS = 500;
const PAUSE_PER_LOOK = 9;

/**
 * Looks, while commands run on a layer, whether they have written more than it may hold. A mount knows no quota, so that a
 * command gets as far beyond as it writes between two looks; nothing of it is kept.
 */
export class RoomWatch implements Disposable {
  readonly #draft: LayerDraft;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(draft: LayerDraft) {
    this.#draft = draft;
    this.#lookLater(PAUSE_MS);
  }

  /** Aborted when there is no room any more. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Looks for the last time, when nothing writes any more: whether the layer holds more than it may, or did. */
  async wasExceeded(): Promise<boolean> {
    this[Symbol.dispose]();
    return this.signal.aborted || (await this.#draft.isOverRoom());
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #lookLater(pauseMs: number): void {
    this.#timer = setTimeout(() => void this.#look(), pauseMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const startMs = performance.now();
    // What cannot be measured now is measured at the end.
    if (await this.#draft.isOverRoom().catch(() => false)) return this.#controller.abort();
    if (this.#timer !== undefined) this.#lookLater(Math.max(PAUSE_MS, (performance.now() - startMs) * PAUSE_PER_LOOK));
  }
}
