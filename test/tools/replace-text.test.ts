import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { findText } from "../../src/tools/find-text.ts";
import { replaceText } from "../../src/tools/replace-text.ts";

const options = { replaceAll: true, maxLength: 1_000_000_000 };

describe("replaceText()", () => {
  it("replaces as split and join do when no line ends are involved", () => {
    const text = array(constantFrom("a", "b", "\u00e9", "😀"), { maxLength: 40 }).map((parts) => parts.join(""));
    const wanted = array(constantFrom("a", "b", "😀"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
    assert(
      property(text, wanted, text, (content, oldText, newText) => {
        const result = replaceText(content, { oldText, newText }, options);
        const expected = content.split(oldText).join(newText);
        expect(result.kind === "replaced" ? result.text : content).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it("ends soon for texts that make a naive search take hours", () => {
    const started = performance.now();
    const text = "a".repeat(8_388_608);
    const oldText = `${"a".repeat(50_000)}b${"a".repeat(50_000)}`;
    expect(replaceText(text, { oldText, newText: "x" }, options)).toEqual({ kind: "none", near: undefined });
    const lines = "a\n".repeat(1_000_000);
    const manyLines = `${"a\n".repeat(30_000)}b`;
    expect(replaceText(lines, { oldText: manyLines, newText: "x" }, options)).toEqual({
      kind: "none",
      near: { kind: "first-line", line: 1 },
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe("findText()", () => {
  it("finds places without overlaps, from left to right", () => {
    expect(findText("aaaaa", "aa")).toEqual([0, 2]);
    expect(findText("abababa", "aba")).toEqual([0, 4]);
    expect(findText("abc", "")).toEqual([]);
    expect(findText("", "a")).toEqual([]);
  });
});
