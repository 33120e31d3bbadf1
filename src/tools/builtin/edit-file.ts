import { isUtf8 } from "node:buffer";
import type { ToolOutcome } from "../../contract/tool.ts";
import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { findBinaryKind } from "../binary-kind.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { type NearMatch, type ReplacedText, replaceText } from "../replace-text.ts";

const MAX_BYTES = 16_777_216;
const MAX_SHOWN_LINES = 20;
const CONTEXT_LINES = 2;

/** Replaces an exact text in a file. */
export const editFileTool = defineTool({
  name: "edit_file",
  description:
    'Replaces "old_text" by "new_text" in a UTF-8 text file of the workspace. The text must be in the file exactly once, character by character, white space included; with "replace_all" each place is replaced. Line ends stay as they are in the file (write LF here for CRLF files too). The answer shows the changed lines.',
  risk: "write",
  capabilities: ["files"],
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "The file, relative to the workspace" },
      old_text: { type: "string", minLength: 1, description: "The text as it is, without line numbers" },
      new_text: { type: "string", description: "The text as it shall become" },
      replace_all: { type: "boolean", default: false, description: "Replace each place where the text is" },
    },
    required: ["path", "old_text", "new_text"],
  },
  describe: ({ path }) => `Edit ${path}`,
  execute: ({ path, old_text: oldText, new_text: newText, replace_all: replaceAll }, { workspace }) =>
    explainPathErrors({ action: "edit", workspace }, async () => {
      if (oldText === newText) return { success: false, error: coreToolMessages.sameText(path) };
      const bytes = await workspace.readFile(path, { maxBytes: MAX_BYTES });
      const kind = findBinaryKind(bytes) ?? (isUtf8(bytes) ? undefined : "text in another encoding than UTF-8");
      if (kind !== undefined) return { success: false, error: coreToolMessages.notText(path, kind) };
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
      const result = replaceText(text, { oldText, newText }, { replaceAll, maxLength: MAX_BYTES });
      if (result.kind !== "replaced") return explainNoEdit(path, result);
      // Possible where only line ends differ, which are the file's own.
      if (result.text === text) return { success: false, error: coreToolMessages.sameText(path) };
      await workspace.writeFile(path, result.text);
      return { success: true, output: describeEdit(path, result, newText) };
    }),
});

function explainNoEdit(path: string, result: Exclude<ReplacedText, { kind: "replaced" }>): ToolOutcome {
  if (result.kind === "several") {
    return { success: false, error: coreToolMessages.manyMatches(path, result.lines.length, listLines(result.lines)) };
  }
  if (result.kind === "too-large") return { success: false, error: coreToolMessages.largeResult(path) };
  return { success: false, error: coreToolMessages.noMatch(path, hintAt(result.near)) };
}

function hintAt(near: NearMatch | undefined): string {
  if (near === undefined) return "";
  if (near.kind === "first-line") return coreToolMessages.firstLineMatch(near.line);
  const lines = near.text.split("\n");
  const shown = lines.length > MAX_SHOWN_LINES ? [...lines.slice(0, MAX_SHOWN_LINES), "…"] : lines;
  return coreToolMessages.nearMatch(near.first, near.last, shown.join("\n"));
}

function describeEdit(path: string, result: Extract<ReplacedText, { kind: "replaced" }>, newText: string): string {
  const places = result.lines.length === 1 ? `at line ${result.lines[0] ?? 1}` : `at lines ${listLines(result.lines)}`;
  const summary = `Edited ${displayPath(path)}: ${count(result.lines.length, "replacement")} ${places}`;
  return result.lines.length === 1 ? `${summary}\n${showChange(result.text, result.lines[0] ?? 1, newText)}` : summary;
}

/** The lines around a change, numbered as `read_file` does it. */
function showChange(text: string, line: number, newText: string): string {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const first = Math.max(1, line - CONTEXT_LINES);
  const last = Math.min(lines.length, line + newText.split("\n").length - 1 + CONTEXT_LINES);
  const shown = lines.slice(first - 1, Math.min(last, first + MAX_SHOWN_LINES - 1));
  const numbered = shown.map((each, index) => `${String(first + index).padStart(6)}\t${each.slice(0, 500)}`);
  return (last - first + 1 > shown.length ? [...numbered, "     …"] : numbered).join("\n");
}

function listLines(lines: readonly number[]): string {
  const shown = lines.slice(0, 10);
  const more = lines.length - shown.length;
  if (more > 0) return `${shown.join(", ")} and ${more} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`;
}
