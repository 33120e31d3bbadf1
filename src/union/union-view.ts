import type { Layer, LayerMount } from "../contract/layer.ts";
import type { EntryStat, ReadableWorkspace } from "../contract/workspace.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";
import { createHiddenPaths, NOTHING_HIDDEN, type HiddenPaths } from "./hidden-paths.ts";
import { answering } from "./host-entry.ts";
import { createLayerTree, type LayerTree } from "./layer-tree.ts";
import { createUnionReader, type UnionReader } from "./union-reader.ts";

/** The root with a stack of layers on top, read-only and as one tree. What the layers leave alone is read live. */
export interface UnionView extends ReadableWorkspace {
  /** The root's real path. */
  readonly root: string;
  /** Oldest first. */
  readonly layers: readonly Layer[];
  /** The changed paths of the layers. */
  readonly tree: LayerTree;
  /** What nobody sees here, whichever layer holds it. */
  readonly hidden: HiddenPaths;
  /** The view with one more layer on top. This one stays as it is. */
  withLayer(layer: Layer): UnionView;
  /** The same layers with these paths hidden. */
  hiding(hidden: HiddenPaths): UnionView;
  /**
   * Where the entry itself lies on the host (a symlink is not followed; ancestors are resolved inside the view), or
   * `undefined` where there is nothing.
   * @throws WorkspacePathError when the path leads out or can be none.
   */
  locate(path: string): Promise<LocatedEntry | undefined>;
}

/** An entry of a view, and where it lies. */
export interface LocatedEntry {
  /** Normalised, every ancestor a directory. */
  readonly path: string;
  readonly hostPath: string | Buffer;
  /** `null`: the root. */
  readonly layerId: number | null;
  readonly stat: EntryStat;
}

/** The view of a root with layers on it, oldest first. */
export function openUnionView(options: {
  readonly root: string;
  readonly layers: readonly Layer[];
  /** @default nothing */
  readonly hidden?: HiddenPaths;
}): UnionView {
  return createView({ hidden: NOTHING_HIDDEN, ...options, tree: createLayerTree(options.layers) });
}

/** What a sandbox that was given a mount shows below the new layer. */
export function openMountedView({ root, lowers, hidden }: LayerMount): UnionView {
  return openUnionView({ root, layers: lowers, hidden: createHiddenPaths(hidden?.patterns ?? []) });
}

function createView(stack: Pick<UnionView, "root" | "layers" | "tree" | "hidden">): UnionView {
  const { root, layers, tree, hidden } = stack;
  const reader = createUnionReader(() => ({ root, top: tree.top, hides: (path) => hidden.hides(path) }));
  return {
    ...reader.workspace,
    root,
    layers,
    tree,
    hidden,
    withLayer: (layer) => createView({ ...stack, layers: [...layers, layer], tree: tree.withLayer(layer) }),
    hiding: (paths) => createView({ ...stack, hidden: paths }),
    locate: (path) => locate(reader, path),
  };
}

async function locate(reader: UnionReader, path: string): Promise<LocatedEntry | undefined> {
  const request = { action: "look up", path, follow: false };
  try {
    return await answering(request, async () => {
      const outcome = await reader.walk(request);
      if (outcome.kind === "absent") return undefined;
      const { path: found, hostPath, layer } = outcome.entry;
      return { path: found, hostPath, layerId: layer?.id ?? null, stat: await reader.statEntry(outcome.entry) };
    });
  } catch (error) {
    const isNothing = error instanceof WorkspacePathError && NOTHING.has(error.reason);
    if (isNothing) return undefined;
    throw error;
  }
}

const NOTHING: ReadonlySet<WorkspacePathError["reason"]> = new Set(["not-found", "not-a-directory"]);
