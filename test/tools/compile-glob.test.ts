import { array, assert, constantFrom, property } from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { compileGlob, type GlobOptions } from "../../src/tools/compile-glob.ts";

function matches(glob: string, path: string, options?: GlobOptions): boolean | string {
  const compiled = compileGlob(glob, options);
  return compiled.ok ? compiled.matches(path) : compiled.problem;
}

describe("compileGlob()", () => {
  it.each<[string, string, boolean]>([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/a.ts", false],
    ["*.ts", ".ts", true],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "a/b/c.ts", true],
    ["**", "a/.b/c", true],
    ["a/**/b", "a/b", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["[!a]x", "bx", true],
    ["[!a]x", "ax", false],
    ["[[:digit:]]", "5", true],
    ["{a,b/c}.js", "b/c.js", true],
    ["a\\*b", "a*b", true],
    ["a\\*b", "axb", false],
    ["a*", "a\nb", true],
    ["*", "é😀", true],
    ["app/(group)/*.tsx", "app/(group)/page.tsx", true],
    ["\\(x)", "(x)", true],
    ["[z-a]", "z", false],
    ["!*.ts", "a.ts", false],
    ["!*.ts", "a.js", true],
  ])("compileGlob(%j) on %j is %j", (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });

  it("matches the name alone when asked to and the glob has no slash", () => {
    expect(matches("*.ts", "a/b.ts", { matchName: true })).toBe(true);
    expect(matches("a/*.ts", "x/a/b.ts", { matchName: true })).toBe(false);
    expect(matches("!*.ts", "a/b.ts", { matchName: true })).toBe(false);
  });

  it.each(["!(a)", "+(a|b)", "a@(b)"])("refuses the extended glob %s", (glob) => {
    expect(matches(glob, "a")).toBe(
      `Cannot use the glob "${glob}": extended globs such as "!(…)" are not supported; use "*", "**", "?", "[…]" and "{a,b}"`,
    );
  });

  it("refuses what cannot be understood", () => {
    expect(matches("!", "a")).toBe(
      'Cannot use the glob "!": it cannot be understood; use "*", "**", "?", "[…]" and "{a,b}"',
    );
  });

  it("wants something below for a star behind two stars", () => {
    expect(matches("a/**/*", "a")).toBe(false);
    expect(matches("a/**/*", "a/b")).toBe(true);
    expect(matches("a/**", "a")).toBe(true);
  });

  it("matches what picomatch itself matches", () => {
    const part = constantFrom("a", "b", "ab", "*", "**", "?", "a*", "*b", "{a,b}", "[ab]", ".a", ".*");
    const name = constantFrom("a", "b", "ab", "abc", ".a", ".b", "c");
    assert(
      property(
        array(part, { minLength: 1, maxLength: 4 }),
        array(name, { minLength: 1, maxLength: 4 }),
        (glob, path) => {
          const options = { dot: true, nonegate: true, noextglob: true, posix: true, windows: false };
          const [globText, pathText] = [glob.join("/"), path.join("/")];
          expect({ globText, pathText, matches: matches(globText, pathText) }).toEqual({
            globText,
            pathText,
            matches: picomatch(globText, options)(pathText),
          });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("takes linear time for a glob that a backtracking engine never ends with", () => {
    const started = performance.now();
    expect(matches(`${"*a".repeat(100)}*b`, "a".repeat(4_000))).toBe(false);
    expect(matches(`${"**/a/".repeat(50)}b`, "a/".repeat(2_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
