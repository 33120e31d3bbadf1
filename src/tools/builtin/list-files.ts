import type { ToolOutcome } from "../../contract/tool.ts";
import type { ReadableWorkspace } from "../../contract/workspace.ts";
import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { WorkspacePathError } from "../../errors/workspace-path-error.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { formatSize } from "../format-size.ts";
import { INCLUDE_IGNORED, openIgnoreRules } from "../ignore-rules.ts";
import { leaveOutUnless } from "../left-out.ts";
import { readAhead } from "../read-ahead.ts";
import { type TreeEntry, type TreeStep, walkTree } from "../walk-tree.ts";

const MAX_ENTRIES = 1_000;
const CONCURRENT_LOOKUPS = 16;

/** Lists a directory as a tree. */
export const listFilesTool = defineTool({
  name: "list_files",
  description: `Lists a directory of the workspace as a tree, sorted by name. Directories end in "/", files have their size, symlinks show where they point and are not followed. ".git" and "node_modules" are listed but not entered unless "path" names them; what .gitignore files name is not listed. At most ${count(MAX_ENTRIES, "entry")} are listed.`,
  risk: "read",
  capabilities: ["files"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", default: ".", description: "The directory, relative to the workspace" },
      include_ignored: INCLUDE_IGNORED,
      depth: { type: "integer", minimum: 1, maximum: 20, default: 2, description: "How many levels to list" },
    },
  },
  describe: ({ path }) => `List ${path}`,
  execute: ({ path, depth, include_ignored: includeIgnored }, { workspace, signal }) =>
    explainPathErrors({ action: "list", workspace }, async () => {
      if ((await workspace.stat(path)).type !== "directory") {
        return { success: false, error: coreToolMessages.fileToList(path) };
      }
      const start = await workspace.realPath(path);
      const isLeftOut = leaveOutUnless(path);
      const ignore = await openIgnoreRules(workspace, { start, includeIgnored, mentions: [path] });
      const { select } = ignore;
      const steps = walkTree(workspace, { start, signal, maxEntries: MAX_ENTRIES, maxDepth: depth, isLeftOut, select });
      const load = (step: TreeStep) => describeStep(workspace, step);
      const lines = await Array.fromAsync(readAhead(steps, { limit: CONCURRENT_LOOKUPS, load }));
      return answer(lines, ignore.hasIgnored());
    }),
});

function answer(lines: readonly string[], hasIgnored: boolean): ToolOutcome {
  const shown = lines.length === 0 && !hasIgnored ? ["(the directory is empty)"] : lines;
  return { success: true, output: [...shown, ...(hasIgnored ? [`(${coreToolMessages.ignoredHint})`] : [])].join("\n") };
}

async function describeStep(workspace: ReadableWorkspace, step: TreeStep): Promise<string> {
  if (step.kind === "limit") {
    return `(stopped after ${count(MAX_ENTRIES, "entry")}; list a directory below, or use "glob" to find files by name)`;
  }
  const { entry } = step;
  if (step.kind === "left-out") return `${indent(entry.depth + 1)}(not listed; name it in "path" to see it)`;
  if (step.kind === "unreadable") return `${indent(entry.depth + 1)}(cannot be read)`;
  return `${indent(entry.depth)}${await describeEntry(workspace, entry)}`;
}

async function describeEntry(workspace: ReadableWorkspace, { path, name, type }: TreeEntry): Promise<string> {
  const shown = displayPath(name);
  if (type === "directory") return `${shown}/`;
  try {
    if (type === "symlink") return `${shown} -> ${displayPath(await workspace.readLink(path))}`;
    return `${shown} (${formatSize((await workspace.lstat(path)).sizeBytes)})`;
  } catch (error) {
    // It was there when its directory was read, and is gone by now.
    if (error instanceof WorkspacePathError) return `${shown} (cannot be read)`;
    throw error;
  }
}

function indent(depth: number): string {
  return "  ".repeat(depth - 1);
}
