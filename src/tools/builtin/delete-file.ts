import type { ReadableWorkspace } from "../../contract/workspace.ts";
import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { isWholeWorkspace } from "../whole-workspace.ts";
import { walkTree } from "../walk-tree.ts";

const MAX_COUNTED = 10_000;

/** Deletes a file, a symlink or a directory. */
export const deleteFileTool = defineTool({
  name: "delete_file",
  description:
    'Deletes a file, a symlink (not what it points to) or an empty directory of the workspace; with "recursive" a directory with all that is in it.',
  risk: "write",
  capabilities: ["files"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "What to delete, relative to the workspace" },
      recursive: { type: "boolean", default: false, description: "Delete a directory with all that is in it" },
    },
    required: ["path"],
  },
  describe: ({ path, recursive }) => `Delete ${path}${recursive ? " with all that is in it" : ""}`,
  execute: ({ path, recursive }, { workspace, signal }) =>
    explainPathErrors(
      { action: "delete", workspace, sentences: { "not-empty": coreToolMessages.fullDirectory } },
      async () => {
        if (isWholeWorkspace(path)) return { success: false, error: coreToolMessages.wholeWorkspace("delete") };
        const { type } = await workspace.lstat(path);
        const inside = type === "directory" && recursive ? await countEntries(workspace, path, signal) : undefined;
        signal.throwIfAborted();
        await workspace.remove(path, { recursive });
        const rest = inside === undefined ? "" : ` with ${inside} in it`;
        return { success: true, output: `Deleted the ${type} ${displayPath(path)}${rest}` };
      },
    ),
});

async function countEntries(workspace: ReadableWorkspace, path: string, signal: AbortSignal): Promise<string> {
  const start = await workspace.realPath(path);
  let entries = 0;
  for await (const step of walkTree(workspace, { start, signal, maxEntries: MAX_COUNTED })) {
    if (step.kind === "limit") return `more than ${count(MAX_COUNTED, "entry")}`;
    if (step.kind === "entry") entries += 1;
  }
  return count(entries, "entry");
}
