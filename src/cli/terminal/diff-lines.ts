/*
 * Reads a unified diff line by line. Inside a hunk the counts of its header say which lines belong to it, so that a removed
 * line that reads `-- a/x` is not taken for the header `--- a/x`.
 */

/** What a line of a diff is. `file` begins a file; `note` is the remark that a final line break is missing. */
export type DiffLineKind = "file" | "header" | "hunk" | "context" | "added" | "removed" | "note";

/** One line of a diff, without its line break. */
export interface DiffLine {
  readonly kind: DiffLineKind;
  readonly text: string;
}

/** Tells apart the lines of a diff. */
export function* readDiffLines(diff: string): Generator<DiffLine> {
  let left: HunkCounts = { before: 0, after: 0 };
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const text of lines) {
    const insideHunk = left.before > 0 || left.after > 0;
    const kind = insideHunk ? hunkLineKind(text) : headerLineKind(text);
    left = kind === "hunk" ? readHunkCounts(text) : afterLine(left, kind);
    yield { kind, text };
  }
}

interface HunkCounts {
  readonly before: number;
  readonly after: number;
}

function hunkLineKind(text: string): DiffLineKind {
  if (text.startsWith("+")) return "added";
  if (text.startsWith("-")) return "removed";
  return text.startsWith("\\") ? "note" : "context";
}

function headerLineKind(text: string): DiffLineKind {
  if (text.startsWith("diff --git ")) return "file";
  if (text.startsWith("@@ ")) return "hunk";
  return text.startsWith("\\") ? "note" : "header";
}

const HUNK_HEADER = /^@@ -\d+(?:,(?<before>\d+))? \+\d+(?:,(?<after>\d+))? @@/;

function readHunkCounts(text: string): HunkCounts {
  const groups = HUNK_HEADER.exec(text)?.groups;
  if (groups === undefined) return { before: 0, after: 0 };
  return { before: Number(groups["before"] ?? 1), after: Number(groups["after"] ?? 1) };
}

function afterLine(left: HunkCounts, kind: DiffLineKind): HunkCounts {
  switch (kind) {
    case "context":
      return { before: left.before - 1, after: left.after - 1 };
    case "removed":
      return { before: left.before - 1, after: left.after };
    case "added":
      return { before: left.before, after: left.after - 1 };
    default:
      return left;
  }
}
