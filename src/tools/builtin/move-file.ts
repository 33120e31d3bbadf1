import type { ToolOutcome } from "../../contract/tool.ts";
import type { WritableWorkspace } from "../../contract/workspace.ts";
import { coreToolMessages } from "../../errors/messages/core-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { findEntry } from "../find-entry.ts";
import { readMemoryOf } from "../read-memory.ts";
import { isWholeWorkspace } from "../whole-workspace.ts";

/** Moves or renames a file, symlink or directory. */
export const moveFileTool = defineTool({
  name: "move_file",
  description:
    'Moves or renames a file, a symlink or a directory of the workspace. "to" is the whole new path, not the directory to move into; missing directories are made. An existing file is replaced only with "overwrite"; a directory never is.',
  risk: "write",
  capabilities: ["files"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      from: { type: "string", minLength: 1, description: "The path it has, relative to the workspace" },
      to: { type: "string", minLength: 1, description: "The path it shall have" },
      overwrite: { type: "boolean", default: false, description: "Replace a file that is there" },
    },
    required: ["from", "to"],
  },
  describe: ({ from, to }) => `Move ${from} to ${to}`,
  execute: ({ from, to, overwrite }, { workspace, state }) =>
    explainPathErrors({ action: "move", workspace }, async () => {
      if (isWholeWorkspace(from)) return { success: false, error: coreToolMessages.wholeWorkspace("move") };
      const { type } = await workspace.lstat(from);
      const refusal = await refuseTarget(workspace, { from, to, overwrite });
      if (refusal !== undefined) return refusal;
      const parent = to.replace(/[^/]*\/*$/, "");
      if (parent !== "") await workspace.makeDirectory(parent);
      const known = type === "symlink" ? undefined : await workspace.realPath(from);
      await workspace.rename(from, to, { overwrite });
      // A symlink's target stays where it is; what the agent knows of anything else goes with it.
      if (known !== undefined) readMemoryOf(state).move(known, await workspace.realPath(to));
      return { success: true, output: `Moved ${displayPath(from)} to ${displayPath(to)}` };
    }),
});

interface Move {
  readonly from: string;
  readonly to: string;
  readonly overwrite: boolean;
}

async function refuseTarget(
  workspace: WritableWorkspace,
  { from, to, overwrite }: Move,
): Promise<ToolOutcome | undefined> {
  const target = await findEntry(workspace, to);
  if (target?.type === "directory" || isWholeWorkspace(to)) {
    const name = from.replace(/\/+$/, "").split("/").at(-1) ?? from;
    const inside = isWholeWorkspace(to) ? name : `${to.replace(/\/+$/, "")}/${name}`;
    return { success: false, error: coreToolMessages.directoryTarget(from, to, inside) };
  }
  if (target === undefined || overwrite) return undefined;
  return { success: false, error: coreToolMessages.existingTarget(from, to) };
}
