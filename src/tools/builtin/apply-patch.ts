import type { ToolOutcome, WriteContext } from "../../contract/tool.ts";
import { count } from "../../errors/messages/core-tools.ts";
import { editToolMessages } from "../../errors/messages/edit-tools.ts";
import { WorkspacePathError } from "../../errors/workspace-path-error.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { defineTool } from "../define-tool.ts";
import { writeEditedFile, writeKnownFile } from "../editable-text.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import type { FilePatch } from "../patch/file-patch.ts";
import { parsePatchText } from "../patch/parse-patch.ts";
import { type PatchStep, planPatch } from "../patch/plan-patch.ts";
import { readMemoryOf } from "../read-memory.ts";

const MAX_PATCH_CHARACTERS = 4_194_304;

/** Applies a patch to one file or several. */
export const applyPatchTool = defineTool({
  name: "apply_patch",
  description: [
    "Applies a patch to text files of the workspace: every hunk of every file, or nothing. It may add, update, delete and move files. Two forms are read: a unified diff (as git writes it), and",
    "*** Begin Patch",
    "*** Update File: src/old.ts",
    "*** Move to: src/new.ts",
    "@@ class Name",
    " a line that stays",
    "-a line that goes",
    "+a line that comes",
    "*** Add File: src/added.ts",
    "+its first line",
    "*** Delete File: src/gone.ts",
    "*** End Patch",
    '("Move to" and the text after "@@", a line of the file to search from, are optional.) Give about three unchanged lines around each change: the lines must be in the file exactly, at one place. Line ends and a missing newline at the end stay as they are in the file.',
  ].join("\n"),
  risk: "write",
  capabilities: ["files"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      patch: { type: "string", minLength: 1, maxLength: MAX_PATCH_CHARACTERS, description: "The patch" },
    },
    required: ["patch"],
  },
  describe: ({ patch }) => {
    const parsed = parsePatchText(patch);
    return parsed.ok ? `Patch: ${parsed.files.map(describeFile).join(", ")}` : "Apply a patch that cannot be read";
  },
  execute: async ({ patch }, context) => {
    const parsed = parsePatchText(patch);
    if (!parsed.ok) return { success: false, error: editToolMessages.brokenPatch(parsed.problem) };
    const outcome = await explainPathErrors({ action: "patch", workspace: context.workspace }, async () => {
      const plan = await planPatch(parsed.files, context);
      if (!plan.ok) return plan.refusal;
      context.signal.throwIfAborted();
      const failed = await takeSteps(plan.steps, context);
      return failed ?? answer(parsed.files, [...parsed.notes, ...plan.notes]);
    });
    return outcome.success ? outcome : { ...outcome, error: editToolMessages.nothingPatched(outcome.error) };
  },
});

/** What a plan did not foresee must not leave half a patch: a failure of this kind drops the whole layer. */
async function takeSteps(steps: readonly PatchStep[], context: WriteContext): Promise<ToolOutcome | undefined> {
  try {
    for (const step of steps) await takeStep(step, context);
    return undefined;
  } catch (error) {
    if (!(error instanceof WorkspacePathError)) throw error;
    return { success: false, error: error.message, errorKind: "internal" };
  }
}

async function takeStep(step: PatchStep, { workspace, state }: WriteContext): Promise<void> {
  switch (step.do) {
    case "create":
      await writeKnownFile(step.path, step.text, { workspace, state });
      return;
    case "edit":
      await writeEditedFile(step.path, step.text, { workspace, state });
      return;
    case "remove":
      await workspace.remove(step.path);
      return;
    case "rename": {
      const known = await workspace.realPath(step.from);
      const parent = step.to.replace(/[^/]*\/*$/, "");
      if (parent !== "") await workspace.makeDirectory(parent);
      await workspace.rename(step.from, step.to);
      readMemoryOf(state).move(known, await workspace.realPath(step.to));
      return;
    }
    case "set-mode":
      await workspace.setMode(step.path, step.mode);
  }
}

function answer(files: readonly FilePatch[], notes: readonly string[]): ToolOutcome {
  const lines = files.map((file) => {
    const hunks = file.action === "update" && file.hunks.length > 0 ? ` (${count(file.hunks.length, "hunk")})` : "";
    return `${describeFile(file)}${hunks}`;
  });
  return { success: true, output: [...lines, ...notes.map((note) => `(${note})`)].join("\n") };
}

function describeFile(file: FilePatch): string {
  const path = displayPath(file.path);
  if (file.action === "add") return `added ${path}`;
  if (file.action === "delete") return `deleted ${path}`;
  return file.to === undefined ? `updated ${path}` : `moved ${path} to ${displayPath(file.to)}`;
}
