import type { Layer } from "../contract/layer.ts";
import { comparePaths } from "../union/path-bytes.ts";
import type { UnionView } from "../union/union-view.ts";
import type { WhiteoutMaker } from "../union/whiteouts.ts";
import { buildUpper } from "./build-upper.ts";
import { lookUp } from "./compare-views.ts";

/** No layer that was kept has this id. */
const MASK_LAYER_ID = -2;

/** Makes a layer that deletes these paths, for a kernel mount to put over the kept layers and the root. */
export async function buildMaskLayer(
  paths: readonly string[],
  options: {
    /** The layers and the root, nothing hidden. */
    readonly view: UnionView;
    readonly whiteouts: WhiteoutMaker;
    /** A directory that does not exist yet. */
    readonly directory: string;
  },
): Promise<Layer> {
  const { view, whiteouts, directory } = options;
  const present: { readonly op: "delete"; readonly path: string }[] = [];
  for (const path of paths.toSorted(comparePaths)) {
    // What a later layer removed, or put something else above, needs no mask.
    if ((await lookUp(view, path)) !== undefined) present.push({ op: "delete", path });
  }
  await buildUpper(present, { view, whiteouts, source: view.root, upper: directory });
  return { id: MASK_LAYER_ID, upper: directory, entries: present };
}
