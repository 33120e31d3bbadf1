import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { findEntry } from "../find-entry.ts";

/** Writes a whole file. */
export const writeFileTool = defineTool({
  name: "write_file",
  description:
    'Writes a whole file of the workspace, as UTF-8, exactly as given. Missing directories are made; a file that exists is replaced and keeps its mode. To change a part of a file, use "edit_file".',
  risk: "write",
  idempotent: true,
  capabilities: ["files"],
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "The file, relative to the workspace" },
      content: { type: "string", description: "The whole content" },
    },
    required: ["path", "content"],
  },
  describe: ({ path, content }) => `Write ${count(Buffer.byteLength(content), "byte")} to ${path}`,
  execute: ({ path, content }, { workspace }) =>
    explainPathErrors({ action: "write", workspace }, async () => {
      if (path.endsWith("/")) return { success: false, error: coreToolMessages.directoryToWrite(path) };
      const before = await findEntry(workspace, path);
      await workspace.writeFile(path, content);
      const done = before === undefined ? "Created" : "Replaced";
      return { success: true, output: `${done} ${displayPath(path)} (${describeContent(content)})` };
    }),
});

function describeContent(content: string): string {
  const newlines = content.split("\n").length - 1;
  const lines = content === "" || content.endsWith("\n") ? newlines : newlines + 1;
  return `${count(lines, "line")}, ${count(Buffer.byteLength(content), "byte")}`;
}
