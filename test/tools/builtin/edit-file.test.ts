import { describe, expect, it } from "vitest";
import { editFileTool } from "../../../src/tools/builtin/edit-file.ts";
import { readFileTool } from "../../../src/tools/builtin/read-file.ts";
import { writeFileTool } from "../../../src/tools/builtin/write-file.ts";
import { createToolScratch } from "../tool-scratch.ts";

const LINES = "one\ntwo\n  three\nfour\nfive\ntwo\n";

async function edit(content: string | Uint8Array, input: object) {
  await using scratch = await createToolScratch({ "a.txt": content });
  const outcome = await scratch.run(editFileTool, { path: "a.txt", ...input });
  return { outcome, text: await scratch.text("a.txt"), changes: scratch.draft.entries().length };
}

describe("edit_file", () => {
  it("replaces the one place and shows the lines around it", async () => {
    expect(await edit(LINES, { old_text: "four", new_text: "4\n4b" })).toEqual({
      outcome: {
        success: true,
        output:
          "Edited a.txt: 1 replacement at line 4\n     2\ttwo\n     3\t  three\n     4\t4\n     5\t4b\n     6\tfive\n     7\ttwo",
      },
      text: "one\ntwo\n  three\n4\n4b\nfive\ntwo\n",
      changes: 1,
    });
  });

  it("replaces each place when asked to, and takes the new text literally", async () => {
    expect(await edit(LINES, { old_text: "two", new_text: "$& $1 two", replace_all: true })).toEqual({
      outcome: { success: true, output: "Edited a.txt: 2 replacements at lines 2 and 6" },
      text: "one\n$& $1 two\n  three\nfour\nfive\n$& $1 two\n",
      changes: 1,
    });
  });

  it("keeps the CRLF of a file, whichever line breaks the input has", async () => {
    const crlf = LINES.replaceAll("\n", "\r\n");
    const expected = "one\r\nx\r\ny\r\n  three\r\nfour\r\nfive\r\ntwo\r\n";
    expect((await edit(crlf, { old_text: "one\ntwo", new_text: "one\nx\ny" })).text).toBe(expected);
    expect((await edit(crlf, { old_text: "one\r\ntwo", new_text: "one\r\nx\ny" })).text).toBe(expected);
  });

  it("finds a text across CRLF in a file of mixed line ends and leaves the rest alone", async () => {
    expect((await edit("a\nb\r\nc\r\nd\n", { old_text: "b\nc", new_text: "b\nx" })).text).toBe("a\nb\r\nx\r\nd\n");
    expect((await edit("a\nb\r\nc\n", { old_text: "a\n", new_text: "x\n" })).text).toBe("x\nb\r\nc\n");
  });

  it("keeps a byte order mark and a missing newline at the end", async () => {
    expect((await edit("\ufeffa\nb", { old_text: "a", new_text: "x" })).text).toBe("\ufeffx\nb");
  });

  it("deletes text when the new text is empty", async () => {
    expect((await edit(LINES, { old_text: "four\n", new_text: "" })).text).toBe("one\ntwo\n  three\nfive\ntwo\n");
  });

  const remedy = '; copy the text exactly as "read_file" shows it, without the line numbers';
  it.each([
    [
      "the text is not there",
      { old_text: "nine", new_text: "x" },
      `Cannot edit "a.txt": "old_text" is not in it${remedy}`,
    ],
    [
      "white space differs",
      { old_text: "two\nthree", new_text: "x" },
      `Cannot edit "a.txt": "old_text" is not in it as written, but lines 2-3 differ from it only in white space:\ntwo\n  three\nSo take the text from there${remedy}`,
    ],
    [
      "only the first line is there",
      { old_text: "four\nsix", new_text: "x" },
      `Cannot edit "a.txt": "old_text" is not in it, though its first line is at line 4${remedy}`,
    ],
    [
      "the text is there twice",
      { old_text: "two", new_text: "x" },
      'Cannot edit "a.txt": "old_text" is in it 2 times, at lines 2 and 6; add lines around it until it is there once, or set "replace_all" to true',
    ],
    [
      "both texts are the same",
      { old_text: "one", new_text: "one" },
      'Cannot edit "a.txt": "old_text" and "new_text" are the same; give the text as it shall become',
    ],
  ])("fails and changes nothing when %s", async (_name, input, error) => {
    expect(await edit(LINES, input)).toEqual({
      outcome: { success: false, error, errorKind: "business" },
      text: LINES,
      changes: 0,
    });
  });

  it("fails when only line ends would differ, which are the file's own", async () => {
    expect((await edit("a\r\nb\r\n", { old_text: "a\nb", new_text: "a\r\nb" })).outcome).toEqual({
      success: false,
      error: 'Cannot edit "a.txt": "old_text" and "new_text" are the same; give the text as it shall become',
      errorKind: "business",
    });
  });

  it.each<[string, Uint8Array, string]>([
    ["binary", Buffer.from("a\0b"), "binary data"],
    ["Latin-1", Buffer.from([0x61, 0xe9]), "text in another encoding than UTF-8"],
  ])("refuses a file that is %s", async (_name, content, kind) => {
    expect((await edit(content, { old_text: "a", new_text: "b" })).outcome).toEqual({
      success: false,
      error: `Cannot edit "a.txt": it is ${kind}; only UTF-8 text can be edited, so use "shell" with a program that knows the format`,
      errorKind: "business",
    });
  });

  it("fails when the result would be too large", async () => {
    const outcome = await edit("a".repeat(10_000), { old_text: "a", new_text: "b".repeat(10_000), replace_all: true });
    expect(outcome.outcome).toEqual({
      success: false,
      error: 'Cannot edit "a.txt": it would become larger than 16 MB; replace fewer places, or use a shorter text',
      errorKind: "business",
    });
  });

  it("fails when the file is not there, with a near name", async () => {
    await using scratch = await createToolScratch({ "a.txt": "a" });
    expect(await scratch.run(editFileTool, { path: "a.tx", old_text: "a", new_text: "b" })).toEqual({
      success: false,
      error: 'Cannot edit "a.tx": there is nothing at this path; did you mean "a.txt"?',
      errorKind: "business",
    });
  });

  it("lists ten lines and counts the rest when a text is there often", async () => {
    const { outcome } = await edit("x\n".repeat(12), { old_text: "x", new_text: "y", replace_all: true });
    expect(outcome.output).toBe("Edited a.txt: 12 replacements at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more");
  });

  it("refuses a file that changed since it was read, and knows what it wrote itself", async () => {
    await using scratch = await createToolScratch({ "a.txt": "one\ntwo\n" });
    await scratch.run(readFileTool, { path: "a.txt" });
    const edit = (old: string, text: string) =>
      scratch.run(editFileTool, { path: "a.txt", old_text: old, new_text: text });
    expect((await edit("one", "1")).success).toBe(true);
    expect((await edit("two", "2")).success).toBe(true);
    await scratch.draft.writeFile("a.txt", "1\n2\nby hand\n");
    expect(await edit("1", "one")).toEqual({
      success: false,
      error:
        'Cannot edit "a.txt": it has changed since it was read, by the user or by a command; read it again with "read_file", and then decide',
      errorKind: "conflict",
    });
  });

  it("does not make a file known that was never read", async () => {
    await using scratch = await createToolScratch({ "a.txt": "one\ntwo\n" });
    expect((await scratch.run(editFileTool, { path: "a.txt", old_text: "one", new_text: "1" })).success).toBe(true);
    expect((await scratch.run(writeFileTool, { path: "a.txt", content: "" })).success).toBe(false);
  });
});
