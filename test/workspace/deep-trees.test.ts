import { mkdirSync, writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";

import { expect, test } from "vitest";

import { findOverlaps } from "../../src/workspace/overlap.ts";
import { makeFixture } from "./support/workspace-fixture.ts";

/** The depth of a tree is a guest's choice, and must not be multiplied by the number of its files. */

test("rescan() refuses a path of more than 256 parts", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  const deepest = Array.from({ length: 255 }, () => "d").join("/");
  mkdirSync(`${draft.directories.upper}/${deepest}/d/d`, { recursive: true });
  writeFileSync(`${draft.directories.upper}/${deepest}/file`, "kept\n");
  writeFileSync(`${draft.directories.upper}/${deepest}/d/d/file`, "too deep\n");

  expect(await draft.rescan()).toEqual([
    {
      path: `${deepest}/d/d`,
      reason: "its path has more than 256 parts, so it was left out with all below it; shorten the path",
    },
  ]);
  await draft.keep();
  expect((await workspace.changes()).at(-1)?.path).toBe(`${deepest}/file`);
});

test("findOverlaps() looks at each directory once, however many files lie in it", () => {
  const directory = Array.from({ length: 1_500 }, () => "d").join("/");
  const entries = Array.from({ length: 5_000 }, (_, index) => {
    return { op: "put", path: `${directory}/${index}`, type: "file" } as const;
  });
  const start = performance.now();
  expect(findOverlaps(entries, [{ op: "delete", path: "other" }])).toEqual([]);
  expect(findOverlaps([{ op: "delete", path: "d/d" }], entries)).toEqual(["d/d"]);
  expect(findOverlaps(entries, [{ op: "delete", path: "d/d" }])).toHaveLength(5_000);
  expect(performance.now() - start).toBeLessThan(10_000);
});
