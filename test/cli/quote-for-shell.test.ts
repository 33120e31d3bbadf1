import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteForShell } from "../../src/cli/quote-for-shell.ts";

describe("quoteForShell()", () => {
  it.each([
    ["npm", "npm"],
    ["--reporter=dot", "--reporter=dot"],
    ["src/a.ts:3", "src/a.ts:3"],
    ["", "''"],
    ["two words", "'two words'"],
    ["it's", String.raw`'it'\''s'`],
    ["$HOME", "'$HOME'"],
    ["A=1", "'A=1'"],
    ["~", "'~'"],
    ["#x", "'#x'"],
  ])("turns %j into %j", (word, quoted) => {
    expect(quoteForShell(word)).toBe(quoted);
  });

  it("gives a real shell exactly the words back, whatever they are", () => {
    const words = fc.array(fc.string({ unit: "binary" }).filter((word) => !word.includes("\0") && word.isWellFormed()));
    fc.assert(
      fc.property(words, (argv) => {
        const script = `printf '%s\\0' ${argv.map((word) => quoteForShell(word)).join(" ")}`;
        const printed = execFileSync("sh", ["-c", script], { encoding: "utf8" });
        expect(printed).toBe(argv.length === 0 ? "\0" : argv.map((word) => `${word}\0`).join(""));
      }),
      { numRuns: 50 },
    );
  });
});
