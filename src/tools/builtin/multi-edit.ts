import type { ToolOutcome } from "../../contract/tool.ts";
import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { editToolMessages } from "../../errors/messages/edit-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { defineTool } from "../define-tool.ts";
import { MAX_EDITED, readEditableText, writeEditedFile } from "../editable-text.ts";
import { describePlaces, explainNoEdit } from "../explain-edit.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { replaceText } from "../replace-text.ts";

const MAX_EDITS = 100;

/** Makes several exact replacements in one file. */
export const multiEditTool = defineTool({
  name: "multi_edit",
  description:
    'Makes several replacements in one UTF-8 text file of the workspace, one after the other, all or none: each edit sees what the edits before it made. Each "old_text" must be in the file exactly once, character by character, white space included; with "replace_all" each place is replaced. Line ends stay as they are in the file. The answer says at which lines, counted when the edit was made.',
  risk: "write",
  capabilities: ["files"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "The file, relative to the workspace" },
      edits: {
        type: "array",
        minItems: 1,
        maxItems: MAX_EDITS,
        description: "The edits, in order",
        items: {
          type: "object",
          properties: {
            old_text: { type: "string", minLength: 1, description: "The text as it is, without line numbers" },
            new_text: { type: "string", description: "The text as it shall become" },
            replace_all: { type: "boolean", default: false, description: "Replace each place where the text is" },
          },
          required: ["old_text", "new_text"],
        },
      },
    },
    required: ["path", "edits"],
  },
  describe: ({ path, edits }) => `Make ${count(edits.length, "edit")} in ${path}`,
  execute: ({ path, edits }, { workspace, state, signal }) =>
    explainPathErrors({ action: "edit", workspace }, async () => {
      const before = await readEditableText(path, { workspace, state });
      if (!before.ok) return before.refusal;
      const edited = makeEdits(path, before.text, { edits, signal });
      if (!edited.ok) return { success: false, error: edited.problem };
      if (edited.text === before.text) return { success: false, error: editToolMessages.noChange(path) };
      await writeEditedFile(path, edited.text, { workspace, state });
      return describeEdits(path, edited.places);
    }),
});

interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all: boolean;
}

interface Editing {
  readonly edits: readonly Edit[];
  readonly signal: AbortSignal;
}

type Edited =
  | { readonly ok: true; readonly text: string; readonly places: readonly (readonly number[])[] }
  | { readonly ok: false; readonly problem: string };

function makeEdits(path: string, before: string, { edits, signal }: Editing): Edited {
  let text = before;
  const places: (readonly number[])[] = [];
  for (const [index, edit] of edits.entries()) {
    signal.throwIfAborted();
    const result = replaceText(
      text,
      { oldText: edit.old_text, newText: edit.new_text },
      { replaceAll: edit.replace_all, maxLength: MAX_EDITED },
    );
    const problem = findProblem(path, edit, result);
    if (problem !== undefined) {
      return { ok: false, problem: editToolMessages.editOfSeveral(problem, index + 1, edits.length) };
    }
    if (result.kind !== "replaced") continue;
    text = result.text;
    places.push(result.lines);
  }
  return { ok: true, text, places };
}

function findProblem(path: string, edit: Edit, result: ReturnType<typeof replaceText>): string | undefined {
  if (edit.old_text === edit.new_text) return coreToolMessages.sameText(path);
  return result.kind === "replaced" ? undefined : explainNoEdit(path, result);
}

function describeEdits(path: string, places: readonly (readonly number[])[]): ToolOutcome {
  const replacements = count(places.flat().length, "replacement");
  const summary = `Edited ${displayPath(path)}: ${count(places.length, "edit")}, ${replacements}`;
  const lines = places.map((each, index) => `${index + 1}. at ${describePlaces(each)}`);
  return { success: true, output: [summary, ...lines].join("\n") };
}
