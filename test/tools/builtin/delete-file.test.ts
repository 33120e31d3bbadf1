import { describe, expect, it } from "vitest";
import { deleteFileTool } from "../../../src/tools/builtin/delete-file.ts";
import { createToolScratch } from "../tool-scratch.ts";

const FILES = { "a.txt": "", "dir/b": "", "dir/sub/c": "", "empty/": "", link: { target: "dir" } };

describe("delete_file", () => {
  it.each([
    [{ path: "a.txt" }, "Deleted the file a.txt"],
    [{ path: "empty" }, "Deleted the directory empty"],
    [{ path: "dir", recursive: true }, "Deleted the directory dir with 3 entries in it"],
    [{ path: "link" }, "Deleted the symlink link"],
    [{ path: "link", recursive: true }, "Deleted the symlink link"],
  ])("deletes %j", async (input, output) => {
    await using scratch = await createToolScratch(FILES);
    expect(await scratch.run(deleteFileTool, input)).toEqual({ success: true, output });
    expect(scratch.draft.entries()).toEqual([{ op: "delete", path: input.path }]);
  });

  it.each([
    [
      { path: "dir" },
      'Cannot delete "dir": it is a directory that is not empty; set "recursive" to true to delete it with all that is in it',
    ],
    [{ path: "a.tx" }, 'Cannot delete "a.tx": there is nothing at this path; did you mean "a.txt"?'],
    [
      { path: ".", recursive: true },
      "Cannot delete the workspace itself: only what is in it can be changed; name a path inside it",
    ],
    [
      { path: "/workspace/", recursive: true },
      "Cannot delete the workspace itself: only what is in it can be changed; name a path inside it",
    ],
    [
      { path: `${"./".repeat(2_000)}x/../..` },
      `Cannot delete "${"./".repeat(2_000)}x/../..": it is no possible path; a path has no NUL, at most 255 bytes in a name and at most 3072 bytes in all, and is not the workspace's root where a part of it is meant`,
    ],
  ])("fails and changes nothing when given %j", async (input, error) => {
    await using scratch = await createToolScratch(FILES);
    const started = performance.now();
    expect(await scratch.run(deleteFileTool, input)).toEqual({ success: false, error, errorKind: "business" });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(scratch.draft.entries()).toEqual([]);
  });

  it("deletes nothing when the call is aborted", async () => {
    await using scratch = await createToolScratch(FILES);
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(scratch.run(deleteFileTool, { path: "dir", recursive: true }, { signal })).rejects.toThrow("stop");
    expect(scratch.draft.entries()).toEqual([]);
  });
});
