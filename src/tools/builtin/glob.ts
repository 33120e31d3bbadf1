import type { ToolOutcome } from "../../contract/tool.ts";
import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { compileGlob } from "../compile-glob.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { INCLUDE_IGNORED, openIgnoreRules } from "../ignore-rules.ts";
import { leaveOutUnless } from "../left-out.ts";
import { walkTree, type WalkOptions } from "../walk-tree.ts";
import type { ReadableWorkspace } from "../../contract/workspace.ts";

const MAX_MATCHES = 1_000;
const MAX_VISITED = 1_000_000;

/** Finds files by name. */
export const globTool = defineTool({
  name: "glob",
  description: `Finds files and symlinks of the workspace by their path, sorted. "*" matches within one part of a path, "**" any number of parts, "?" one character; "[abc]" and "{a,b}" work too; names that start with a dot are matched. So "*.ts" finds files directly in "path", and "**/*.ts" those below it as well. Symlinked directories are not followed; ".git", "node_modules" and what .gitignore files name are left out unless named. At most ${count(MAX_MATCHES, "path")} are listed.`,
  risk: "read",
  capabilities: ["files", "search"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1, maxLength: 1_000, description: 'The glob, relative to "path"' },
      path: { type: "string", default: ".", description: "The directory to search, relative to the workspace" },
      include_ignored: INCLUDE_IGNORED,
    },
    required: ["pattern"],
  },
  describe: ({ pattern, path }) => `Find ${pattern} in ${path}`,
  execute: ({ pattern, path, include_ignored: includeIgnored }, { workspace, signal }) =>
    explainPathErrors({ action: "search", workspace }, async () => {
      const glob = compileGlob(pattern);
      if (!glob.ok) return { success: false, error: glob.problem };
      const start = await workspace.realPath(path);
      const isLeftOut = leaveOutUnless(path, pattern);
      const ignore = await openIgnoreRules(workspace, { start, includeIgnored, mentions: [path, pattern] });
      const walk = { start, signal, maxEntries: MAX_VISITED, isLeftOut, select: ignore.select };
      const found = await findMatches(workspace, glob.matches, walk);
      return answer(found, pattern, ignore.hasIgnored());
    }),
});

interface Found {
  readonly paths: readonly string[];
  readonly stopped: "matches" | "entries" | undefined;
  readonly unreadable: number;
}

async function findMatches(
  workspace: ReadableWorkspace,
  matches: (path: string) => boolean,
  options: WalkOptions,
): Promise<Found> {
  const paths: string[] = [];
  let unreadable = 0;
  const prefixLength = options.start === "" ? 0 : options.start.length + 1;
  for await (const step of walkTree(workspace, options)) {
    if (step.kind === "limit") return { paths, unreadable, stopped: "entries" };
    if (step.kind === "unreadable") unreadable += 1;
    if (step.kind !== "entry" || step.entry.type === "directory") continue;
    if (!matches(step.entry.path.slice(prefixLength))) continue;
    if (paths.length === MAX_MATCHES) return { paths, unreadable, stopped: "matches" };
    paths.push(step.entry.path);
  }
  return { paths, unreadable, stopped: undefined };
}

function answer({ paths, stopped, unreadable }: Found, pattern: string, hasIgnored: boolean): ToolOutcome {
  const notes = [
    ...(stopped === "matches" ? [`stopped after ${count(MAX_MATCHES, "path")}; use a narrower glob or "path"`] : []),
    ...(stopped === "entries"
      ? [`stopped after looking at ${count(MAX_VISITED, "entry")}; use a narrower "path"`]
      : []),
    ...(unreadable > 0 ? [`${count(unreadable, "directory")} could not be read`] : []),
    ...(paths.length === 0 ? [noMatch(pattern)] : []),
    ...(paths.length === 0 && hasIgnored ? [coreToolMessages.ignoredHint] : []),
  ];
  return { success: true, output: [...paths.map(displayPath), ...notes.map((note) => `(${note})`)].join("\n") };
}

function noMatch(pattern: string): string {
  const isFlat = !pattern.includes("/") && !pattern.includes("**");
  return isFlat ? `no file matches; use "**/${displayPath(pattern)}" to search below as well` : "no file matches";
}
