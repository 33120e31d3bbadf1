import { expect, test } from "vitest";

import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { selectPaths } from "../../src/workspace/selection.ts";

const ITEMS = [
  "README.md",
  "docs",
  "docs/guide.md",
  "docs/img/a.png",
  "src/.hidden",
  "src/docs/x.ts",
  "src/main.ts",
  "src/main.test.ts",
  "a[1].txt",
  "new\nline.txt",
].map((path) => ({ path }));

test.each<readonly [readonly string[], readonly string[]]>([
  [["/docs"], ["docs", "docs/guide.md", "docs/img/a.png"]],
  [["docs/"], ["docs", "docs/guide.md", "docs/img/a.png", "src/docs/x.ts"]],
  [["*.md"], ["README.md", "docs/guide.md"]],
  [["/*.md"], ["README.md"]],
  [["docs/**"], ["docs", "docs/guide.md", "docs/img/a.png"]],
  [["src/*.ts", "!*.test.ts"], ["src/main.ts"]],
  [["./src/main.ts"], ["src/main.ts"]],
  [["src/**/x.ts"], ["src/docs/x.ts"]],
  [["src/*"], ["src/.hidden", "src/docs/x.ts", "src/main.ts", "src/main.test.ts"]],
  [["a[1].txt"], ["a[1].txt"]],
  [["new*"], ["new\nline.txt"]],
  [["."], ITEMS.map(({ path }) => path)],
])("selectPaths() with %j selects %j", (paths, expected) => {
  expect(selectPaths(ITEMS, { paths }, "land").map(({ path }) => path)).toEqual(expected);
});

test.each([[""], ["!"], ["docs", ""]])(
  "selectPaths() refuses the empty path in %j, whatever is pending",
  (...paths) => {
    const refusal = new ConfigurationError('Cannot discard "": a path is empty; leave it out to select everything');
    expect(() => selectPaths(ITEMS, { paths }, "discard")).toThrow(refusal);
    expect(() => selectPaths([], { paths }, "discard")).toThrow(refusal);
  },
);

test("selectPaths() selects everything without patterns", () => {
  expect(selectPaths(ITEMS, {}, "land")).toBe(ITEMS);
  expect(selectPaths(ITEMS, undefined, "land")).toBe(ITEMS);
});

test("selectPaths() rejects what selects nothing and names the nearest paths", () => {
  expect(() => selectPaths(ITEMS, { paths: ["src/mian.ts"] }, "land")).toThrow(
    new ConfigurationError(
      'Cannot select "src/mian.ts": no pending change matches; the nearest are "src/main.ts", "src/docs/x.ts", "src/.hidden"',
    ),
  );
});

test("selectPaths() selects nothing when there is nothing", () => {
  expect(selectPaths([], { paths: ["x"] }, "land")).toEqual([]);
});
