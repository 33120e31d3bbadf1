import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/contract/change.ts";
import type { Engine } from "../../src/contract/engine.ts";
import { selectChanges } from "../../src/cli/select-changes.ts";
import { selectPaths } from "../../src/workspace/selection.ts";
import { change } from "./test-context.ts";

describe("selectChanges()", () => {
  it("anchors each path and takes its glob characters literally", async () => {
    const changes = [change("added", "a*b"), change("modified", "src/[id].ts")];
    expect(await selectChanges(pendingEngine(changes), changes)).toEqual({
      revision: "7",
      paths: ["/a[*]b", String.raw`/src/[[]id[\]].ts`],
    });
  });

  it("names a directory instead of what is in it when all of it is its own", async () => {
    const changes = [change("added", "new", { type: "directory" }), change("added", "new/a"), change("added", "b")];
    expect(await selectChanges(pendingEngine(changes), changes)).toEqual({ revision: "7", paths: ["/new", "/b"] });
  });

  it("takes out what an earlier call left pending below a directory whose mode changed", async () => {
    const own = [change("mode-changed", "dir", { type: "directory" }), change("added", "dir/sub/new")];
    const earlier = [change("added", "dir/sub", { type: "directory" }), change("modified", "dir/old")];
    const pending = [...own, ...earlier];
    const selection = await selectChanges(pendingEngine(pending), own);
    expect(selectPaths(pending, selection, "land").map(({ path }) => path)).toEqual(["dir", "dir/sub/new"]);
  });

  it("selects exactly its own paths, whatever they are called and whatever else is pending", async () => {
    const name = fc
      .string({ unit: fc.constantFrom(...UNUSUAL.split("")), minLength: 1, maxLength: 4 })
      .filter((text) => text !== "." && text !== "..");
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
    const all = fc.uniqueArray(fc.tuple(path, fc.boolean()), {
      selector: ([each]) => each,
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(all, async (entries) => {
        const pending = entries.map(([each]) => change("added", each));
        const own = entries.filter(([, isOwn]) => isOwn).map(([each]) => change("added", each));
        fc.pre(own.length > 0);
        const selection = await selectChanges(pendingEngine(pending), own);
        const selected = selectPaths(pending, selection, "land").map((each) => each.path);
        expect(selected).toEqual(own.map((each) => each.path));
      }),
      { numRuns: 1_000 },
    );
  });
});

const UNUSUAL = "ab*?[]{}()!+@|^$\\,.\" '#~-\n:;<=>%&`";

/** The part of an engine that says what is pending. */
function pendingEngine(pending: readonly Change[]): Engine {
  const engine: Pick<Engine, "workspace"> = {
    workspace: { changes: async () => pending, diff: async () => "", revision: async () => "7" },
  };
  return engine as Engine;
}
