import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeFileTool } from "../../../src/tools/builtin/write-file.ts";
import { createToolScratch } from "../tool-scratch.ts";

describe("write_file", () => {
  it("creates a file with its directories, exactly as given, and never in the root", async () => {
    await using scratch = await createToolScratch();
    const content = "é\r\nlast";
    expect(await scratch.run(writeFileTool, { path: "new/a.txt", content })).toEqual({
      success: true,
      output: "Created new/a.txt (2 lines, 8 bytes)",
    });
    expect(await scratch.text("new/a.txt")).toBe(content);
    expect(await readdir(scratch.root)).toEqual([]);
  });

  it("replaces a file, keeps its mode and says so", async () => {
    await using scratch = await createToolScratch({ "run.sh": "old\n" });
    await scratch.draft.setMode("run.sh", 0o755);
    expect((await scratch.run(writeFileTool, { path: "run.sh", content: "new\n" })).output).toBe(
      "Replaced run.sh (1 line, 4 bytes)",
    );
    expect(await scratch.text("run.sh")).toBe("new\n");
    expect((await scratch.draft.stat("run.sh")).mode).toBe(0o755);
    expect(await readFile(join(scratch.root, "run.sh"), "utf8")).toBe("old\n");
  });

  it("writes an empty file", async () => {
    await using scratch = await createToolScratch();
    expect((await scratch.run(writeFileTool, { path: "a", content: "" })).output).toBe("Created a (0 lines, 0 bytes)");
  });

  it.each([
    ["a path that ends in a slash", "a/", 'Cannot write "a/": a path that ends in "/" names a directory; name a file'],
    ["a directory", "dir", 'Cannot write "dir": it is a directory; name a file'],
    [
      "a path below a file",
      "f/x",
      'Cannot write "f/x": a part of it that has to be a directory is something else; name an existing directory',
    ],
    [
      "a path that leads out",
      "../x",
      'Cannot write "../x": it leads out of the workspace; name a path inside it, relative to its root',
    ],
    [
      "a symlink that leads out",
      "out",
      'Cannot write "out": it leads out of the workspace; name a path inside it, relative to its root',
    ],
  ])("fails when given %s", async (_name, path, error) => {
    await using scratch = await createToolScratch({ "dir/x": "", f: "", out: { target: "/etc/passwd" } });
    expect(await scratch.run(writeFileTool, { path, content: "" })).toEqual({
      success: false,
      error,
      errorKind: "business",
    });
    expect(scratch.draft.entries()).toEqual([]);
  });

  it("describes itself to a reviewer", () => {
    expect(writeFileTool.describe?.({ path: "a", content: "é" } as never)).toBe("Write 2 bytes to a");
  });
});
