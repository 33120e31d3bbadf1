import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { findStaleness, type GuardContext, type StaleFile } from "../check-freshness.ts";
import { defineTool } from "../define-tool.ts";
import { writeKnownFile } from "../editable-text.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { findEntry, findTarget } from "../find-entry.ts";

/** Writes a whole file. */
export const writeFileTool = defineTool({
  name: "write_file",
  description:
    'Writes a whole file of the workspace, as UTF-8, exactly as given. Missing directories are made; a file that exists is replaced and keeps its mode, if it was read with "read_file" and has not changed since. To change a part of a file, use "edit_file".',
  risk: "write",
  idempotent: true,
  capabilities: ["files"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "The file, relative to the workspace" },
      content: { type: "string", description: "The whole content" },
    },
    required: ["path", "content"],
  },
  describe: ({ path, content }) => `Write ${count(Buffer.byteLength(content), "byte")} to ${path}`,
  execute: ({ path, content }, { workspace, state }) =>
    explainPathErrors({ action: "write", workspace }, async () => {
      if (path.endsWith("/")) return { success: false, error: coreToolMessages.directoryToWrite(path) };
      const before = await findEntry(workspace, path);
      const stale = before === undefined ? undefined : await refuseUnseen(path, { workspace, state });
      if (stale !== undefined) return stale;
      await writeKnownFile(path, content, { workspace, state });
      const done = before === undefined ? "Created" : "Replaced";
      return { success: true, output: `${done} ${displayPath(path)} (${describeContent(content)})` };
    }),
});

/** A symlink to nothing and a directory hold nothing that could be lost; writing answers for them. */
async function refuseUnseen(path: string, context: GuardContext): Promise<StaleFile | undefined> {
  const target = await findTarget(context.workspace, path);
  if (target?.type !== "file") return undefined;
  return await findStaleness({ path, action: "write", mustBeKnown: true }, context);
}

function describeContent(content: string): string {
  const newlines = content.split("\n").length - 1;
  const lines = content === "" || content.endsWith("\n") ? newlines : newlines + 1;
  return `${count(lines, "line")}, ${count(Buffer.byteLength(content), "byte")}`;
}
