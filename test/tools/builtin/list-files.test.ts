import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFilesTool } from "../../../src/tools/builtin/list-files.ts";
import { createToolScratch } from "../tool-scratch.ts";

describe("list_files", () => {
  it("lists a tree of two levels with sizes, link targets and what is not entered", async () => {
    await using scratch = await createToolScratch({
      "README.md": "x".repeat(1_536),
      "src/index.ts": "12345",
      "src/lib/deep/far.ts": "",
      "empty/": "",
      ".git/config": "",
      "node_modules/pkg/index.js": "",
      link: { target: "src/index.ts" },
      "odd\nname": "",
    });
    expect(await scratch.run(listFilesTool, {})).toEqual({
      success: true,
      output: [
        ".git/",
        '  (not listed; name it in "path" to see it)',
        "README.md (1.5 KB)",
        "empty/",
        "link -> src/index.ts",
        "node_modules/",
        '  (not listed; name it in "path" to see it)',
        "odd\\nname (0 B)",
        "src/",
        "  index.ts (5 B)",
        "  lib/",
      ].join("\n"),
    });
  });

  it("lists a directory below, deeper, and a directory that is usually left out", async () => {
    await using scratch = await createToolScratch({ "src/lib/deep/far.ts": "", ".git/config": "a" });
    expect((await scratch.run(listFilesTool, { path: "src", depth: 3 })).output).toBe(
      "lib/\n  deep/\n    far.ts (0 B)",
    );
    expect((await scratch.run(listFilesTool, { path: ".git" })).output).toBe("config (1 B)");
  });

  it("shows what the draft changed", async () => {
    await using scratch = await createToolScratch({ "a.txt": "a", "b.txt": "b" });
    await scratch.draft.remove("a.txt");
    await scratch.draft.writeFile("c/d.txt", "d");
    expect((await scratch.run(listFilesTool, {})).output).toBe("b.txt (1 B)\nc/\n  d.txt (1 B)");
  });

  it("says that a directory is empty", async () => {
    await using scratch = await createToolScratch();
    expect((await scratch.run(listFilesTool, { path: "" })).output).toBe("(the directory is empty)");
  });

  it("stops after 1,000 entries and says so", async () => {
    const files = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`f${index}`, ""]));
    await using scratch = await createToolScratch(files);
    const lines = (await scratch.run(listFilesTool, {})).output?.split("\n") ?? [];
    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toBe(
      '(stopped after 1,000 entries; list a directory below, or use "glob" to find files by name)',
    );
  });

  it.each([
    ["a file", "a.txt", 'Cannot list "a.txt": it is a file; use "read_file" to see what is in it'],
    ["a misspelt name", "srcc", 'Cannot list "srcc": there is nothing at this path; did you mean "src"?'],
  ])("fails when given %s", async (_name, path, error) => {
    await using scratch = await createToolScratch({ "a.txt": "", "src/b": "" });
    expect(await scratch.run(listFilesTool, { path })).toEqual({ success: false, error, errorKind: "business" });
  });

  it("lists a symlinked directory that is asked for by name", async () => {
    await using scratch = await createToolScratch({ "src/a": "", link: { target: "src" } });
    expect((await scratch.run(listFilesTool, { path: "link" })).output).toBe("a (0 B)");
    await rm(join(scratch.root, "src/a"));
    expect((await scratch.run(listFilesTool, { path: "link" })).output).toBe("(the directory is empty)");
  });
});
