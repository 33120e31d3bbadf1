import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { compileLinearRegExp } from "../../src/schema/linear-reg-exp.ts";

describe("compileLinearRegExp()", () => {
  it("matches what the built-in engine matches", () => {
    const part = constantFrom(
      "a",
      ".",
      "\\s",
      "\\S",
      "\\d",
      "\\w",
      "[\\s.]",
      "[^\\s]",
      "[a-z]",
      "\\.",
      "\\[",
      "\\u00a0",
      "\\/",
      "(?:a|.)",
      "\\p{L}",
      "[^]",
      "(?=a)",
      "[\\S]",
    );
    const pattern = array(part, { minLength: 1, maxLength: 4 }).map((parts) => `^${parts.join("")}$`);
    const character = constantFrom(
      "a",
      "b",
      "5",
      ".",
      "[",
      " ",
      "\n",
      "\r",
      "\v",
      "\u00a0",
      "\u2028",
      "\ufeff",
      "é",
      "😀",
    );
    assert(
      property(pattern, array(character, { maxLength: 4 }), string(), (source, characters, other) => {
        for (const text of [characters.join(""), other]) {
          const matches = compileLinearRegExp(source).test(text);
          expect({ source, text, matches }).toEqual({ source, text, matches: new RegExp(source, "u").test(text) });
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("takes linear time where the built-in engine would never end", () => {
    const started = performance.now();
    expect(compileLinearRegExp("^(?:\\S+\\s?)+$").test(`${"a".repeat(100_000)}\n\n`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("throws for what is no regular expression of ECMAScript", () => {
    expect(() => compileLinearRegExp("(?i)a")).toThrow(SyntaxError);
  });
});
