import { readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { moveFileTool } from "../../../src/tools/builtin/move-file.ts";
import { readFileTool } from "../../../src/tools/builtin/read-file.ts";
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
    await scratch.run(readFileTool, { path: "run.sh" });
    expect((await scratch.run(writeFileTool, { path: "run.sh", content: "new\n" })).output).toBe(
      "Replaced run.sh (1 line, 4 bytes)",
    );
    expect(await scratch.text("run.sh")).toBe("new\n");
    expect((await scratch.draft.stat("run.sh")).mode).toBe(0o755);
    expect(await readFile(join(scratch.root, "run.sh"), "utf8")).toBe("old\n");
  });

  it("refuses to replace a file that was never read", async () => {
    await using scratch = await createToolScratch({ "a.txt": "old\n", link: { target: "a.txt" } });
    for (const path of ["a.txt", "./a.txt", "/workspace/a.txt", "link"]) {
      expect(await scratch.run(writeFileTool, { path, content: "new\n" })).toEqual({
        success: false,
        error: `Cannot write "${path}": it exists and has not been read; read it with "read_file" first, so that nothing in it is lost unseen, or change a part of it with "edit_file"`,
        errorKind: "business",
      });
    }
    expect(scratch.draft.entries()).toEqual([]);
  });

  it("refuses to replace a file that changed since it was read, until it is read again", async () => {
    await using scratch = await createToolScratch({ "a.txt": "old\n" });
    await scratch.run(readFileTool, { path: "a.txt" });
    await scratch.draft.writeFile("a.txt", "mine\n");
    expect(await scratch.run(writeFileTool, { path: "a.txt", content: "new\n" })).toEqual({
      success: false,
      error:
        'Cannot write "a.txt": it has changed since it was read, by the user or by a command; read it again with "read_file", and then decide',
      errorKind: "conflict",
    });
    expect(await scratch.text("a.txt")).toBe("mine\n");
    await scratch.run(readFileTool, { path: "a.txt" });
    expect((await scratch.run(writeFileTool, { path: "a.txt", content: "new\n" })).success).toBe(true);
  });

  it("sees a change in the root and one beyond the page that was read", async () => {
    await using scratch = await createToolScratch({ "a.txt": "1\n2\n3\n" });
    await scratch.run(readFileTool, { path: "a.txt", limit: 1 });
    await writeFile(join(scratch.root, "a.txt"), "1\n2\n4\n");
    expect(await scratch.run(writeFileTool, { path: "a.txt", content: "" })).toMatchObject({ errorKind: "conflict" });
  });

  it("replaces what it wrote itself, a file that was touched without a change, and a file that was moved", async () => {
    await using scratch = await createToolScratch({ "dir/b.txt": "b" });
    const write = async (path: string) => (await scratch.run(writeFileTool, { path, content: "x" })).output;
    expect(await write("a.txt")).toBe("Created a.txt (1 line, 1 byte)");
    expect(await write("a.txt")).toBe("Replaced a.txt (1 line, 1 byte)");
    await scratch.draft.writeFile("a.txt", "x");
    expect(await write("a.txt")).toBe("Replaced a.txt (1 line, 1 byte)");
    await scratch.run(readFileTool, { path: "dir/b.txt" });
    await scratch.run(moveFileTool, { from: "dir", to: "moved" });
    expect(await write("moved/b.txt")).toBe("Replaced moved/b.txt (1 line, 1 byte)");
  });

  it("replaces a binary file and an enormous one after they were looked at", async () => {
    await using scratch = await createToolScratch({ "a.bin": Buffer.alloc(100), "big.txt": "a\n".repeat(5_000) });
    await truncate(join(scratch.root, "big.txt"), 70_000_000);
    for (const path of ["a.bin", "big.txt"]) {
      await scratch.run(readFileTool, { path, limit: 1 });
      expect((await scratch.run(writeFileTool, { path, content: "" })).output).toBe(
        `Replaced ${path} (0 lines, 0 bytes)`,
      );
    }
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
