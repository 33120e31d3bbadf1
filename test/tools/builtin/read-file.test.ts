import { describe, expect, it } from "vitest";
import { readFileTool } from "../../../src/tools/builtin/read-file.ts";
import { makePdf } from "../pdf/make-pdf.ts";
import { createToolScratch } from "../tool-scratch.ts";

const failure = (error: string) => ({ success: false, error, errorKind: "business" });

describe("read_file", () => {
  it("numbers the lines and says that these are all", async () => {
    await using scratch = await createToolScratch({ "src/a.txt": "one\ntwo\n\nfour\n" });
    expect(await scratch.run(readFileTool, { path: "src/a.txt" })).toEqual({
      success: true,
      output: "     1\tone\n     2\ttwo\n     3\t\n     4\tfour\n(all of 4 lines)",
    });
  });

  it("reads what the draft holds, under each spelling of the path", async () => {
    await using scratch = await createToolScratch({ "a.txt": "old\n" });
    await scratch.draft.writeFile("a.txt", "new\n");
    for (const path of ["a.txt", "./a.txt", "/workspace/a.txt"]) {
      expect((await scratch.run(readFileTool, { path })).output).toBe("     1\tnew\n(all of 1 line)");
    }
  });

  it("says how to read on when lines are left", async () => {
    await using scratch = await createToolScratch({
      "a.txt": Array.from({ length: 10 }, (_, i) => `l${i + 1}\n`).join(""),
    });
    expect((await scratch.run(readFileTool, { path: "a.txt", offset: 4, limit: 2 })).output).toBe(
      "     4\tl4\n     5\tl5\n(lines 4-5 of 10 lines; read on with offset 6)",
    );
    expect((await scratch.run(readFileTool, { path: "a.txt", offset: 9 })).output).toBe(
      "     9\tl9\n    10\tl10\n(lines 9-10 of 10 lines)",
    );
    expect((await scratch.run(readFileTool, { path: "a.txt" })).output).toContain("(all of 10 lines)");
  });

  it("says that a file is empty", async () => {
    await using scratch = await createToolScratch({ "a.txt": "" });
    expect(await scratch.run(readFileTool, { path: "a.txt" })).toEqual({
      success: true,
      output: "(the file is empty)",
    });
  });

  it("mentions a missing newline, CRLF and bytes that are no UTF-8", async () => {
    await using scratch = await createToolScratch({
      "a.txt": "a\r\nb",
      "b.txt": Buffer.from([0x61, 0xe9, 0x0a]),
    });
    expect((await scratch.run(readFileTool, { path: "a.txt" })).output).toBe(
      "     1\ta\n     2\tb\n(all of 2 lines; no newline at the end; lines end in CRLF)",
    );
    expect((await scratch.run(readFileTool, { path: "b.txt" })).output).toBe(
      "     1\ta\ufffd\n(all of 1 line; bytes that are no UTF-8 are shown as \ufffd)",
    );
  });

  it("cuts long lines between characters and says how long they are", async () => {
    await using scratch = await createToolScratch({ "a.txt": `${"😀".repeat(2_001)}\n${"b".repeat(2_000)}\n` });
    expect((await scratch.run(readFileTool, { path: "a.txt" })).output).toBe(
      `     1\t${"😀".repeat(2_000)} … (line cut: it has 8,004 bytes)\n     2\t${"b".repeat(2_000)}\n(all of 2 lines)`,
    );
  });

  it("gives at most 256 KiB of text and goes on from there", async () => {
    await using scratch = await createToolScratch({ "a.txt": `${"x".repeat(1_023)}\n`.repeat(1_000) });
    const first = await scratch.run(readFileTool, { path: "a.txt" });
    expect(first.output).toMatch(/\(lines 1-256 of 1,000 lines; read on with offset 257\)$/);
  });

  it("reads a page out of the middle of a huge file with one endless line", async () => {
    const big = `${"y".repeat(30_000_000)}\nsecond\n${"z\n".repeat(100_000)}`;
    await using scratch = await createToolScratch({ "big.txt": big });
    const before = process.memoryUsage().arrayBuffers;
    expect((await scratch.run(readFileTool, { path: "big.txt", offset: 2, limit: 2 })).output).toBe(
      "     2\tsecond\n     3\tz\n(lines 2-3 of 100,002 lines; read on with offset 4)",
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64_000_000);
  });

  it("does not count all lines of an enormous file", async () => {
    await using scratch = await createToolScratch({ "big.txt": Buffer.alloc(70_000_000, "line\n") });
    expect((await scratch.run(readFileTool, { path: "big.txt", limit: 1 })).output).toBe(
      "     1\tline\n(lines 1-1 of many; read on with offset 2)",
    );
  });

  it.each<[string, Uint8Array, string]>([
    [
      "a ZIP archive",
      Buffer.from("PK\u0003\u0004"),
      "a ZIP archive (also used by jar, docx, xlsx and whl files) of 4 B",
    ],
    ["UTF-16", Buffer.from("\ufeffhi", "utf16le"), "UTF-16 text of 6 B"],
    ["other binary data", Buffer.alloc(2_048), "binary data of 2 KB"],
  ])("refuses %s and says what it is", async (_name, content, what) => {
    await using scratch = await createToolScratch({ "a.bin": content });
    expect(await scratch.run(readFileTool, { path: "a.bin" })).toEqual(
      failure(`Cannot read "a.bin": it is ${what}; use "shell" to look at it with a program that knows the format`),
    );
  });

  it("sends the agent to read_image for an image", async () => {
    await using scratch = await createToolScratch({ "a.txt": Buffer.from("89504e470d0a1a0a0000", "hex") });
    expect(await scratch.run(readFileTool, { path: "a.txt" })).toEqual(
      failure('Cannot read "a.txt": it is a PNG image of 10 B; use "read_image" to look at it'),
    );
  });

  it("shows a PDF as the text of its pages, page by page", async () => {
    const pages = [["Title", "First"], [], ...Array.from({ length: 30 }, (_, index) => [`text ${index + 3}`])];
    await using scratch = await createToolScratch({ "a.pdf": makePdf(pages) });
    expect((await scratch.run(readFileTool, { path: "a.pdf", limit: 4 })).output).toBe(
      [
        "     1\t[page 1]\n     2\tTitle\n     3\tFirst\n     4\t[page 2]",
        "(lines 1-4 of many; read on with offset 5)",
        "(the text of a PDF of 32 pages; 1 page without text, such as a scan)",
      ].join("\n"),
    );
    expect((await scratch.run(readFileTool, { path: "a.pdf", offset: 63 })).output).toBe(
      "    63\t[page 32]\n    64\ttext 32\n(lines 63-64 of 64 lines)\n(the text of a PDF of 32 pages; 1 page without text, such as a scan)",
    );
    expect(await scratch.run(readFileTool, { path: "a.pdf", offset: 65 })).toEqual(
      failure('Cannot read "a.pdf": line 65 is beyond its end; it has 64 lines, so use an offset of at most 64'),
    );
  });

  it("says why a PDF cannot be read", async () => {
    const trailer = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${"00".repeat(32)}> /U <${"11".repeat(32)}> >> /ID [<00> <00>]`;
    await using scratch = await createToolScratch({
      "locked.pdf": makePdf([["secret"]], trailer),
      "cut.pdf": makePdf([["text"]]).subarray(0, 60),
    });
    expect(await scratch.run(readFileTool, { path: "locked.pdf" })).toEqual(
      failure('Cannot read "locked.pdf": it is a PDF document with a password; ask the user for a copy without one'),
    );
    expect(await scratch.run(readFileTool, { path: "cut.pdf" })).toEqual(
      failure(
        'Cannot read "cut.pdf": it is a PDF document that is damaged; use "shell" to look at it with a program that can mend it',
      ),
    );
  });

  it("shows a notebook as cells with what came of them, page by page", async () => {
    const notebook = {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [
        { cell_type: "markdown", metadata: {}, source: ["# Title\n", "text"] },
        {
          cell_type: "code",
          execution_count: 1,
          metadata: {},
          source: "print(1)\nplot()",
          outputs: [
            { output_type: "stream", name: "stdout", text: ["1\n"] },
            { output_type: "display_data", metadata: {}, data: { "image/png": "AAAA", "text/plain": ["<Figure>"] } },
            { output_type: "error", ename: "E", evalue: "bad", traceback: ["\u001b[0;31mE\u001b[0m: bad"] },
          ],
        },
      ],
    };
    await using scratch = await createToolScratch({ "a.ipynb": JSON.stringify(notebook) });
    const note = '(a notebook of 2 cells; in the file it is JSON, which "grep" and "edit_file" see)';
    expect((await scratch.run(readFileTool, { path: "a.ipynb" })).output?.split("\n")).toEqual([
      "     1\t[cell 1: markdown]",
      "     2\t# Title",
      "     3\ttext",
      "     4\t[cell 2: code]",
      "     5\tprint(1)",
      "     6\tplot()",
      "     7\t[cell 2, stdout]",
      "     8\t1",
      "     9\t[cell 2, output; also as image/png]",
      "    10\t<Figure>",
      "    11\t[cell 2, error]",
      "    12\tE: bad",
      "(all of 12 lines)",
      note,
    ]);
    expect((await scratch.run(readFileTool, { path: "a.ipynb", offset: 2, limit: 1 })).output).toBe(
      `     2\t# Title\n(lines 2-2 of 12 lines; read on with offset 3)\n${note}`,
    );
  });

  it.each([
    ["is no JSON", "{", "     1\t{\n(all of 1 line; no newline at the end)"],
    ["has another format", '{"nbformat":3}', '     1\t{"nbformat":3}\n(all of 1 line; no newline at the end)'],
  ])("shows a notebook as text when it %s", async (_name, text, output) => {
    await using scratch = await createToolScratch({ "a.ipynb": text });
    expect((await scratch.run(readFileTool, { path: "a.ipynb" })).output).toBe(output);
  });

  it.each([
    [
      "an offset beyond the end",
      { path: "src/index.ts", offset: 5 },
      'Cannot read "src/index.ts": line 5 is beyond its end; it has 2 lines, so use an offset of at most 2',
    ],
    [
      "a misspelt name",
      { path: "src/indx.ts" },
      'Cannot read "src/indx.ts": there is nothing at this path; did you mean "src/index.ts"?',
    ],
    [
      "a name like no other",
      { path: "src/zzzzzz" },
      'Cannot read "src/zzzzzz": there is nothing at this path; list its directory to see what is there',
    ],
    ["a directory", { path: "src" }, 'Cannot read "src": it is a directory; use "list_files" to see what is in it'],
    [
      "a path that leads out",
      { path: "../secret" },
      'Cannot read "../secret": it leads out of the workspace; name a path inside it, relative to its root',
    ],
  ])("fails when given %s", async (_name, input, error) => {
    await using scratch = await createToolScratch({ "src/index.ts": "a\nb\n" });
    const outcome = await scratch.run(readFileTool, input);
    expect(outcome).toEqual(failure(error));
  });

  it("stops when the call is aborted", async () => {
    await using scratch = await createToolScratch({ "a.txt": "a\n" });
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(scratch.run(readFileTool, { path: "a.txt" }, { signal })).rejects.toThrow("stop");
  });

  it("refuses a limit of 0", async () => {
    await using scratch = await createToolScratch();
    expect(await scratch.run(readFileTool, { path: "a", limit: 0 })).toEqual({
      success: false,
      error: "(input error: limit must be at least 1, not 0)",
      errorKind: "validation",
    });
  });
});
