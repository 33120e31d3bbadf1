import type { ToolOutcome } from "../../contract/tool.ts";
import type { ReadableWorkspace } from "../../contract/workspace.ts";
import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { compileGlob } from "../compile-glob.ts";
import { type CompiledPattern, compilePattern } from "../compile-pattern.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { formatSize } from "../format-size.ts";
import { formatMatches } from "../format-matches.ts";
import { INCLUDE_IGNORED } from "../ignore-rules.ts";
import { findMatchingLines } from "../search-text.ts";
import { MAX_SEARCHED_BYTES, readSearchedFiles, type SearchPlace } from "../searched-files.ts";

const MAX_TEXT_CHARACTERS = 200_000;

/** Searches the content of files. */
export const grepTool = defineTool({
  name: "grep",
  description: `Searches text files of the workspace line by line with a regular expression (RE2 syntax: no lookaround, no backreferences). "content" gives "path:line:text", with the lines around a match as "path-line-text"; "files" gives the paths, "count" gives "path:matching lines". Binary files and files over ${formatSize(MAX_SEARCHED_BYTES)} are passed over, symlinks are not followed, and ".git", "node_modules" and what .gitignore files name are left out unless "path" or "glob" names them.`,
  risk: "read",
  capabilities: ["files", "search"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1, maxLength: 1_000, description: "The regular expression" },
      path: { type: "string", default: ".", description: "The file or directory to search, relative to the workspace" },
      glob: {
        type: "string",
        minLength: 1,
        maxLength: 1_000,
        description:
          'Search only files that match, such as "*.ts" (by name) or "src/**/*.ts" (by path below "path"); "!" before it turns it round',
      },
      include_ignored: INCLUDE_IGNORED,
      ignore_case: { type: "boolean", default: false, description: "Take upper and lower case as the same" },
      context: { type: "integer", minimum: 0, maximum: 20, default: 0, description: "Lines to show around each match" },
      max_results: {
        type: "integer",
        minimum: 1,
        maximum: 1_000,
        default: 100,
        description: "Matching lines to give at most; for files and count, files",
      },
      output_mode: {
        type: "string",
        enum: ["content", "files", "count"],
        default: "content",
        description: "What to give",
      },
    },
    required: ["pattern"],
  },
  describe: ({ pattern, path }) => `Search for ${pattern} in ${path}`,
  execute: (input, { workspace, startPrefilter, signal }) =>
    explainPathErrors({ action: "search", workspace }, async () => {
      const pattern = compilePattern(input.pattern, { ignoreCase: input.ignore_case });
      if (!pattern.ok) return { success: false, error: pattern.problem };
      const glob = input.glob === undefined ? undefined : compileGlob(input.glob, { matchName: true });
      if (glob?.ok === false) return { success: false, error: glob.problem };
      const isWanted = glob?.matches ?? (() => true);
      const place = {
        path: input.path,
        glob: input.glob,
        isWanted,
        includeIgnored: input.include_ignored,
        expression: input.pattern,
        ignoreCase: input.ignore_case,
        startPrefilter,
        signal,
      };
      return answer(
        await search(workspace, place, {
          pattern,
          mode: input.output_mode,
          context: input.context,
          maxResults: input.max_results,
        }),
        input,
      );
    }),
});

interface Query {
  readonly pattern: Extract<CompiledPattern, { ok: true }>;
  readonly mode: "content" | "files" | "count";
  readonly context: number;
  readonly maxResults: number;
}

interface SearchReport {
  readonly parts: string[];
  results: number;
  characters: number;
  tooLarge: number;
  unreadable: number;
  ignored: boolean;
  stopped: string | undefined;
}

async function search(workspace: ReadableWorkspace, place: SearchPlace, query: Query): Promise<SearchReport> {
  const counts = { results: 0, characters: 0, tooLarge: 0, unreadable: 0 };
  const report: SearchReport = { parts: [], ...counts, ignored: false, stopped: undefined };
  for await (const file of readSearchedFiles(workspace, place)) {
    place.signal.throwIfAborted();
    if (file.kind === "limit") report.stopped = "there are more files than one call looks at";
    else if (file.kind === "text") await searchFile(report, file, { ...query, signal: place.signal });
    else if (file.kind === "too-large") report.tooLarge += 1;
    else if (file.kind === "unreadable") report.unreadable += 1;
    else if (file.kind === "ignored") report.ignored = true;
    if (report.stopped !== undefined) break;
  }
  return report;
}

async function searchFile(
  report: SearchReport,
  file: { readonly path: string; readonly text: string },
  query: Query & { readonly signal: AbortSignal },
): Promise<void> {
  const { mode, maxResults, signal, pattern } = query;
  const text = file.text.includes("\r") ? file.text.replaceAll("\r\n", "\n") : file.text;
  // One more than there is room for, to know whether something is left.
  const room = maxResults - report.results;
  const limits = { content: room + 1, files: 1, count: Number.POSITIVE_INFINITY };
  const found = await findMatchingLines(text, { pattern, signal, maxMatches: limits[mode] });
  if (found.length === 0) return;
  if (room === 0) {
    report.stopped = stoppedAt(mode, maxResults);
    return;
  }
  const path = displayPath(file.path);
  const taken = mode === "content" ? found.slice(0, room) : found;
  const part =
    mode === "content" ? formatMatches(text.split("\n"), { path, found: taken, context: query.context }) : path;
  report.parts.push(mode === "count" ? `${path}:${found.length}` : part);
  report.results += mode === "content" ? taken.length : 1;
  report.characters += part.length;
  if (taken.length < found.length) report.stopped = stoppedAt(mode, maxResults);
  else if (report.characters > MAX_TEXT_CHARACTERS) report.stopped = "there is more text than one call gives";
}

function stoppedAt(mode: Query["mode"], maxResults: number): string {
  return `stopped after ${mode === "content" ? count(maxResults, "match") : count(maxResults, "file")}`;
}

function answer(
  report: SearchReport,
  { pattern, context }: { readonly pattern: string; readonly context: number },
): ToolOutcome {
  const notes = [
    ...(report.stopped === undefined ? [] : [`${report.stopped}; narrow "pattern", "path" or "glob"`]),
    ...(report.tooLarge > 0
      ? [`${count(report.tooLarge, "file")} over ${formatSize(MAX_SEARCHED_BYTES)} passed over`]
      : []),
    ...(report.unreadable > 0 ? [`${count(report.unreadable, "file")} could not be read`] : []),
    ...(report.parts.length === 0 ? [noMatch(pattern)] : []),
    ...(report.parts.length === 0 && report.ignored ? [coreToolMessages.ignoredHint] : []),
  ];
  const hasGroups = context > 0 && report.parts.some((part) => part.includes("\n"));
  const separator = hasGroups ? "\n--\n" : "\n";
  return {
    success: true,
    output: [report.parts.join(separator), ...notes.map((note) => `(${note})`)]
      .filter((part) => part !== "")
      .join("\n"),
  };
}

function noMatch(pattern: string): string {
  return pattern.includes("\\n")
    ? 'no line matches; lines are searched one by one, so "\\n" is in none'
    : "no line matches";
}
