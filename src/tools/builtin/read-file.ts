import type { ReadContext, ToolOutcome } from "../../contract/tool.ts";
import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { PDF_KIND } from "../binary-kind.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { formatSize } from "../format-size.ts";
import { findImageType, IMAGE_START_BYTES } from "../image-type.ts";
import { readNotebook } from "../notebook.ts";
import { readPdf } from "../pdf/read-pdf.ts";
import { contentPrint, ContentPrinter, readMemoryOf, statPrint } from "../read-memory.ts";
import { pageOfLines, readPage, type PageBounds, type TextPage } from "../read-page.ts";

const MAX_TEXT_BYTES = 262_144;
const MAX_LINE_CHARACTERS = 2_000;

/** Reads a text file, or some lines of it. */
export const readFileTool = defineTool({
  name: "read_file",
  description: `Reads a text file of the workspace. Each line comes with its number and a tab before it. The last line of the answer, in parentheses, says how many lines there are and how to read on. One call gives at most ${MAX_TEXT_BYTES / 1_024} KiB of text; lines longer than ${count(MAX_LINE_CHARACTERS, "character")} are cut. A Jupyter notebook is shown as its cells, with what they printed, and a PDF as the text of its pages. Images are for "read_image"; other binary files are refused.`,
  risk: "read",
  capabilities: ["files"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "The file, relative to the workspace", minLength: 1 },
      offset: { type: "integer", minimum: 1, default: 1, description: "The number of the first line to read, from 1" },
      limit: { type: "integer", minimum: 1, maximum: 10_000, default: 2_000, description: "How many lines at most" },
    },
    required: ["path"],
  },
  describe: ({ path }) => `Read ${path}`,
  execute: (input, context) =>
    explainPathErrors(
      {
        action: "read",
        workspace: context.workspace,
        sentences: { "is-a-directory": coreToolMessages.directoryToRead },
      },
      async () =>
        (NOTEBOOK_NAME.test(input.path) ? await readCells(input, context) : undefined) ?? read(input, context),
    ),
});

const NOTEBOOK_NAME = /\.ipynb$/i;
const MAX_NOTEBOOK_BYTES = 16_777_216;
const MAX_PDF_BYTES = 33_554_432;

interface Input {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
}

async function read({ path, offset, limit }: Input, { workspace, signal, state }: ReadContext): Promise<ToolOutcome> {
  const stat = await workspace.stat(path);
  const printer = new ContentPrinter();
  const page = await readPage(workspace, path, {
    ...boundsOf(offset, limit),
    signal,
    onPiece: (piece) => printer.add(piece),
  });
  // A binary file counts as seen as well: what it is is all that can be said of it.
  const isWhole = page.kind === "text" && page.totalLines !== undefined;
  readMemoryOf(state).remember(await workspace.realPath(path), isWhole ? printer.finish() : statPrint(stat));
  if (page.kind === "text") return answer(path, offset, page);
  if (page.description === PDF_KIND && stat.sizeBytes <= MAX_PDF_BYTES) {
    return await readPages({ path, offset, limit }, { workspace, signal });
  }
  const start = await workspace.readFile(path, { lengthBytes: IMAGE_START_BYTES });
  const sentence = findImageType(start) === undefined ? coreToolMessages.binaryFile : coreToolMessages.imageFile;
  return { success: false, error: sentence(path, page.description, formatSize(stat.sizeBytes)) };
}

async function readPages(
  { path, offset, limit }: Input,
  { workspace, signal }: Pick<ReadContext, "workspace" | "signal">,
): Promise<ToolOutcome> {
  const bytes = await workspace.readFile(path, { maxBytes: MAX_PDF_BYTES });
  const pdf = await readPdf(bytes, { maxLines: offset + limit, signal });
  if (pdf.kind === "failed") return { success: false, error: coreToolMessages.unreadablePdf(path, pdf.reason) };
  const page = pageOfLines(pdf.lines, boundsOf(offset, limit));
  const totalLines = pdf.stopped === "lines" ? undefined : page.totalLines;
  const outcome = answer(path, offset, { ...page, totalLines });
  return outcome.success ? { ...outcome, output: `${outcome.output}\n${coreToolMessages.pdfNote(pdf)}` } : outcome;
}

/** `undefined` for what only has a notebook's name. */
async function readCells(
  { path, offset, limit }: Input,
  { workspace, state }: ReadContext,
): Promise<ToolOutcome | undefined> {
  if ((await workspace.stat(path)).sizeBytes > MAX_NOTEBOOK_BYTES) return undefined;
  const bytes = await workspace.readFile(path, { maxBytes: MAX_NOTEBOOK_BYTES });
  const notebook = readNotebook(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  if (notebook === undefined) return undefined;
  readMemoryOf(state).remember(await workspace.realPath(path), contentPrint(bytes));
  const page = pageOfLines(notebook.lines, boundsOf(offset, limit));
  const outcome = answer(path, offset, page);
  if (!outcome.success) return outcome;
  const note = `(a notebook of ${count(notebook.cells, "cell")}; in the file it is JSON, which "grep" and "edit_file" see)`;
  return { ...outcome, output: `${outcome.output}\n${note}` };
}

function boundsOf(offset: number, limit: number): PageBounds {
  return {
    firstLine: offset,
    maxLines: limit,
    maxBytes: MAX_TEXT_BYTES,
    maxLineCharacters: MAX_LINE_CHARACTERS,
  };
}

function answer(path: string, offset: number, page: TextPage): ToolOutcome {
  const { lines, totalLines } = page;
  if (totalLines === 0) return { success: true, output: "(the file is empty)" };
  if (lines.length === 0) return { success: false, error: coreToolMessages.beyondEnd(path, offset, totalLines ?? 0) };
  const numbered = lines.map(({ text, cutFromBytes }, index) => {
    const note = cutFromBytes === undefined ? "" : ` … (line cut: it has ${count(cutFromBytes, "byte")})`;
    return `${String(offset + index).padStart(6)}\t${text}${note}`;
  });
  return { success: true, output: [...numbered, describePage(offset, page)].join("\n") };
}

function describePage(offset: number, page: TextPage): string {
  const { lines, totalLines } = page;
  const last = offset + lines.length - 1;
  const isAtEnd = last === totalLines;
  const total = totalLines === undefined ? "many" : count(totalLines, "line");
  const notes = [
    offset === 1 && isAtEnd ? `all of ${total}` : `lines ${offset}-${last} of ${total}`,
    ...(isAtEnd ? [] : [`read on with offset ${last + 1}`]),
    ...(isAtEnd && !page.endsWithNewline ? ["no newline at the end"] : []),
    ...(page.hasCarriageReturns ? ["lines end in CRLF"] : []),
    ...(page.hasOtherBytes ? ["bytes that are no UTF-8 are shown as \ufffd"] : []),
  ];
  return `(${notes.join("; ")})`;
}
