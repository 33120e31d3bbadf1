import { describe, expect, it } from "vitest";
import { moveFileTool } from "../../../src/tools/builtin/move-file.ts";
import { createToolScratch } from "../tool-scratch.ts";

const FILES = { "a.txt": "a", "b.txt": "b", "dir/c": "c" };

describe("move_file", () => {
  it.each([
    [{ from: "a.txt", to: "new/x.txt" }, "new/x.txt", "a"],
    [{ from: "dir", to: "moved" }, "moved/c", "c"],
    [{ from: "a.txt", to: "b.txt", overwrite: true }, "b.txt", "a"],
  ])("moves by %j", async (input, path, content) => {
    await using scratch = await createToolScratch(FILES);
    expect(await scratch.run(moveFileTool, input)).toEqual({
      success: true,
      output: `Moved ${input.from} to ${input.to}`,
    });
    expect(await scratch.text(path)).toBe(content);
    await expect(scratch.draft.lstat(input.from)).rejects.toThrow("there is nothing at this path");
  });

  it.each([
    [
      { from: "a.txt", to: "b.txt" },
      'Cannot move "a.txt": there is something at "b.txt" already; set "overwrite" to true to replace it, or choose another path',
    ],
    [{ from: "a.txt", to: "dir/" }, 'Cannot move "a.txt": "dir/" is a directory; to move it in there, use "dir/a.txt"'],
    [
      { from: "dir/c", to: ".", overwrite: true },
      'Cannot move "dir/c": "." is a directory; to move it in there, use "c"',
    ],
    [{ from: "", to: "x" }, "(input error: from must have at least 1 character, not 0)"],
    [
      { from: ".", to: "x" },
      "Cannot move the workspace itself: only what is in it can be changed; name a path inside it",
    ],
    [
      { from: "c.txt", to: "x" },
      'Cannot move "c.txt": there is nothing at this path; did you mean "a.txt" or "b.txt"?',
    ],
    [
      { from: "a.txt", to: "../x" },
      'Cannot move "../x": it leads out of the workspace; name a path inside it, relative to its root',
    ],
  ])("fails and changes nothing when given %j", async (input, error) => {
    await using scratch = await createToolScratch(FILES);
    expect(await scratch.run(moveFileTool, input)).toMatchObject({ success: false, error });
    expect(scratch.draft.entries()).toEqual([]);
  });
});
