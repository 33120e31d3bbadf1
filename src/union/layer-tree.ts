import type { EntryType } from "../contract/change.ts";
import type { Layer, ManifestEntry } from "../contract/layer.ts";
import { comparePaths } from "./path-bytes.ts";

/*
 * The paths that a stack of layers changes, as one tree of names. A lookup in the union walks it beside the root, so that
 * it costs one step in a map per part of the path, however many layers there are; and a path that no layer touches is
 * found in the root at once.
 *
 * A tree never changes for who holds it. A new layer gives a new tree that shares every branch which the layer leaves
 * alone, so that a snapshot is a reference. An editor copies a node the first time it changes it and then owns the
 * copy; `LayerTreeEditor.tree` gives the copies up.
 */

/** What the layers together say about one path. */
export type NodeChange =
  /** Nothing; something below it was changed. */
  | { readonly kind: "untouched" }
  /** The layer holds it. `hidesBelow`: nothing that lies further down shows through this directory. */
  | { readonly kind: "put"; readonly layer: Layer; readonly type: EntryType; readonly hidesBelow: boolean }
  | { readonly kind: "deleted" };

/** One name of the tree. */
export interface LayerTreeNode {
  readonly change: NodeChange;
  /** The topmost layer whose upper directory has a directory here, because the layer changed something in it. */
  readonly scaffold: Layer | undefined;
  readonly children: ReadonlyMap<string, LayerTreeNode>;
}

/** What a tree says about a path. */
export type PathState =
  | { readonly state: "present"; readonly layer: Layer; readonly type: EntryType }
  | { readonly state: "deleted" }
  /** An ancestor was deleted, is not a directory any more, or hides what lies below it. */
  | { readonly state: "hidden" }
  | { readonly state: "untouched" };

/** The changed paths of a stack of layers. */
export interface LayerTree {
  readonly top: LayerTreeNode;
  /** The tree with one more layer on top. This one stays as it is. */
  withLayer(layer: Layer): LayerTree;
  /** What the layers say about a normalised path. */
  lookup(path: string): PathState;
  /** The changed names in a directory, by name. */
  changedChildren(path: string): ReadonlyMap<string, LayerTreeNode>;
  /** Changes a copy of this tree entry by entry. */
  edit(): LayerTreeEditor;
}

/** A tree that changes; its readers see every change at once. */
export interface LayerTreeEditor {
  readonly top: LayerTreeNode;
  /** Puts one entry of `layer` on top. */
  apply(entry: ManifestEntry, layer: Layer): void;
  /** Makes a path, and all below it, what it is in another tree. */
  restore(path: string, source: LayerTree): void;
  /** What has been made so far; later changes leave it as it is. */
  tree(): LayerTree;
}

/** The tree of no layer at all. */
export function emptyLayerTree(): LayerTree {
  return createTree(newNode({}));
}

/** The tree of a stack of layers, oldest first. */
export function createLayerTree(layers: readonly Layer[]): LayerTree {
  const editor = emptyLayerTree().edit();
  for (const layer of layers) applyLayer(editor, layer);
  return editor.tree();
}

/** The node of a path, if any layer touches it or something below it. */
export function findNode(top: LayerTreeNode, path: string): LayerTreeNode | undefined {
  let node: LayerTreeNode | undefined = top;
  for (const name of partsOf(path)) node = node?.children.get(name);
  return node;
}

interface EditableNode extends LayerTreeNode {
  change: NodeChange;
  scaffold: Layer | undefined;
  readonly children: Map<string, EditableNode>;
  /** The edit that may change this node; every other one copies it. */
  readonly owner: object;
}

const UNTOUCHED: NodeChange = { kind: "untouched" };
const DELETED: NodeChange = { kind: "deleted" };

function newNode(owner: object): EditableNode {
  return { change: UNTOUCHED, scaffold: undefined, children: new Map(), owner };
}

function partsOf(path: string): string[] {
  return path === "" ? [] : path.split("/");
}

function createTree(top: EditableNode): LayerTree {
  return {
    top,
    withLayer(layer) {
      const editor = createEditor(top);
      applyLayer(editor, layer);
      return editor.tree();
    },
    lookup: (path) => lookUpNode(top, path),
    changedChildren: (path) => findNode(top, path)?.children ?? new Map<string, LayerTreeNode>(),
    edit: () => createEditor(top),
  };
}

/** What a tree says about a normalised path. */
export function lookUpNode(top: LayerTreeNode, path: string): PathState {
  let node: LayerTreeNode | undefined = top;
  let hidden = false;
  for (const name of partsOf(path)) {
    const above: NodeChange = node?.change ?? UNTOUCHED;
    if (above.kind === "deleted" || (above.kind === "put" && above.type !== "directory")) return { state: "hidden" };
    hidden ||= above.kind === "put" && above.hidesBelow;
    node = node?.children.get(name);
  }
  const change = node?.change ?? UNTOUCHED;
  if (change.kind === "put") return { state: "present", layer: change.layer, type: change.type };
  if (hidden) return { state: "hidden" };
  return { state: change.kind };
}

function applyLayer(editor: LayerTreeEditor, layer: Layer): void {
  // An ancestor first, whatever the order in the manifest: what it hides are the layers below, not its own children.
  // A manifest is in this order already, which makes sorting it a single pass.
  const ordered = layer.entries.toSorted((left, right) => comparePaths(left.path, right.path));
  for (const entry of ordered) editor.apply(entry, layer);
}

function createEditor(start: EditableNode): LayerTreeEditor {
  let owner = {};
  let top = own(start, owner);
  return {
    get top() {
      return top;
    },
    apply(entry, layer) {
      const parts = partsOf(entry.path);
      const name = parts.pop();
      // The root itself is never put nor deleted.
      if (name === undefined) return;
      const parent = descend({ top, parts, owner, layer });
      parent.children.set(name, changed(parent.children.get(name), { entry, layer, owner }));
    },
    restore(path, source) {
      const parts = partsOf(path);
      const name = parts.pop();
      if (name === undefined) return;
      const parent = descend({ top, parts, owner, layer: undefined });
      const original = findNode(source.top, path);
      // Every node is made by this file, so a node of another tree is an editable one that somebody else owns.
      if (original === undefined) parent.children.delete(name);
      else parent.children.set(name, original as EditableNode);
    },
    tree() {
      const finished = createTree(top);
      owner = {};
      top = own(top, owner);
      return finished;
    },
  };
}

function own(node: EditableNode, owner: object): EditableNode {
  return node.owner === owner ? node : { ...node, children: new Map(node.children), owner };
}

/** The node of a directory, its ancestors and itself owned and marked as scaffolding of `layer`. */
function descend(way: { top: EditableNode; parts: string[]; owner: object; layer: Layer | undefined }): EditableNode {
  let node = way.top;
  for (const name of way.parts) {
    const below = node.children.get(name);
    const child = below === undefined ? newNode(way.owner) : own(below, way.owner);
    if (way.layer !== undefined) {
      child.scaffold = way.layer;
      child.change = asDirectory(child.change, way.layer);
    }
    node.children.set(name, child);
    node = child;
  }
  return node;
}

/** A layer that has something in a directory has the directory, even when its manifest leaves that out. */
function asDirectory(change: NodeChange, layer: Layer): NodeChange {
  if (change.kind === "untouched" || (change.kind === "put" && change.type === "directory")) return change;
  return { kind: "put", layer, type: "directory", hidesBelow: true };
}

function changed(
  before: EditableNode | undefined,
  edit: { entry: ManifestEntry; layer: Layer; owner: object },
): EditableNode {
  const { entry, layer, owner } = edit;
  if (entry.op === "delete") return { ...newNode(owner), change: DELETED };
  if (entry.type !== "directory") {
    return { ...newNode(owner), change: { kind: "put", layer, type: entry.type, hidesBelow: true } };
  }
  const wasNoDirectory =
    before?.change.kind === "deleted" || (before?.change.kind === "put" && before.change.type !== "directory");
  if (entry.opaque === true || wasNoDirectory) {
    return { ...newNode(owner), scaffold: layer, change: { kind: "put", layer, type: "directory", hidesBelow: true } };
  }
  const node = before === undefined ? newNode(owner) : own(before, owner);
  const hidesBelow = node.change.kind === "put" && node.change.hidesBelow;
  node.change = { kind: "put", layer, type: "directory", hidesBelow };
  node.scaffold = layer;
  return node;
}
