import { structuredPatch } from "diff";

/** As git has it. */
const CONTEXT_LINES = 3;
/** Beyond these the shortest script is not looked for: the time grows with the square of the differences. */
const MAX_EDITS = 4_000;
const MAX_SEARCH_MS = 500;
const MAX_SEARCHED_CHARACTERS = 8 << 20;

/**
 * The hunks of a unified diff, each line with its newline; empty when the texts are the same. Texts that are huge or
 * differ too much get one hunk that replaces everything between their common beginning and end: correct, not minimal.
 */
export function renderHunks(before: string, after: string): string {
  if (before === after) return "";
  return (searchHunks(before, after) ?? [replaceMiddle(before, after)]).map(renderHunk).join("");
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Without newlines; a line `\ No newline at end of file` follows one that has none. */
  readonly lines: readonly string[];
}

function searchHunks(before: string, after: string): readonly Hunk[] | undefined {
  if (before.length + after.length > MAX_SEARCHED_CHARACTERS) return undefined;
  const patch = structuredPatch("", "", before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
    timeout: MAX_SEARCH_MS,
  });
  return patch?.hunks;
}

function replaceMiddle(before: string, after: string): Hunk {
  const old = splitLines(before);
  const current = splitLines(after);
  let start = 0;
  while (start < old.length && start < current.length && old[start] === current[start]) start += 1;
  let end = 0;
  const shorter = Math.min(old.length, current.length) - start;
  while (end < shorter && old[old.length - 1 - end] === current[current.length - 1 - end]) end += 1;

  const from = Math.max(0, start - CONTEXT_LINES);
  const tail = Math.max(0, end - CONTEXT_LINES);
  const lines = [
    ...mark(" ", old.slice(from, start)),
    ...mark("-", old.slice(start, old.length - end)),
    ...mark("+", current.slice(start, current.length - end)),
    ...mark(" ", old.slice(old.length - end, old.length - tail)),
  ];
  return {
    oldStart: from + 1,
    oldLines: old.length - tail - from,
    newStart: from + 1,
    newLines: current.length - tail - from,
    lines,
  };
}

function mark(sign: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"],
  );
}

function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function renderHunk(hunk: Hunk): string {
  const header = `@@ -${formatRange(hunk.oldStart, hunk.oldLines)} +${formatRange(hunk.newStart, hunk.newLines)} @@`;
  return [header, ...hunk.lines].map((line) => `${line}\n`).join("");
}

/** A range of no lines names the line before it. */
function formatRange(start: number, count: number): string {
  const shown = count === 0 ? start - 1 : start;
  return count === 1 ? String(shown) : `${shown},${count}`;
}
