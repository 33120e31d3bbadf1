import { coreToolMessages } from "../../errors/messages/core-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { findTarget } from "../find-entry.ts";

/** Makes a directory. */
export const makeDirectoryTool = defineTool({
  name: "make_directory",
  description:
    "Makes a directory of the workspace, with the directories that it lies in. One that exists is left as it is. Tools that write files make the directories they need by themselves.",
  risk: "write",
  idempotent: true,
  capabilities: ["files"],
  openWorld: false,
  destructive: false,
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "The directory, relative to the workspace" },
    },
    required: ["path"],
  },
  describe: ({ path }) => `Make the directory ${path}`,
  execute: ({ path }, { workspace }) =>
    explainPathErrors({ action: "make the directory", workspace }, async () => {
      const before = await findTarget(workspace, path);
      if (before?.type === "file") return { success: false, error: coreToolMessages.fileInTheWay(path) };
      if (before !== undefined) return { success: true, output: `The directory ${displayPath(path)} exists already` };
      await workspace.makeDirectory(path);
      return { success: true, output: `Made the directory ${displayPath(path)}` };
    }),
});
