import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  comparePaths,
  displayPath,
  isUtf8Path,
  pathFromBytes,
  pathToBytes,
  toHostPath,
} from "../../src/union/path-bytes.ts";

/** Bytes that are often a piece of UTF-8, and often a broken one. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.string({ unit: "grapheme", maxLength: 2 }).map((text) => Buffer.from(text)),
      fc.constantFrom(
        Buffer.of(0xed, 0xa0, 0x80),
        Buffer.of(0xf4, 0x90, 0x80, 0x80),
        Buffer.of(0xc0, 0x80),
        Buffer.of(0xe2, 0x82),
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => Buffer.concat(parts));

describe("pathFromBytes()", () => {
  test("gives a path that pathToBytes() turns into the same bytes for any bytes", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(pathToBytes(pathFromBytes(bytes))).toEqual(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  test("is undone and redone without a difference for any path that it gave", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const path = pathFromBytes(bytes);
        expect(pathFromBytes(pathToBytes(path))).toBe(path);
        expect(isUtf8Path(path)).toBe(!/[\udc80-\udcff]/.test(path.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "")));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    [[0x61, 0xff, 0x62], "a\udcffb"],
    [[0xc3, 0xa9], "é"],
    [[0xc3], "\udcc3"],
    [[0xe2, 0x82, 0x41], "\udce2\udc82A"],
    [[0xed, 0xa0, 0x80], "\udced\udca0\udc80"],
    [[0xf0, 0x9f, 0x98, 0x80, 0x80], "😀\udc80"],
  ])("holds the stray bytes of %j as lone surrogates", (bytes, path) => {
    expect(pathFromBytes(Buffer.from(bytes))).toBe(path);
  });
});

describe("pathToBytes()", () => {
  test("throws when a surrogate stands for no byte", () => {
    expect(() => pathToBytes("a\ud800")).toThrow(
      expect.objectContaining({ name: "WorkspacePathError", reason: "invalid-path", path: "a\ud800" }),
    );
  });
});

describe("toHostPath()", () => {
  test("gives a string where it can and bytes where it must", () => {
    expect(toHostPath("/base", "")).toBe("/base");
    expect(toHostPath("/base", "a/é")).toBe("/base/a/é");
    expect(toHostPath("/base", "a/\udcff")).toEqual(Buffer.concat([Buffer.from("/base/a/"), Buffer.of(0xff)]));
  });

  test("names the very file that readdir() of bytes shows", async () => {
    const base = await mkdtemp(`${tmpdir()}/path-bytes-`);
    try {
      await writeFile(toHostPath(base, "\udcfe\udcff"), "found");
      const [name] = await readdir(base, { encoding: "buffer" });
      expect(await readFile(toHostPath(base, pathFromBytes(name!)), "utf8")).toBe("found");
    } finally {
      await rm(base, { recursive: true });
    }
  });
});

describe("comparePaths()", () => {
  test("orders any two paths as their bytes", () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (left, right) => {
        expect(Math.sign(comparePaths(pathFromBytes(left), pathFromBytes(right)))).toBe(Buffer.compare(left, right));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("displayPath()", () => {
  test.each([
    ["src/é 😀.ts", "src/é 😀.ts"],
    ["a\nb\r\t\u001b[31m\u007f", "a\\nb\\r\\t\\x1b[31m\\x7f"],
    ["exe\u202ecod.txt", "exe\\u{202e}cod.txt"],
    ["a\u200bb\ufeff\u2060\u00ad", "a\\u{200b}b\\u{feff}\\u{2060}\\u{ad}"],
    ["a\u00a0b\u2028\u3164\u0085", "a\\u{a0}b\\u{2028}\\u{3164}\\u{85}"],
    ["\u{e0061}", "\\u{e0061}"],
    ["a\udcff", "a\\xff"],
    ['a\\xff"', 'a\\\\xff\\"'],
  ])("writes out what hides or forges in %j", (path, shown) => {
    expect(displayPath(path)).toBe(shown);
  });

  test("cuts nothing off a long path", () => {
    expect(displayPath("a/".repeat(5000))).toHaveLength(10_000);
  });
});
