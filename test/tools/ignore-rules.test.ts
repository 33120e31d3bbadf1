import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globTool } from "../../src/tools/builtin/glob.ts";
import { grepTool } from "../../src/tools/builtin/grep.ts";
import { listFilesTool } from "../../src/tools/builtin/list-files.ts";
import { parseIgnoreLine } from "../../src/union/ignore-pattern.ts";
import { createToolScratch, type ScratchFiles } from "./tool-scratch.ts";

const run = promisify(execFile);

/** What git takes for untracked and not ignored, in a repository without any rules of its own. */
async function gitFiles(root: string): Promise<readonly string[]> {
  const env = { PATH: process.env["PATH"], HOME: root, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  await run("git", ["init", "-q", "--template=", root], { env });
  const { stdout } = await run("git", ["-C", root, "ls-files", "--others", "--exclude-standard", "-z"], { env });
  await rm(join(root, ".git"), { recursive: true });
  return stdout.split("\0").filter((path) => path !== "");
}

/** The files that grep goes through. */
async function ourFiles(
  files: ScratchFiles,
): Promise<{ readonly ours: readonly string[]; readonly git: readonly string[] }> {
  await using scratch = await createToolScratch(files);
  const git = await gitFiles(scratch.root);
  const { output = "" } = await scratch.run(globTool, { pattern: "**" });
  const ours = output.split("\n").filter((line) => !line.startsWith("("));
  return { ours: ours.toSorted(), git: git.toSorted() };
}

const names = fc.constantFrom("a", "b", "ab", "a.b", "b.a", "c d", "[a]", "{a,b}", "-");
const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const pieces = fc.constantFrom(
  "a",
  "b",
  "ab",
  ".b",
  "*",
  "**",
  "?",
  "[ab]",
  "[!a]",
  "[^b]",
  "[a-b]",
  "[]a]",
  "\\a",
  "\\*",
  "{a,b}",
  "c d",
  "-",
  "[[:alpha:]]",
  "+(a)",
);
const patterns = fc
  .record({
    start: fc.constantFrom("", "", "", "!", "/", "**/", "!/", "#", "\\#"),
    parts: fc.array(
      fc.array(pieces, { minLength: 1, maxLength: 2 }).map((each) => each.join("")),
      { minLength: 1, maxLength: 3 },
    ),
    end: fc.constantFrom("", "", "", "/", "/**", "/*", " ", "\\ ", "\r"),
  })
  .map(({ start, parts, end }) => `${start}${parts.join("/")}${end}`);
const ignoreFiles = fc.dictionary(
  fc.constantFrom("", "a/", "b/", "a/b/"),
  fc.array(patterns, { minLength: 1, maxLength: 4 }).map((lines) => `${lines.join("\n")}\n`),
  { minKeys: 1, maxKeys: 3 },
);

/** A path that is needed as a directory is no file. */
function treeOf(filePaths: readonly string[], ignores: Readonly<Record<string, string>>): ScratchFiles {
  const ignorePaths = Object.keys(ignores).map((directory) => `${directory}.gitignore`);
  const all = [...filePaths, ...ignorePaths];
  const kept = filePaths.filter((path) => !all.some((other) => other.startsWith(`${path}/`)));
  const entries = Object.entries(ignores).map(([directory, text]) => [`${directory}.gitignore`, text]);
  return Object.fromEntries([...kept.map((path) => [path, ""]), ...entries]);
}

const trees = fc
  .tuple(fc.array(paths, { minLength: 1, maxLength: 12 }), ignoreFiles)
  .map(([filePaths, ignores]) => treeOf(filePaths, ignores));

describe("openIgnoreRules()", () => {
  it("leaves out what git does when the tree and the rules are random", { timeout: 60_000 }, async () => {
    await fc.assert(
      // Many trees side by side, as each start of git takes long.
      fc.asyncProperty(fc.array(trees, { minLength: 25, maxLength: 25 }), async (side) => {
        const placed = side.flatMap((tree, index) =>
          Object.entries(tree).map(([path, content]) => [`t${index}/${path}`, content]),
        );
        const { ours, git } = await ourFiles(Object.fromEntries(placed));
        expect(ours).toEqual(git);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  it("lets nested files take back, and nothing below an ignored directory", async () => {
    const { ours, git } = await ourFiles({
      ".gitignore": "*.log\n/build/\ntmp/\n!keep.log\n",
      "a.log": "",
      "keep.log": "",
      "src/.gitignore": "!a.log\nbuild\n",
      "src/a.log": "",
      "src/b.log": "",
      "src/build/x": "",
      "lib/build/x": "",
      "build/.gitignore": "!x\n",
      "build/x": "",
      "lib/tmp/x": "",
    });
    expect(ours).toEqual(git);
    expect(ours).toEqual([".gitignore", "keep.log", "lib/build/x", "src/.gitignore", "src/a.log"]);
  });

  const files = {
    ".gitignore": "dist/\n*.log\n",
    "dist/out.js": "found\n",
    "src/a.js": "found\n",
    "src/a.log": "found\n",
  };
  const hint = '(what .gitignore files name was left out; set "include_ignored" to true to see it)';

  it("is used by glob, list_files and grep unless the call says otherwise", async () => {
    await using scratch = await createToolScratch(files);
    const outputs = async (more: object) => [
      (await scratch.run(globTool, { pattern: "**/*.*", ...more })).output,
      (await scratch.run(grepTool, { pattern: "found", output_mode: "files", ...more })).output,
      (await scratch.run(listFilesTool, more)).output,
    ];
    expect(await outputs({})).toEqual([
      ".gitignore\nsrc/a.js",
      "src/a.js",
      `.gitignore (12 B)\nsrc/\n  a.js (6 B)\n${hint}`,
    ]);
    expect(await outputs({ include_ignored: true })).toEqual([
      ".gitignore\ndist/out.js\nsrc/a.js\nsrc/a.log",
      "dist/out.js\nsrc/a.js\nsrc/a.log",
      ".gitignore (12 B)\ndist/\n  out.js (6 B)\nsrc/\n  a.js (6 B)\n  a.log (6 B)",
    ]);
  });

  it("says that something was left out when nothing is found", async () => {
    await using scratch = await createToolScratch(files);
    expect((await scratch.run(globTool, { pattern: "**/out.*" })).output).toBe(`(no file matches)\n${hint}`);
    expect((await scratch.run(grepTool, { pattern: "found", glob: "out.*" })).output).toBe(
      `(no line matches)\n${hint}`,
    );
  });

  it("does not ignore what the call names", async () => {
    await using scratch = await createToolScratch(files);
    expect((await scratch.run(globTool, { pattern: "dist/**" })).output).toBe("dist/out.js");
    expect((await scratch.run(grepTool, { pattern: "found", path: "dist" })).output).toBe("dist/out.js:1:found");
    expect((await scratch.run(listFilesTool, { path: "dist" })).output).toBe("out.js (6 B)");
    expect((await scratch.run(grepTool, { pattern: "found", path: "src/a.log" })).output).toBe("src/a.log:1:found");
  });

  it("applies the files above the place that is searched", async () => {
    await using scratch = await createToolScratch(files);
    expect((await scratch.run(listFilesTool, { path: "src" })).output).toBe(`a.js (6 B)\n${hint}`);
  });

  it("reads no .gitignore that is a symlink, a directory or too large", async () => {
    await using scratch = await createToolScratch({
      rules: "*\n",
      ".gitignore": { target: "rules" },
      "a/.gitignore/x": "",
      "b/.gitignore": "*\n".repeat(600_000),
      "b/f": "",
    });
    expect((await scratch.run(globTool, { pattern: "**" })).output).toBe(
      ".gitignore\na/.gitignore/x\nb/.gitignore\nb/f\nrules",
    );
  });
});

describe("parseIgnoreLine()", () => {
  it.each(["", "  ", "# x", "/", "!", "[", "a\\"])("says nothing when the line is %j", (line) => {
    expect(parseIgnoreLine(line)).toBeUndefined();
  });

  it("takes linear time when a pattern is made to be slow", () => {
    const pattern = parseIgnoreLine(`${"*a".repeat(30)}b`);
    expect(pattern?.matches("a".repeat(5_000), false)).toBe(false);
  });
});
