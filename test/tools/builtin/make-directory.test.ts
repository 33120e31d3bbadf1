import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { makeDirectoryTool } from "../../../src/tools/builtin/make-directory.ts";
import { createToolScratch } from "../tool-scratch.ts";

describe("make_directory", () => {
  it("makes a directory with its parents, never in the root", async () => {
    await using scratch = await createToolScratch();
    expect(await scratch.run(makeDirectoryTool, { path: "a/b" })).toEqual({
      success: true,
      output: "Made the directory a/b",
    });
    expect((await scratch.draft.lstat("a/b")).type).toBe("directory");
    expect(await readdir(scratch.root)).toEqual([]);
  });

  it.each(["dir", "dir/", ".", "link"])("leaves %s as it is when it exists", async (path) => {
    await using scratch = await createToolScratch({ "dir/f": "", link: { target: "dir" } });
    expect(await scratch.run(makeDirectoryTool, { path })).toEqual({
      success: true,
      output: `The directory ${path} exists already`,
    });
    expect(scratch.draft.entries()).toEqual([]);
  });

  it.each([
    [
      "a file is there",
      "f",
      'Cannot make the directory "f": there is a file at this path; choose another path, or move the file first',
    ],
    [
      "a part of the path is a file",
      "f/x",
      'Cannot make the directory "f/x": a part of it that has to be a directory is something else; name an existing directory',
    ],
    [
      "the path leads out",
      "../x",
      'Cannot make the directory "../x": it leads out of the workspace; name a path inside it, relative to its root',
    ],
  ])("fails when %s", async (_name, path, error) => {
    await using scratch = await createToolScratch({ f: "" });
    expect(await scratch.run(makeDirectoryTool, { path })).toEqual({ success: false, error, errorKind: "business" });
  });
});
