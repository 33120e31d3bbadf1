import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { isNormalPath, MAX_PATH_BYTES, normalizePath, splitPath } from "../../src/union/normalize-path.ts";
import { pathToBytes } from "../../src/union/path-bytes.ts";

describe("normalizePath()", () => {
  test.each([
    ["", ""],
    [".", ""],
    ["./", ""],
    ["/workspace", ""],
    ["/workspace/", ""],
    ["//workspace//a/./b/", "a/b"],
    ["a/b", "a/b"],
    ["./a//b/", "a/b"],
    ["a/../b", "b"],
    ["a/b/../../c", "c"],
    ["/workspace/a/..", ""],
    ["...", "..."],
    ["a\\b", "a\\b"],
    ["workspace/a", "workspace/a"],
    // Stray bytes that spell UTF-8 together are the plain spelling: one file has one path.
    ["\udcc3\udca9", "é"],
  ])("turns %j into %j", (path, normal) => {
    expect(normalizePath(path)).toBe(normal);
  });

  test.each([
    "..",
    "../a",
    "a/../..",
    "/",
    "/etc/passwd",
    "/workspacex",
    "/workspace/..",
    "/workspace/../workspace/a",
    "/../workspace",
  ])("throws for %j, which leads out", (path) => {
    expect(() => normalizePath(path)).toThrow(
      expect.objectContaining({
        reason: "outside-root",
        path,
        message: `Cannot use "${path}": it leads out of the workspace; name a path inside it, relative to its root`,
      }),
    );
  });

  test.each(["a\0b", "a".repeat(256), "é".repeat(128), `${"a/".repeat(MAX_PATH_BYTES / 2)}b`, "a\ud800"])(
    "throws for %j, which no file can have",
    (path) => {
      expect(() => normalizePath(path)).toThrow(expect.objectContaining({ reason: "invalid-path", path }));
    },
  );

  test("takes the longest names and paths there are", () => {
    expect(normalizePath("a".repeat(255))).toHaveLength(255);
    expect(normalizePath("é".repeat(127))).toHaveLength(127);
    expect(normalizePath("a/".repeat(MAX_PATH_BYTES / 2 - 1) + "ab")).toHaveLength(MAX_PATH_BYTES);
  });

  test("gives a path that stays as it is and inside for any path that it takes", () => {
    const part = fc.oneof(fc.constantFrom("..", ".", "", "a", "workspace", "\udcff"), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const path = parts.join("/");
        if (!isTaken(path)) return;
        const normal = normalizePath(path);
        expect(normalizePath(normal)).toBe(normal);
        expect(normal === "" || isNormalPath(normal)).toBe(true);
        expect(`/${normal}/`).not.toMatch(/\/\.{0,2}\/(?!$)/);
        expect(pathToBytes(normal)).not.toContain(0);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("splitPath()", () => {
  test("keeps .. for whoever walks the path", () => {
    expect(splitPath("/workspace/a/../b/./c")).toEqual(["a", "..", "b", "c"]);
  });
});

describe("isNormalPath()", () => {
  test.each(["", ".", "a/", "/workspace/a", "a/../b", "../a", "a\0", "\udcc3\udca9"])("is false for %j", (path) => {
    expect(isNormalPath(path)).toBe(false);
  });
});

function isTaken(path: string): boolean {
  try {
    normalizePath(path);
    return true;
  } catch {
    return false;
  }
}
