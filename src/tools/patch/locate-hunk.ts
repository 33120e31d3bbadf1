/**
 * Finds the one place where a hunk belongs. Its lines must be in the file as written (line ends are the file's own
 * affair). A line number that fits decides; a wrong one is passed over when there is only one place, and that is said.
 * Where nothing fits exactly, white space is left out of the comparison, first at the ends of lines, then at both
 * sides, and then a single place is demanded and said. Everything else is refused: a change in the wrong place costs more
 * than another call.
 */
import { editToolMessages } from "../../errors/messages/edit-tools.ts";
import { listLines } from "../explain-edit.ts";
import type { Hunk } from "./file-patch.ts";
import { findLines } from "./find-lines.ts";

/** Where to look. */
export interface HunkSearch {
  readonly path: string;
  /** The number of the hunk in its file, from 1. */
  readonly number: number;
  /** The file's lines, without their ends. */
  readonly lines: readonly string[];
  /** The first line, from 0, that no earlier hunk has used. */
  readonly from: number;
  /** How many lines further down than said the hunk before was found. */
  readonly shift: number;
}

/** The index of a hunk's first line, or why there is none. */
export type HunkPlace =
  | { readonly ok: true; readonly index: number; readonly note: string | undefined }
  | { readonly ok: false; readonly problem: string };

/** Finds a hunk's place. */
export function locateHunk(hunk: Hunk, search: HunkSearch): HunkPlace {
  const { path, number, lines } = search;
  const wanted = hunk.lines.filter(({ kind }) => kind !== "added").map(({ text }) => text.replace(/\r$/, ""));
  if (wanted.length === 0) {
    // In an empty file there is only one place.
    return lines.length === 0
      ? { ok: true, index: 0, note: undefined }
      : { ok: false, problem: editToolMessages.pureAddition(path, number) };
  }
  const anchored = findAnchor(hunk, search);
  if (!anchored.ok) return anchored;
  const said = hunk.oldStart === undefined ? -1 : hunk.oldStart - 1 + search.shift;
  const fits = said >= search.from && wanted.every((line, offset) => lines[said + offset] === line);
  const isEnd = said + wanted.length === lines.length;
  if (fits && (isEnd || !hunk.isAtEnd)) return { ok: true, index: said, note: undefined };
  for (const looseness of LOOSENESSES) {
    const loosened = looseness.but === undefined ? lines : lines.map((line) => looseness.loosen(line));
    const found = findLines(
      loosened,
      wanted.map((line) => looseness.loosen(line)),
      anchored.from,
    );
    const places = hunk.isAtEnd ? found.filter((index) => index + wanted.length === lines.length) : found;
    if (places.length > 0) return choosePlace(places, { hunk, search, anchored, but: looseness.but });
  }
  return { ok: false, problem: editToolMessages.hunkMissing(path, number, hintAt(wanted, hunk, search)) };
}

interface Looseness {
  readonly loosen: (line: string) => string;
  /** What does not count. */
  readonly but?: string;
}

const LOOSENESSES: readonly Looseness[] = [
  { loosen: (line) => line },
  { loosen: (line) => line.trimEnd(), but: "white space at the ends of lines" },
  { loosen: (line) => line.trim(), but: "white space around lines" },
];

interface Anchored {
  readonly ok: true;
  /** Where the search begins. */
  readonly from: number;
  /** The only place that the anchors name; the first fit behind it is meant. */
  readonly isUnique: boolean;
  readonly places: readonly number[];
}

function findAnchor(
  hunk: Hunk,
  { path, number, lines, from }: HunkSearch,
): Anchored | Extract<HunkPlace, { ok: false }> {
  let start = from;
  let places: readonly number[] = [];
  for (const [index, anchor] of hunk.anchors.entries()) {
    const exact = findLines(lines, [anchor], start);
    const trimmed = lines.map((line) => line.trim());
    const found = exact.length > 0 ? exact : findLines(trimmed, [anchor.trim()], start);
    const [first] = found;
    if (first === undefined) return { ok: false, problem: editToolMessages.anchorMissing(path, number, anchor) };
    if (index === 0) places = found;
    // The anchor itself may be repeated as the first line of the hunk.
    start = index === hunk.anchors.length - 1 ? first : first + 1;
  }
  return { ok: true, from: start, isUnique: places.length === 1, places };
}

interface Choice {
  readonly hunk: Hunk;
  readonly search: HunkSearch;
  readonly anchored: Anchored;
  readonly but: string | undefined;
}

function choosePlace(places: readonly number[], { hunk, search, anchored, but }: Choice): HunkPlace {
  const { path, number, shift } = search;
  const [first = 0] = places;
  const said = hunk.oldStart === undefined ? undefined : hunk.oldStart - 1 + shift;
  if (places.length > 1 && (but !== undefined || !anchored.isUnique)) {
    const [anchor] = hunk.anchors;
    const problem =
      anchor === undefined || anchored.places.length < 2
        ? editToolMessages.hunkAmbiguous(path, number, listLines(places.map((index) => index + 1)))
        : editToolMessages.anchorAmbiguous(path, anchor, listLines(anchored.places.map((index) => index + 1)));
    return { ok: false, problem };
  }
  if (but !== undefined) {
    return { ok: true, index: first, note: editToolMessages.looseHunk(path, number, { at: first + 1, but }) };
  }
  const isElsewhere = said !== undefined && said !== first;
  const note = isElsewhere ? editToolMessages.movedHunk(path, number, { at: first + 1, said: said + 1 }) : undefined;
  return { ok: true, index: first, note };
}

/** The first line that differs, where the hunk says it is or where its first line stands. */
function hintAt(wanted: readonly string[], hunk: Hunk, { lines, from, shift }: HunkSearch): string {
  const firstWanted = wanted.find((line) => line.trim() !== "") ?? "";
  const lead = wanted.indexOf(firstWanted);
  const said = hunk.oldStart === undefined ? -1 : hunk.oldStart - 1 + shift;
  const isThere = said >= from && lines[said + lead]?.trim() === firstWanted.trim();
  const found = isThere ? said + lead : lines.findIndex((line, at) => at >= from && line.trim() === firstWanted.trim());
  const start = found === -1 ? said : found - lead;
  if (start < 0) return "";
  const offset = wanted.findIndex((line, at) => lines[start + at] !== line);
  const actual = lines[start + offset];
  if (offset === -1 || actual === undefined) return "";
  return editToolMessages.firstDifference(start + offset + 1, { found: actual, wanted: wanted[offset] ?? "" });
}
