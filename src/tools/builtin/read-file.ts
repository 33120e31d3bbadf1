import type { ToolOutcome } from "../../contract/tool.ts";
import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { formatSize } from "../format-size.ts";
import { type Page, readPage } from "../read-page.ts";

const MAX_TEXT_BYTES = 262_144;
const MAX_LINE_CHARACTERS = 2_000;

/** Reads a text file, or some lines of it. */
export const readFileTool = defineTool({
  name: "read_file",
  description: `Reads a text file of the workspace. Each line comes with its number and a tab before it. The last line of the answer, in parentheses, says how many lines there are and how to read on. One call gives at most ${MAX_TEXT_BYTES / 1_024} KiB of text; lines longer than ${count(MAX_LINE_CHARACTERS, "character")} are cut. Binary files are refused.`,
  risk: "read",
  capabilities: ["files"],
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
  execute: (input, { workspace, signal }) =>
    explainPathErrors(
      { action: "read", workspace, sentences: { "is-a-directory": coreToolMessages.directoryToRead } },
      async () => {
        const { path, offset, limit } = input;
        const { sizeBytes } = await workspace.stat(path);
        const page = await readPage(workspace, path, {
          firstLine: offset,
          maxLines: limit,
          maxBytes: MAX_TEXT_BYTES,
          maxLineCharacters: MAX_LINE_CHARACTERS,
          signal,
        });
        return page.kind === "binary"
          ? { success: false, error: coreToolMessages.binaryFile(path, page.description, formatSize(sizeBytes)) }
          : answer(path, offset, page);
      },
    ),
});

function answer(path: string, offset: number, page: Extract<Page, { kind: "text" }>): ToolOutcome {
  const { lines, totalLines } = page;
  if (totalLines === 0) return { success: true, output: "(the file is empty)" };
  if (lines.length === 0) return { success: false, error: coreToolMessages.beyondEnd(path, offset, totalLines ?? 0) };
  const numbered = lines.map(({ text, cutFromBytes }, index) => {
    const note = cutFromBytes === undefined ? "" : ` … (line cut: it has ${count(cutFromBytes, "byte")})`;
    return `${String(offset + index).padStart(6)}\t${text}${note}`;
  });
  return { success: true, output: [...numbered, describePage(offset, page)].join("\n") };
}

function describePage(offset: number, page: Extract<Page, { kind: "text" }>): string {
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
