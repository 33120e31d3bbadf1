import { describe, expect, it } from "vitest";
import { multiEditTool } from "../../../src/tools/builtin/multi-edit.ts";
import { readFileTool } from "../../../src/tools/builtin/read-file.ts";
import { createToolScratch } from "../tool-scratch.ts";

const LINES = "one\ntwo\nthree\ntwo\n";

async function edit(content: string, edits: readonly object[]) {
  await using scratch = await createToolScratch({ "a.txt": content });
  const outcome = await scratch.run(multiEditTool, { path: "a.txt", edits });
  return { outcome, text: await scratch.text("a.txt"), changes: scratch.draft.entries().length };
}

describe("multi_edit", () => {
  it("makes each edit on what the edits before it left", async () => {
    const edits = [
      { old_text: "one", new_text: "zero\none" },
      { old_text: "two", new_text: "2", replace_all: true },
      { old_text: "2\nthree", new_text: "3" },
    ];
    expect(await edit(LINES, edits)).toEqual({
      outcome: {
        success: true,
        output: "Edited a.txt: 3 edits, 4 replacements\n1. at line 1\n2. at lines 3 and 5\n3. at line 3",
      },
      text: "zero\none\n3\n2\n",
      changes: 1,
    });
  });

  it("keeps CRLF and a missing newline at the end", async () => {
    const edits = [
      { old_text: "one\ntwo", new_text: "1\n2" },
      { old_text: "end", new_text: "END" },
    ];
    expect((await edit("one\r\ntwo\r\nend", edits)).text).toBe("1\r\n2\r\nEND");
  });

  const first = { old_text: "one", new_text: "1" };
  it.each([
    [
      "a text is not there",
      [first, { old_text: "nine", new_text: "9" }],
      'Cannot edit "a.txt": "old_text" is not in it; copy the text exactly as "read_file" shows it, without the line numbers (this is edit 2 of 2; none of them was made)',
    ],
    [
      "a text is there twice",
      [first, { old_text: "two", new_text: "2" }, first],
      'Cannot edit "a.txt": "old_text" is in it 2 times, at lines 2 and 4; add lines around it until it is there once, or set "replace_all" to true (this is edit 2 of 3; none of them was made)',
    ],
    [
      "both texts are the same",
      [{ old_text: "one", new_text: "one" }],
      'Cannot edit "a.txt": "old_text" and "new_text" are the same; give the text as it shall become (this is edit 1 of 1; none of them was made)',
    ],
    [
      "the edits undo each other",
      [first, { old_text: "1", new_text: "one" }],
      'Cannot edit "a.txt": the edits leave it as it is; give texts that change something',
    ],
  ])("fails and changes nothing when %s", async (_name, edits, error) => {
    expect(await edit(LINES, edits)).toEqual({
      outcome: { success: false, error, errorKind: "business" },
      text: LINES,
      changes: 0,
    });
  });

  it("refuses a file that changed since it was read", async () => {
    await using scratch = await createToolScratch({ "a.txt": LINES });
    await scratch.run(readFileTool, { path: "a.txt" });
    await scratch.draft.writeFile("a.txt", `${LINES}more\n`);
    expect(await scratch.run(multiEditTool, { path: "a.txt", edits: [first] })).toMatchObject({
      errorKind: "conflict",
    });
  });

  it("refuses an empty list and a misspelt key", async () => {
    expect((await edit(LINES, [])).outcome).toMatchObject({ success: false, errorKind: "validation" });
    expect((await edit(LINES, [{ ...first, all: true }])).outcome).toMatchObject({ errorKind: "validation" });
  });

  it("describes itself to a reviewer", () => {
    expect(multiEditTool.describe?.({ path: "a", edits: [first] } as never)).toBe("Make 1 edit in a");
  });
});
