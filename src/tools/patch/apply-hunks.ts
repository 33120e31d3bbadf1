/**
 * Applies the hunks of one file. Lines that are kept stay as the file has them, added lines get the file's line end
 * (or the one that the patch spells out), and a file that ends without a newline goes on doing so unless the patch
 * says otherwise.
 */
import { editToolMessages } from "../../errors/messages/edit-tools.ts";
import { MAX_EDITED } from "../editable-text.ts";
import type { Hunk } from "./file-patch.ts";
import { locateHunk } from "./locate-hunk.ts";
import { joinText, type LineEnd, splitText, type TextLine } from "./text-lines.ts";

/** The new text, and what a person should know of how the hunks were placed. */
export type AppliedHunks =
  | { readonly ok: true; readonly text: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** Applies every hunk, in order, or none. */
export function applyHunks(path: string, text: string, hunks: readonly Hunk[]): AppliedHunks {
  const { mark, lines } = splitText(text);
  const plain = lines.map((line) => line.text);
  const result: TextLine[] = [];
  const notes: string[] = [];
  let from = 0;
  let shift = 0;
  let newEnd = lines.at(-1)?.end === "" ? ("no-newline" as const) : ("newline" as Hunk["newEnd"]);
  for (const [index, hunk] of hunks.entries()) {
    const place = locateHunk(hunk, { path, number: index + 1, lines: plain, from, shift });
    if (!place.ok) return place;
    if (place.note !== undefined) notes.push(place.note);
    append(result, lines.slice(from, place.index));
    const changed = changeLines(hunk, lines, place.index);
    append(result, changed.lines);
    from = place.index + changed.used;
    shift = hunk.oldStart === undefined ? 0 : place.index - (hunk.oldStart - 1);
    if (from === lines.length) newEnd = hunk.newEnd ?? newEnd;
  }
  append(result, lines.slice(from));
  const joined = joinText({ mark, lines: endLines(result, { newEnd, end: usualEnd(lines, 0) }) });
  return joined.length > MAX_EDITED
    ? { ok: false, problem: editToolMessages.largePatchResult(path) }
    : { ok: true, text: joined, notes };
}

/** Not by spreading: a file may have more lines than a call takes arguments. */
function append(result: TextLine[], lines: readonly TextLine[]): void {
  for (const line of lines) result.push(line);
}

interface ChangedLines {
  readonly lines: readonly TextLine[];
  /** Lines of the old text that the hunk covers. */
  readonly used: number;
}

function changeLines(hunk: Hunk, lines: readonly TextLine[], start: number): ChangedLines {
  const spellsEnds = hunk.lines.some(({ text }) => text.endsWith("\r"));
  const end = usualEnd(lines, start);
  const changed: TextLine[] = [];
  let index = start;
  for (const { kind, text } of hunk.lines) {
    const old = lines[index];
    if (kind === "kept" && old !== undefined) changed.push(old);
    if (kind !== "added") index += 1;
    else if (!spellsEnds) changed.push({ text, end });
    else changed.push(text.endsWith("\r") ? { text: text.slice(0, -1), end: "\r\n" } : { text, end: "\n" });
  }
  return { lines: changed, used: index - start };
}

/** The end of the line at an index, or of the nearest one before it that has an end. */
function usualEnd(lines: readonly TextLine[], index: number): LineEnd {
  const nearest = lines[index]?.end === "" ? lines[index - 1] : lines[index];
  return nearest === undefined || nearest.end === "" ? "\n" : nearest.end;
}

interface Ending {
  readonly newEnd: Hunk["newEnd"];
  readonly end: LineEnd;
}

/** Only the last line may be without an end, and only where that is wanted. */
function endLines(lines: readonly TextLine[], { newEnd, end }: Ending): readonly TextLine[] {
  return lines.map((line, index) => {
    if (index === lines.length - 1 && newEnd === "no-newline") return { text: line.text, end: "" };
    return line.end === "" ? { text: line.text, end } : line;
  });
}
