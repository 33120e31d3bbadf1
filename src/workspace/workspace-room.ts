import type { LayerRoom } from "../contract/layer.ts";
import { measureUpper } from "../union/layer-room.ts";

/** What a workspace may hold in all its layers together, and what of it is left. */
export class WorkspaceRoom {
  readonly #cap: LayerRoom | undefined;
  /** A kept upper directory never changes, so that each is measured once. */
  #sizes: ReadonlyMap<string, LayerRoom> = new Map();

  constructor(cap: LayerRoom | undefined) {
    this.#cap = cap;
  }

  /** What these kept layers leave for a new one; `undefined` when there is no cap. */
  async leftBy(uppers: readonly string[]): Promise<LayerRoom | undefined> {
    if (this.#cap === undefined) return undefined;
    const sizes = new Map<string, LayerRoom>();
    let { files, bytes } = this.#cap;
    for (const upper of uppers) {
      const size = this.#sizes.get(upper) ?? (await measureUpper(upper));
      sizes.set(upper, size);
      files -= size.files;
      bytes -= size.bytes;
    }
    this.#sizes = sizes;
    return { files: Math.max(0, files), bytes: Math.max(0, bytes) };
  }
}
