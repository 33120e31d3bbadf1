import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { defineTool } from "../define-tool.ts";
import { MAX_EDITED, readEditableText, writeEditedFile } from "../editable-text.ts";
import { describePlaces, explainNoEdit } from "../explain-edit.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { type ReplacedText, replaceText } from "../replace-text.ts";

const MAX_SHOWN_LINES = 20;
const CONTEXT_LINES = 2;

/** Replaces an exact text in a file. */
export const editFileTool = defineTool({
  name: "edit_file",
  description:
    'Replaces "old_text" by "new_text" in a UTF-8 text file of the workspace. The text must be in the file exactly once, character by character, white space included; with "replace_all" each place is replaced. Line ends stay as they are in the file (write LF here for CRLF files too). The answer shows the changed lines.',
  risk: "write",
  capabilities: ["files"],
  openWorld: false,
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
  execute: ({ path, old_text: oldText, new_text: newText, replace_all: replaceAll }, { workspace, state }) =>
    explainPathErrors({ action: "edit", workspace }, async () => {
      if (oldText === newText) return { success: false, error: coreToolMessages.sameText(path) };
      const before = await readEditableText(path, { workspace, state });
      if (!before.ok) return before.refusal;
      const result = replaceText(before.text, { oldText, newText }, { replaceAll, maxLength: MAX_EDITED });
      if (result.kind !== "replaced") return { success: false, error: explainNoEdit(path, result) };
      // Possible where only line ends differ, which are the file's own.
      if (result.text === before.text) return { success: false, error: coreToolMessages.sameText(path) };
      await writeEditedFile(path, result.text, { workspace, state });
      return { success: true, output: describeEdit(path, result, newText) };
    }),
});

function describeEdit(path: string, result: Extract<ReplacedText, { kind: "replaced" }>, newText: string): string {
  const replacements = count(result.lines.length, "replacement");
  const summary = `Edited ${displayPath(path)}: ${replacements} at ${describePlaces(result.lines)}`;
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
