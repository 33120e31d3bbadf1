import type { Layer, ManifestEntry } from "../contract/layer.ts";
import { findNode, type LayerTree, type LayerTreeNode } from "./layer-tree.ts";
import { childPath } from "./normalize-path.ts";
import { comparePaths } from "./path-bytes.ts";

/**
 * What a draft has changed: its manifest, and the tree that its readers walk. Nothing here touches the disk.
 *
 * The manifest says the difference to what lies below and nothing else, so that two ways to the same result give the
 * same manifest: a directory that was removed and made again is the names in it that are gone.
 */
export interface DraftChanges {
  /** What readers of the draft walk. */
  readonly top: LayerTreeNode;
  /** The draft holds something at a path now. */
  put(entry: Extract<ManifestEntry, { op: "put" }>): void;
  delete(path: string): void;
  /** A path, and all below it, is again what lies below the draft. */
  keepBelow(path: string): void;
  /** A directory that the draft holds has the mode that it has below; what is in it stays changed. */
  keepDirectory(path: string): void;
  /** The manifest, ordered by the bytes of the paths. */
  entries(): readonly ManifestEntry[];
}

/** The changes of a draft on top of `below`, starting from what it holds already. */
export function createDraftChanges(options: { readonly below: LayerTree; readonly layer: Layer }): DraftChanges {
  const { below, layer } = options;
  const editor = below.withLayer(layer).edit();
  const entries = new Map(layer.entries.map((entry) => [entry.path, entry]));
  const forget = (path: string): void => {
    for (const changed of changedBelow(editor.top, path)) entries.delete(changed);
  };
  const apply = (entry: ManifestEntry): void => {
    const keepsChildren = entry.op === "put" && entry.type === "directory" && entry.opaque !== true;
    if (!keepsChildren) forget(entry.path);
    entries.set(entry.path, entry);
    editor.apply(entry, layer);
  };
  return {
    get top() {
      return editor.top;
    },
    put: apply,
    delete: (path) => apply({ op: "delete", path }),
    keepBelow(path) {
      forget(path);
      editor.restore(path, below);
    },
    // Readers may go on reading the draft's directory: it is on disk with the same mode.
    keepDirectory: (path) => void entries.delete(path),
    entries: () => [...entries.values()].sort((left, right) => comparePaths(left.path, right.path)),
  };
}

/** The path and every changed path below it. */
function* changedBelow(top: LayerTreeNode, path: string): Generator<string> {
  yield path;
  const start = findNode(top, path);
  const pending: { readonly path: string; readonly node: LayerTreeNode }[] = [];
  if (start !== undefined) pending.push({ path, node: start });
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next.path;
    for (const [name, node] of next.node.children) pending.push({ path: childPath(next.path, name), node });
  }
}
