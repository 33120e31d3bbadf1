import { expect, test } from "vitest";

import type { ManifestEntry } from "../../src/contract/layer.ts";
import { findOverlaps } from "../../src/workspace/overlap.ts";

const put = (path: string, type: "file" | "directory" = "file"): ManifestEntry => ({ op: "put", path, type });
const opaque = (path: string): ManifestEntry => ({ op: "put", path, type: "directory", opaque: true });
const remove = (path: string): ManifestEntry => ({ op: "delete", path });

test.each<readonly [string, readonly ManifestEntry[], readonly ManifestEntry[], readonly string[]]>([
  ["the same path", [put("a"), put("b")], [put("b")], ["b"]],
  ["what lies below a deletion", [put("a/b/c")], [remove("a")], ["a/b/c"]],
  ["a deletion of what holds a change", [remove("a")], [put("a/b/c")], ["a"]],
  ["what lies below a path that became a file", [put("a/b")], [put("a")], ["a/b"]],
  ["what lies below a directory that was made anew", [put("a/b")], [opaque("a")], ["a/b"]],
  ["a directory that only got another mode", [put("a/b")], [put("a", "directory")], []],
  ["a name that begins alike", [put("ab")], [remove("a")], []],
  ["neighbours", [put("a/b")], [remove("a/c")], []],
])("findOverlaps() with %s", (_, entries, others, expected) => {
  expect(findOverlaps(entries, others)).toEqual(expected);
});
