import { describe, expect, it } from "vitest";
import { globTool } from "../../../src/tools/builtin/glob.ts";
import { createToolScratch } from "../tool-scratch.ts";

const FILES = {
  "a.ts": "",
  "src/b.ts": "",
  "src/c.js": "",
  "src/deep/d.ts": "",
  ".github/e.ts": "",
  ".git/f.ts": "",
  "node_modules/p/g.ts": "",
  linked: { target: "src" },
  "l.ts": { target: "a.ts" },
};

describe("glob", () => {
  it.each<[object, readonly string[]]>([
    [{ pattern: "**/*.ts" }, [".github/e.ts", "a.ts", "l.ts", "src/b.ts", "src/deep/d.ts"]],
    [{ pattern: "*.ts" }, ["a.ts", "l.ts"]],
    [{ pattern: "./src/*.{js,ts}" }, ["src/b.ts", "src/c.js"]],
    [{ pattern: "/workspace/src/**" }, ["src/b.ts", "src/c.js", "src/deep/d.ts"]],
    [{ pattern: "src/" }, ["src/b.ts", "src/c.js", "src/deep/d.ts"]],
    [{ pattern: "[ab].ts" }, ["a.ts"]],
    [{ pattern: "[!b].ts", path: "src/deep" }, ["src/deep/d.ts"]],
    [{ pattern: "*.ts", path: "src" }, ["src/b.ts"]],
    [{ pattern: "*.ts", path: "linked" }, ["src/b.ts"]],
    [{ pattern: ".git/**" }, [".git/f.ts"]],
    [{ pattern: "node_modules/**/*.ts" }, ["node_modules/p/g.ts"]],
    [{ pattern: "linked/*" }, ["(no file matches)"]],
    [{ pattern: "d.ts" }, ['(no file matches; use "**/d.ts" to search below as well)']],
  ])("finds by %j", async (input, lines) => {
    await using scratch = await createToolScratch(FILES);
    expect(await scratch.run(globTool, input)).toEqual({ success: true, output: lines.join("\n") });
  });

  it("stops after 1,000 paths and says so", async () => {
    const files = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`f${index}`, ""]));
    await using scratch = await createToolScratch(files);
    const lines = (await scratch.run(globTool, { pattern: "*" })).output?.split("\n") ?? [];
    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toBe('(stopped after 1,000 paths; use a narrower glob or "path")');
  });

  it("fails when the glob is an extended one", async () => {
    await using scratch = await createToolScratch();
    expect(await scratch.run(globTool, { pattern: "!(a).ts" })).toEqual({
      success: false,
      error:
        'Cannot use the glob "!(a).ts": extended globs such as "!(…)" are not supported; use "*", "**", "?", "[…]" and "{a,b}"',
      errorKind: "business",
    });
  });

  it("fails when the directory is not there", async () => {
    await using scratch = await createToolScratch(FILES);
    expect(await scratch.run(globTool, { pattern: "*", path: "scr" })).toEqual({
      success: false,
      error: 'Cannot search "scr": there is nothing at this path; did you mean "src"?',
      errorKind: "business",
    });
  });
});
