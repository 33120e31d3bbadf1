import { describe, expect, it } from "vitest";
import { applyPatchTool } from "../../../src/tools/builtin/apply-patch.ts";
import { readFileTool } from "../../../src/tools/builtin/read-file.ts";
import { writeFileTool } from "../../../src/tools/builtin/write-file.ts";
import { createToolScratch, type ScratchFiles } from "../tool-scratch.ts";

const LINES = "one\ntwo\nthree\nfour\nfive\nsix\n";

async function patch(files: ScratchFiles, text: string) {
  await using scratch = await createToolScratch(files);
  const outcome = await scratch.run(applyPatchTool, { patch: text });
  const changed = scratch.draft.entries().filter((entry) => !("type" in entry) || entry.type === "file");
  const texts = changed.map(async (entry) => [
    entry.path,
    entry.op === "delete" ? undefined : await scratch.text(entry.path),
  ]);
  return { outcome, files: Object.fromEntries(await Promise.all(texts)) };
}

function envelope(...lines: readonly string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}

function unified(path: string, ...lines: readonly string[]): string {
  return [`--- a/${path}`, `+++ b/${path}`, ...lines, ""].join("\n");
}

describe("apply_patch", () => {
  it("adds, updates, moves and deletes with an envelope patch", async () => {
    const text = envelope(
      "*** Add File: new/a.txt",
      "+first",
      "+",
      "+last",
      "*** Update File: b.txt",
      "@@",
      " two",
      "-three",
      "+3",
      "",
      "*** Update File: c.txt",
      "*** Move to: moved/c.txt",
      "@@ two",
      " three",
      "+3.5",
      "*** Delete File: d.txt",
    );
    expect(await patch({ "b.txt": LINES, "c.txt": LINES, "d.txt": "" }, text)).toEqual({
      outcome: {
        success: true,
        output: "added new/a.txt\nupdated b.txt (1 hunk)\nmoved c.txt to moved/c.txt (1 hunk)\ndeleted d.txt",
      },
      files: {
        "new/a.txt": "first\n\nlast\n",
        "b.txt": LINES.replace("three", "3"),
        "c.txt": undefined,
        "moved/c.txt": LINES.replace("three", "three\n3.5"),
        "d.txt": undefined,
      },
    });
  });

  it("adds, updates, moves, changes the mode and deletes with a patch of git", async () => {
    await using scratch = await createToolScratch({ "b.txt": LINES, "c.bin": Buffer.from("a\0b"), "d.txt": "x\n" });
    const text = [
      "diff --git a/new.sh b/new.sh",
      "new file mode 100755",
      "--- /dev/null",
      "+++ b/new.sh",
      "@@ -0,0 +1 @@",
      "+echo",
      "\\ No newline at end of file",
      "diff --git a/b.txt b/b.txt",
      "old mode 100644",
      "new mode 100755",
      "--- a/b.txt",
      "+++ b/b.txt",
      "@@ -1,3 +1,2 @@",
      " one",
      "-two",
      " three",
      "@@ -6 +5,2 @@ five",
      " six",
      "+seven",
      "diff --git a/c.bin b/c/d.bin",
      "similarity index 100%",
      "rename from c.bin",
      "rename to c/d.bin",
      "diff --git a/d.txt b/d.txt",
      "deleted file mode 100644",
      "--- a/d.txt",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-x",
      "",
    ].join("\n");
    expect(await scratch.run(applyPatchTool, { patch: text })).toEqual({
      success: true,
      output: "added new.sh\nupdated b.txt (2 hunks)\nmoved c.bin to c/d.bin\ndeleted d.txt",
    });
    expect(await scratch.text("new.sh")).toBe("echo");
    expect((await scratch.draft.stat("new.sh")).mode).toBe(0o755);
    expect(await scratch.text("b.txt")).toBe("one\nthree\nfour\nfive\nsix\nseven\n");
    expect((await scratch.draft.stat("b.txt")).mode).toBe(0o755);
    expect(await scratch.text("c/d.bin")).toBe("a\0b");
    expect((await scratch.draft.readDirectory("")).map(({ name }) => name)).toEqual(["b.txt", "c", "new.sh"]);
  });

  it("applies later sections to what earlier ones leave, by whatever name", async () => {
    const text = envelope(
      "*** Update File: a.txt",
      " one",
      "-two",
      "+2",
      "*** Update File: link",
      " five",
      "-six",
      "+6",
      "*** Delete File: b.txt",
      "*** Add File: b.txt",
      "+again",
    );
    const { files } = await patch({ "a.txt": LINES, "b.txt": "b\n", link: { target: "a.txt" } }, text);
    expect(files).toEqual({ "a.txt": "one\n2\nthree\nfour\nfive\n6\n", "b.txt": "again\n" });
  });

  it("keeps CRLF, a byte order mark and a missing newline at the end", async () => {
    const text = envelope(
      "*** Update File: a.txt",
      "-one",
      "+1",
      " two",
      "*** Update File: b.txt",
      " one",
      "-two",
      "+2",
      "+3",
    );
    const { files } = await patch({ "a.txt": "\ufeffone\r\ntwo\r\n", "b.txt": "one\r\ntwo" }, text);
    expect(files).toEqual({ "a.txt": "\ufeff1\r\ntwo\r\n", "b.txt": "one\r\n2\r\n3" });
  });

  it("changes line ends and the newline at the end where a unified patch spells them out", async () => {
    const ends = unified("a.txt", "@@ -1,2 +1,2 @@", "-one\r", "+one", " two\r");
    expect((await patch({ "a.txt": "one\r\ntwo\r\n" }, ends)).files).toEqual({ "a.txt": "one\ntwo\r\n" });
    const added = unified("a.txt", "@@ -1 +1 @@", "-one", "\\ No newline at end of file", "+one");
    expect((await patch({ "a.txt": "one" }, added)).files).toEqual({ "a.txt": "one\n" });
    const taken = unified("a.txt", "@@ -1 +1 @@", "-one", "+one", "\\ No newline at end of file");
    expect((await patch({ "a.txt": "one\n" }, taken)).files).toEqual({ "a.txt": "one" });
  });

  it("takes a patch that was written with CRLF, with prose around it, and for a file in a directory called a", async () => {
    const text = unified("f.txt", "@@ -1,2 +1,2 @@", " one", "-two", "+2");
    expect((await patch({ "f.txt": LINES }, text.replaceAll("\n", "\r\n"))).outcome.success).toBe(true);
    expect((await patch({ "f.txt": LINES }, `${text}-- \n2.39.5\n\n`)).outcome).toEqual({
      success: true,
      output: "updated f.txt (1 hunk)",
    });
    expect((await patch({ "f.txt": LINES }, `Here it is:\n\n${text}`)).outcome.success).toBe(true);
    const plain = "--- a/f.txt\n+++ a/f.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    expect((await patch({ "a/f.txt": "one\ntwo\n" }, plain)).files).toEqual({ "a/f.txt": "one\n2\n" });
  });

  it.each([
    [
      "the line numbers are wrong",
      unified("a.txt", "@@ -1,2 +1,2 @@", " five", "-six", "+6"),
      "updated a.txt (1 hunk)\n(a.txt: hunk 1 was found at line 5, not at line 1)",
    ],
    [
      "the line counts are wrong",
      unified("a.txt", "@@ -5,9 +5,7 @@", " five", "-six", "+6", ""),
      "updated a.txt (1 hunk)\n(the line numbers in the patch were wrong or missing and were counted anew)",
    ],
    [
      "the line numbers are missing",
      unified("a.txt", "@@ ... @@", " five", "-six", "+6"),
      "updated a.txt (1 hunk)\n(the line numbers in the patch were wrong or missing and were counted anew)",
    ],
    [
      "white space at the ends of lines differs",
      envelope("*** Update File: a.txt", " five  ", "-six\t", "+6"),
      "updated a.txt (1 hunk)\n(a.txt: hunk 1 fits at line 5 only if white space at the ends of lines does not count; look at the result)",
    ],
    [
      "white space around lines differs",
      envelope("*** Update File: a.txt", "   five", "-  six", "+6"),
      "updated a.txt (1 hunk)\n(a.txt: hunk 1 fits at line 5 only if white space around lines does not count; look at the result)",
    ],
  ])("applies and says so when %s", async (_name, text, output) => {
    expect(await patch({ "a.txt": LINES }, text)).toEqual({
      outcome: { success: true, output },
      files: { "a.txt": LINES.replace("six", "6") },
    });
  });

  const TWICE = "def a\n  run\n  end\ndef b\n  run\n  end\n";

  it("tells equal places apart by a line number, an anchor and the end of the file", async () => {
    const second = "def a\n  run\n  end\ndef b\n  go\n  end\n";
    const change = ["-  run", "+  go", "   end"];
    const expected = { "a.rb": second };
    expect((await patch({ "a.rb": TWICE }, unified("a.rb", "@@ -5,2 +5,2 @@", ...change))).files).toEqual(expected);
    const anchored = envelope("*** Update File: a.rb", "@@ def b", ...change);
    expect((await patch({ "a.rb": TWICE }, anchored)).files).toEqual(expected);
    const atEnd = envelope("*** Update File: a.rb", ...change, "*** End of File");
    expect((await patch({ "a.rb": TWICE }, atEnd)).files).toEqual(expected);
    const first = envelope("*** Update File: a.rb", "@@ def a", ...change);
    expect((await patch({ "a.rb": TWICE }, first)).files).toEqual({ "a.rb": TWICE.replace("run", "go") });
  });

  const good = ["*** Update File: b.txt", "-b", "+B"];
  it.each([
    [
      "the lines are not there",
      envelope(...good, "*** Update File: a.rb", " def a", "-  stop", "+  go"),
      'Cannot patch "a.rb": hunk 1 does not apply, as its lines are not in the file: line 2 is "  run" and not "  stop"; read the file again',
    ],
    [
      "the lines fit at two places",
      envelope(...good, "*** Update File: a.rb", "-  run", "+  go"),
      'Cannot patch "a.rb": hunk 1 fits at lines 2 and 5; give more unchanged lines around the change',
    ],
    [
      "a line number is wrong and the lines fit at two places",
      unified("a.rb", "@@ -1,2 +1,2 @@", "-  run", "+  go", "   end"),
      'Cannot patch "a.rb": hunk 1 fits at lines 2 and 5; give more unchanged lines around the change',
    ],
    [
      "an anchor is not there",
      envelope(...good, "*** Update File: a.rb", "@@ def c", "-  run", "+  go"),
      'Cannot patch "a.rb": hunk 1 does not apply, as no line is "def c"; copy a line of the file after "@@ "',
    ],
    [
      "an anchor is there twice",
      envelope(...good, "*** Update File: a.rb", "@@   run", "-  end", "+  stop"),
      'Cannot patch "a.rb": the line "  run" is at lines 2 and 5; give another "@@ " line before it, or more context',
    ],
    [
      "a hunk only adds",
      envelope(...good, "*** Update File: a.rb", "@@ def a", "+  go"),
      'Cannot patch "a.rb": hunk 1 only adds lines and has no context; give unchanged lines around the new ones',
    ],
    [
      "a file to add exists",
      envelope(...good, "*** Add File: a.rb", "+x"),
      'Cannot patch "a.rb": it is to be added and exists already; update it, or choose another path',
    ],
    [
      "a file to update is missing",
      envelope(...good, "*** Update File: a.rbx", "-x", "+y"),
      'Cannot patch "a.rbx": there is nothing at this path; did you mean "a.rb"?',
    ],
    [
      "a file was deleted before",
      envelope(...good, "*** Delete File: a.rb", "*** Update File: a.rb", "-x", "+y"),
      'Cannot patch "a.rb": the patch itself deletes or moves it before; put all changes of a file in one section',
    ],
    [
      "something is at the target of a move",
      envelope("*** Update File: b.txt", "*** Move to: a.rb", "-b", "+B"),
      'Cannot patch "b.txt": there is something at "a.rb" already; move it to a free path',
    ],
    [
      "a file is added below a file",
      envelope("*** Add File: x", "+x", "*** Add File: x/y", "+y"),
      'Cannot patch "x/y": a part of it that has to be a directory is something else; name an existing directory',
    ],
    [
      "a deleted file holds more than the patch knows",
      "--- a/a.rb\n+++ /dev/null\n@@ -1 +0,0 @@\n-def a\n",
      'Cannot patch "a.rb": it is to be deleted, and holds more lines than the patch takes away; read it again',
    ],
    [
      "a symlink is to be deleted",
      envelope("*** Delete File: link"),
      'Cannot patch "link": it is a symlink; only files can be patched',
    ],
    [
      "a directory is to be deleted",
      envelope("*** Delete File: dir"),
      'Cannot patch "dir": it is a directory; only files can be patched',
    ],
    [
      "a path leads out",
      envelope(...good, "*** Add File: ../x", "+x"),
      'Cannot patch "../x": it leads out of the workspace; name a path inside it, relative to its root',
    ],
  ])("changes no file when %s", async (_name, text, error) => {
    const files = { "a.rb": TWICE, "b.txt": "b\n", "dir/f": "", link: { target: "b.txt" } };
    expect(await patch(files, text)).toEqual({
      outcome: { success: false, error: `${error} (no file was changed)`, errorKind: "business" },
      files: {},
    });
  });

  it("says where a loose fit is not the only one", async () => {
    const text = envelope("*** Update File: a.rb", "-run", "+go");
    expect((await patch({ "a.rb": TWICE }, text)).outcome).toMatchObject({
      error:
        'Cannot patch "a.rb": hunk 1 fits at lines 2 and 5; give more unchanged lines around the change (no file was changed)',
    });
  });

  const remedy = 'give a unified diff, or the form from "*** Begin Patch" to "*** End Patch"';
  it.each([
    ["hello", 'neither "--- " and "+++ " lines nor "*** Begin Patch" are in it'],
    ["*** Begin Patch\n*** Add File: a\n+x\n", 'there is no "*** End Patch" line, so a part of it may be missing'],
    [envelope(), "no file is changed in it"],
    [envelope("*** Rename File: a"), 'line 2 is not expected there: "*** Rename File: a"'],
    [envelope("*** Add File: a", "+x", "y"), 'line 4 of an added file does not start with "+"'],
    [envelope("*** Update File: a", "@@"), "the hunk at line 3 has no lines"],
    [envelope("*** Update File: a"), 'nothing is changed in "a"'],
    [envelope("*** Update File: a", " x", "y"), 'line 4 is not expected there: "y"'],
    ["@@ -1 +1 @@\n-a\n+b\n", 'there are hunks without "--- " and "+++ " lines, so their file is not known'],
    ["--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\nc\n+d\n", 'there are lines with "+" or "-" that belong to no hunk'],
    ["--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n@@\nc\n+d\n", 'a line starts with "@@" and is not like "@@ -1,2 +1,3 @@"'],
    [
      "diff --git a/a b/a\nnew file mode 120000\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+b\n",
      '"a" has the mode 120000; only files of the modes 100644 and 100755 can be patched',
    ],
    [
      "diff --git a/a b/a\nindex 1..2 100644\nBinary files a/a and b/a differ\n",
      '"a" is changed as binary data, which has to be written otherwise',
    ],
    [
      "diff --git a/a b/a\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n",
      '"a" is changed as binary data, which has to be written otherwise',
    ],
    ["diff --git a/a b/b\ncopy from a\ncopy to b\n", '"b" is a copy of another file, which a patch here cannot make'],
    [
      "--- /dev/null\n+++ b/a\n@@ -1 +1,2 @@\n x\n+y\n",
      '"a" is to be added, and its hunk has lines that exist already',
    ],
  ])("refuses the patch %j", async (text, problem) => {
    await using scratch = await createToolScratch();
    expect(await scratch.run(applyPatchTool, { patch: text })).toEqual({
      success: false,
      error: `Cannot read the patch: ${problem}; ${remedy}`,
      errorKind: "business",
    });
  });

  it.each([
    ["an update", envelope("*** Update File: a.txt", "-one", "+1")],
    ["a deletion", envelope("*** Delete File: a.txt")],
  ])("refuses %s of a file that changed since it was read", async (_name, text) => {
    await using scratch = await createToolScratch({ "a.txt": LINES });
    await scratch.run(readFileTool, { path: "a.txt" });
    await scratch.draft.writeFile("a.txt", `${LINES}more\n`);
    expect(await scratch.run(applyPatchTool, { patch: text })).toMatchObject({ success: false, errorKind: "conflict" });
    await scratch.run(readFileTool, { path: "a.txt" });
    expect((await scratch.run(applyPatchTool, { patch: text })).success).toBe(true);
  });

  it("knows what it added and moved itself", async () => {
    await using scratch = await createToolScratch({ "a.txt": LINES });
    await scratch.run(readFileTool, { path: "a.txt" });
    const text = envelope("*** Add File: b", "+b", "*** Update File: a.txt", "*** Move to: c.txt", "-one", "+1");
    await scratch.run(applyPatchTool, { patch: text });
    for (const path of ["b", "c.txt"]) {
      expect((await scratch.run(writeFileTool, { path, content: "" })).success).toBe(true);
    }
  });

  it("describes itself to a reviewer", () => {
    const text = envelope("*** Update File: a", "*** Move to: b", "*** Delete File: c");
    expect(applyPatchTool.describe?.({ patch: text } as never)).toBe("Patch: moved a to b, deleted c");
    expect(applyPatchTool.describe?.({ patch: "?" } as never)).toBe("Apply a patch that cannot be read");
  });
});
