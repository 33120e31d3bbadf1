import { describe, expect, test } from "vitest";

import type { Layer, ManifestEntry } from "../../src/contract/layer.ts";
import { createLayerTree, emptyLayerTree, type LayerTree } from "../../src/union/layer-tree.ts";

function layer(id: number, ...entries: readonly ManifestEntry[]): Layer {
  return { id, upper: `/layers/${id}`, entries };
}

function put(path: string, type: "file" | "directory" | "symlink" = "file", opaque = false): ManifestEntry {
  return { op: "put", path, type, ...(opaque ? { opaque } : {}) };
}

function gone(path: string): ManifestEntry {
  return { op: "delete", path };
}

function states(tree: LayerTree, ...paths: readonly string[]): readonly string[] {
  return paths.map((path) => {
    const found = tree.lookup(path);
    return found.state === "present" ? `${found.type} of ${found.layer.id}` : found.state;
  });
}

describe("LayerTree", () => {
  test("lookup() finds the topmost layer that says something", () => {
    const tree = createLayerTree([
      layer(1, put("a/b"), put("x")),
      layer(2, put("a/b"), gone("x")),
      layer(3, put("x", "symlink")),
    ]);
    expect(states(tree, "a", "a/b", "x", "y", "a/c")).toEqual([
      "untouched",
      "file of 2",
      "symlink of 3",
      "untouched",
      "untouched",
    ]);
  });

  test("lookup() says hidden below what was deleted, replaced or made opaque", () => {
    const tree = createLayerTree([layer(1, gone("d"), put("f"), put("o", "directory", true), put("o/new"))]);
    expect(states(tree, "d", "d/x", "f/x", "o", "o/x", "o/new", "o/new/x")).toEqual([
      "deleted",
      "hidden",
      "hidden",
      "directory of 1",
      "hidden",
      "file of 1",
      "hidden",
    ]);
  });

  test("withLayer() hides what was deleted further down when a directory comes back", () => {
    const tree = createLayerTree([
      layer(1, put("d/x"), put("d/y")),
      layer(2, gone("d")),
      layer(3, put("d", "directory"), put("d/y")),
    ]);
    expect(states(tree, "d", "d/x", "d/y", "d/z")).toEqual(["directory of 3", "hidden", "file of 3", "hidden"]);
  });

  test("withLayer() keeps what is in a directory whose mode alone is new", () => {
    const tree = createLayerTree([layer(1, put("d/x")), layer(2, put("d", "directory"))]);
    expect(states(tree, "d", "d/x", "d/y")).toEqual(["directory of 2", "file of 1", "untouched"]);
  });

  test("withLayer() goes on hiding when a later layer changes the mode of a directory that hides", () => {
    const tree = createLayerTree([
      layer(1, put("o", "directory", true), gone("d")),
      layer(2, put("d", "directory")),
      layer(3, put("o", "directory"), put("d", "directory")),
    ]);
    expect(states(tree, "o", "o/x", "d", "d/x")).toEqual(["directory of 3", "hidden", "directory of 3", "hidden"]);
  });

  test("withLayer() takes entries in any order", () => {
    const tree = createLayerTree([layer(1, put("o/new"), put("o", "directory", true))]);
    expect(states(tree, "o", "o/new", "o/x")).toEqual(["directory of 1", "file of 1", "hidden"]);
  });

  test("withLayer() takes a directory for granted that a layer has something in", () => {
    const tree = createLayerTree([layer(1, gone("d"), put("f")), layer(2, put("d/x"), put("f/x"))]);
    expect(states(tree, "d", "d/x", "d/y", "f", "f/x")).toEqual([
      "directory of 2",
      "file of 2",
      "hidden",
      "directory of 2",
      "file of 2",
    ]);
  });

  test("withLayer() leaves the tree it is called on as it is", () => {
    const before = createLayerTree([layer(1, put("a/b/c"), put("a/d"))]);
    const after = before.withLayer(layer(2, gone("a/b"), put("a/b2"), gone("a/d")));
    expect(states(before, "a/b", "a/b/c", "a/b2", "a/d")).toEqual(["untouched", "file of 1", "untouched", "file of 1"]);
    expect(states(after, "a/b", "a/b/c", "a/b2", "a/d")).toEqual(["deleted", "hidden", "file of 2", "deleted"]);
  });

  test("withLayer() shares what the layer leaves alone", () => {
    const before = createLayerTree([layer(1, put("a/x"), put("b/x"))]);
    const after = before.withLayer(layer(2, put("b/y")));
    expect(after.top.children.get("a")).toBe(before.top.children.get("a"));
    expect(after.top.children.get("b")).not.toBe(before.top.children.get("b"));
  });

  test("changedChildren() names what changed in a directory", () => {
    const tree = createLayerTree([layer(1, put("d/x"), gone("d/y"), put("d/e/z"))]);
    expect([...tree.changedChildren("d").keys()].sort()).toEqual(["e", "x", "y"]);
    expect([...tree.changedChildren("nowhere").keys()]).toEqual([]);
  });

  test("holds names that JavaScript objects treat specially", () => {
    const tree = createLayerTree([layer(1, put("__proto__/constructor"))]);
    expect(states(tree, "__proto__/constructor", "constructor")).toEqual(["file of 1", "untouched"]);
  });
});

describe("LayerTreeEditor", () => {
  test("restore() brings back what another tree has at a path and below it", () => {
    const base = createLayerTree([layer(1, put("d/x"), put("d/e/y"))]);
    const editor = base.edit();
    const draft = layer(2);
    editor.apply(gone("d"), draft);
    editor.restore("d", base);
    editor.apply(gone("d/x"), draft);
    expect(states(editor.tree(), "d", "d/x", "d/e/y")).toEqual(["untouched", "deleted", "file of 1"]);
    expect(states(base, "d/x")).toEqual(["file of 1"]);
  });

  test("tree() gives a tree that later changes leave alone", () => {
    const editor = emptyLayerTree().edit();
    editor.apply(put("a"), layer(1));
    const snapshot = editor.tree();
    editor.apply(gone("a"), layer(2));
    expect([states(snapshot, "a"), states(editor.tree(), "a")]).toEqual([["file of 1"], ["deleted"]]);
  });
});
