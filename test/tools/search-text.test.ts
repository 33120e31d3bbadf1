import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern } from "../../src/tools/compile-pattern.ts";
import { findMatchingLines } from "../../src/tools/search-text.ts";

async function search(
  text: string,
  pattern: string,
  maxMatches = Number.POSITIVE_INFINITY,
): Promise<readonly number[]> {
  const compiled = compilePattern(pattern, { ignoreCase: false });
  if (!compiled.ok) throw new Error(compiled.problem);
  return await findMatchingLines(text, { pattern: compiled, maxMatches, signal: new AbortController().signal });
}

describe("findMatchingLines()", () => {
  it("gives the indexes of matching lines across blocks", async () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => (index % 15_000 === 1 ? "needle" : `hay ${index}`));
    expect(await search(lines.join("\n"), "^needle$")).toEqual([1, 15_001, 30_001]);
    expect(await search(`${lines.join("\n")}\n`, "needle", 2)).toEqual([1, 15_001]);
  });

  it("takes the last line as one only when something is in it", async () => {
    expect(await search("a\n\nb\n", "^.?$")).toEqual([0, 1, 2]);
    expect(await search("a\n\nb", "^$")).toEqual([1]);
    expect(await search("", "^$")).toEqual([]);
  });

  it("searches the start of a line that is too long", async () => {
    const long = `x${"y".repeat(200_000)}z`;
    expect(await search(`a\n${long}\nxz`, "x")).toEqual([1, 2]);
    expect(await search(`a\n${long}\nxz`, "z")).toEqual([2]);
  });

  it("finds what the built-in engine finds line by line", async () => {
    const text = array(constantFrom("a", "b", " ", "\n", "é"), { maxLength: 60 }).map((parts) => parts.join(""));
    const pattern = constantFrom("a", "^a", "b$", "^$", "a.b", "\\bb", "\\s", "[^a]", "(a|b)+ ", "^\\S*$", "\\Bb");
    const runs: { readonly text: string; readonly pattern: string }[] = [];
    assert(
      property(text, pattern, (each, by) => void runs.push({ text: each, pattern: by })),
      { numRuns: 500 },
    );
    for (const run of runs) {
      const lines = run.text.split("\n");
      if (lines.at(-1) === "") lines.pop();
      const expected = lines.flatMap((line, index) => (new RegExp(run.pattern).test(line) ? [index] : []));
      expect({ ...run, found: await search(run.text, run.pattern) }).toEqual({ ...run, found: expected });
    }
  });

  it("leaves the engine free between blocks, and stops when aborted meanwhile", async () => {
    const controller = new AbortController();
    const slow = {
      ok: true,
      matchesLine: () => false,
      mayMatchIn: () => {
        const until = performance.now() + 10;
        while (performance.now() < until);
        return false;
      },
    } as const;
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
      if (ticks === 2) controller.abort(new Error("enough"));
    }, 1);
    const text = `${"a".repeat(65_536)}\n`.repeat(500);
    const searching = findMatchingLines(text, { pattern: slow, maxMatches: 1, signal: controller.signal });
    await expect(searching).rejects.toThrow("enough");
    clearInterval(timer);
    expect(ticks).toBe(2);
  });
});
