import { describe, expect, it } from "vitest";
import { grepTool } from "../../../src/tools/builtin/grep.ts";
import { createToolScratch } from "../tool-scratch.ts";

const FILES = {
  "a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nTwo\n",
  "src/b.ts": "const two = 2;\r\nconst three = 3;\r\n",
  "src/deep/c.ts": "nothing here",
  "bin.dat": Buffer.from("two\0two"),
  ".git/x": "two\n",
  "node_modules/p/i.js": "two\n",
  link: { target: "a.txt" },
  linked: { target: "src" },
};

describe("grep", () => {
  it.each<[object, readonly string[]]>([
    [{ pattern: "two" }, ["a.txt:2:two", "src/b.ts:1:const two = 2;"]],
    [{ pattern: "TWO", ignore_case: true }, ["a.txt:2:two", "a.txt:7:Two", "src/b.ts:1:const two = 2;"]],
    [{ pattern: "^two$" }, ["a.txt:2:two"]],
    [{ pattern: "\\Aone" }, ["a.txt:1:one"]],
    [{ pattern: "(?-m)^six$" }, ["a.txt:6:six"]],
    [{ pattern: "= \\d;$" }, ["src/b.ts:1:const two = 2;", "src/b.ts:2:const three = 3;"]],
    [
      { pattern: "two|four", path: "a.txt", context: 1 },
      ["a.txt-1-one", "a.txt:2:two", "a.txt-3-three", "a.txt:4:four", "a.txt-5-five"],
    ],
    [
      { pattern: "one|six", path: "a.txt", context: 1 },
      ["a.txt:1:one", "a.txt-2-two", "--", "a.txt-5-five", "a.txt:6:six", "a.txt-7-Two"],
    ],
    [
      { pattern: "one|3", context: 1 },
      ["a.txt:1:one", "a.txt-2-two", "--", "src/b.ts-1-const two = 2;", "src/b.ts:2:const three = 3;"],
    ],
    [{ pattern: "t", output_mode: "files" }, ["a.txt", "src/b.ts", "src/deep/c.ts"]],
    [{ pattern: "t", output_mode: "count" }, ["a.txt:2", "src/b.ts:2", "src/deep/c.ts:1"]],
    [{ pattern: "two", glob: "*.ts" }, ["src/b.ts:1:const two = 2;"]],
    [{ pattern: "t", glob: "src/*", output_mode: "files" }, ["src/b.ts"]],
    [{ pattern: "t", glob: "!*.ts", output_mode: "files" }, ["a.txt"]],
    [{ pattern: "two", path: "linked" }, ["src/b.ts:1:const two = 2;"]],
    [{ pattern: "two", path: "link" }, ["a.txt:2:two"]],
    [{ pattern: "two", path: ".git" }, [".git/x:1:two"]],
    [{ pattern: "two", glob: "node_modules/**" }, ["node_modules/p/i.js:1:two"]],
    [{ pattern: "zzz" }, ["(no line matches)"]],
    [{ pattern: "a\\nb" }, ['(no line matches; lines are searched one by one, so "\\n" is in none)']],
    [
      { pattern: "o", path: "a.txt", max_results: 2 },
      ["a.txt:1:one", "a.txt:2:two", '(stopped after 2 matches; narrow "pattern", "path" or "glob")'],
    ],
    [
      { pattern: "one|const two", max_results: 1 },
      ["a.txt:1:one", '(stopped after 1 match; narrow "pattern", "path" or "glob")'],
    ],
    [{ pattern: "one", max_results: 1 }, ["a.txt:1:one"]],
    [
      { pattern: "t", output_mode: "files", max_results: 2 },
      ["a.txt", "src/b.ts", '(stopped after 2 files; narrow "pattern", "path" or "glob")'],
    ],
  ])("searches by %j", async (input, lines) => {
    await using scratch = await createToolScratch(FILES);
    expect(await scratch.run(grepTool, input)).toEqual({ success: true, output: lines.join("\n") });
  });

  it("searches what the draft holds", async () => {
    await using scratch = await createToolScratch(FILES);
    await scratch.draft.writeFile("a.txt", "two and a half\n");
    await scratch.draft.remove("src", { recursive: true });
    expect((await scratch.run(grepTool, { pattern: "two" })).output).toBe("a.txt:1:two and a half");
  });

  it.each([
    [
      "(?=two)",
      'Cannot use the pattern "(?=two)": it uses lookahead, lookbehind or a backreference, which RE2 lacks so that every search takes linear time; write it without, and sort out the matches yourself',
    ],
    [
      "(a)\\1",
      'Cannot use the pattern "(a)\\\\1": it uses lookahead, lookbehind or a backreference, which RE2 lacks so that every search takes linear time; write it without, and sort out the matches yourself',
    ],
    [
      "(a",
      'Cannot use the pattern "(a": error parsing regexp: missing closing ): `(a`; write a regular expression, with "\\" before a character that is meant literally',
    ],
    [
      "a{900}b{900}c{900}",
      'Cannot use the pattern "a{900}b{900}c{900}": it is too large once compiled; use smaller counts in "{…}"',
    ],
  ])("fails when the pattern is %s", async (pattern, error) => {
    await using scratch = await createToolScratch(FILES);
    expect(await scratch.run(grepTool, { pattern })).toEqual({ success: false, error, errorKind: "business" });
  });

  it("fails when the path is not there", async () => {
    await using scratch = await createToolScratch(FILES);
    expect(await scratch.run(grepTool, { pattern: "a", path: "b.txt" })).toEqual({
      success: false,
      error: 'Cannot search "b.txt": there is nothing at this path; did you mean "a.txt"?',
      errorKind: "business",
    });
  });

  it("cuts long lines and passes over files that are too large", async () => {
    await using scratch = await createToolScratch({
      "a.txt": `x${"y".repeat(600)}\n`,
      "b.txt": Buffer.alloc(16_777_217, "x\n"),
    });
    expect((await scratch.run(grepTool, { pattern: "x" })).output).toBe(
      `a.txt:1:x${"y".repeat(499)} … (line cut)\n(1 file over 16 MB passed over)`,
    );
  });

  it("ends soon for a pattern that a backtracking engine never ends with, and stops when aborted", async () => {
    await using scratch = await createToolScratch({ "a.txt": `${"a".repeat(50_000)}!\n`.repeat(10) });
    const started = performance.now();
    expect((await scratch.run(grepTool, { pattern: "^(a+)+[b-z]?$" })).output).toBe("(no line matches)");
    expect(performance.now() - started).toBeLessThan(10_000);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(scratch.run(grepTool, { pattern: "a" }, { signal })).rejects.toThrow("enough");
  });
});
