import { expect, test } from "vitest";

import type { ManifestEntry } from "../../src/contract/layer.ts";
import { findOverlaps } from "../../src/workspace/overlap.ts";

const put = (path: string, type: "file" | "directory" = "file"): ManifestEntry => ({ op: "put", path, type });
const opaque = (path: string): ManifestEntry => ({ op: "put", path, type: "directory", opaque: true });
const remove = (path: string): ManifestEntry => ({ op: "delete", path });

interface Case {
  readonly name: string;
  readonly entries: readonly ManifestEntry[];
  readonly others: readonly ManifestEntry[];
  readonly expected: readonly string[];
}

test.each<Case>([
  { name: "the same path", entries: [put("a"), put("b")], others: [put("b")], expected: ["b"] },
  { name: "what lies below a deletion", entries: [put("a/b/c")], others: [remove("a")], expected: ["a/b/c"] },
  { name: "a deletion of what holds a change", entries: [remove("a")], others: [put("a/b/c")], expected: ["a"] },
  { name: "what lies below a path that became a file", entries: [put("a/b")], others: [put("a")], expected: ["a/b"] },
  {
    name: "what lies below a directory that was made anew",
    entries: [put("a/b")],
    others: [opaque("a")],
    expected: ["a/b"],
  },
  {
    name: "a directory that only got another mode",
    entries: [put("a/b")],
    others: [put("a", "directory")],
    expected: [],
  },
  { name: "a name that begins alike", entries: [put("ab")], others: [remove("a")], expected: [] },
  { name: "neighbours", entries: [put("a/b")], others: [remove("a/c")], expected: [] },
])("findOverlaps() with $name", ({ entries, others, expected }) => {
  expect(findOverlaps(entries, others)).toEqual(expected);
});
