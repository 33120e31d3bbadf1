/**
 * Replaces an exact text in a file's text. The model writes line breaks as it sees them, as LF; a file whose lines end
 * in CRLF keeps that: where the text is not found as given, it is looked for with CRLF, and what replaces it gets CRLF
 * as well. Nothing else is matched loosely, since a near match in the wrong place is worse than none.
 */

import { findText } from "./find-text.ts";

/** What to replace by what. */
export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
}

/** What came of it. */
export type ReplacedText =
  | {
      readonly kind: "replaced";
      readonly text: string;
      /** Lines of the old text where a match began, from 1. */
      readonly lines: readonly number[];
    }
  | { readonly kind: "too-large" }
  | { readonly kind: "several"; readonly lines: readonly number[] }
  | { readonly kind: "none"; readonly near: NearMatch | undefined };

/** Lines that would match if white space did not count, or the line where the first line of the text stands. */
export type NearMatch =
  | { readonly kind: "white-space"; readonly first: number; readonly last: number; readonly text: string }
  | { readonly kind: "first-line"; readonly line: number };

/** How to replace. */
export interface ReplaceOptions {
  readonly replaceAll: boolean;
  /** UTF-16 units that the result may have. */
  readonly maxLength: number;
}

/** Replaces the one match, or each with `replaceAll`. */
export function replaceText(text: string, replacement: Replacement, options: ReplaceOptions): ReplacedText {
  const { oldText, newText, offsets } = findPlaces(text, replacement);
  if (offsets.length === 0) return { kind: "none", near: findNear(text, replacement.oldText) };
  const lines = lineNumbers(text, offsets);
  if (offsets.length > 1 && !options.replaceAll) return { kind: "several", lines };
  const length = text.length + offsets.length * (newText.length - oldText.length);
  if (length > options.maxLength) return { kind: "too-large" };
  const starts = [0, ...offsets.map((offset) => offset + oldText.length)];
  const kept = starts.map((start, index) => text.slice(start, offsets[index]));
  return { kind: "replaced", text: kept.join(newText), lines };
}

interface Places extends Replacement {
  readonly offsets: readonly number[];
}

function findPlaces(text: string, replacement: Replacement): Places {
  const withCrlf = { oldText: toCrlf(replacement.oldText), newText: toCrlf(replacement.newText) };
  const isAllCrlf = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  const asGiven = isAllCrlf ? withCrlf : replacement;
  const offsets = findText(text, asGiven.oldText);
  if (offsets.length > 0 || isAllCrlf) return { ...asGiven, offsets };
  return { ...withCrlf, offsets: findText(text, withCrlf.oldText) };
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

/** The numbers of the lines in which rising offsets lie. */
function lineNumbers(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let from = 0;
  return offsets.map((offset) => {
    for (let at = text.indexOf("\n", from); at !== -1 && at < offset; at = text.indexOf("\n", from)) {
      line += 1;
      from = at + 1;
    }
    return line;
  });
}

const MAX_CANDIDATES = 200;

function findNear(text: string, oldText: string): NearMatch | undefined {
  const lines = text.split(/\r?\n/);
  const wanted = trimBlankEnds(oldText.split(/\r?\n/)).map(squeeze);
  const [firstWanted] = wanted;
  if (firstWanted === undefined) return undefined;
  const squeezed = lines.map(squeeze);
  let candidates = 0;
  for (let start = squeezed.indexOf(firstWanted); start !== -1; start = squeezed.indexOf(firstWanted, start + 1)) {
    // A hint is not worth the time that a file of equal lines would take.
    candidates += 1;
    if (candidates > MAX_CANDIDATES) break;
    if (!wanted.every((line, index) => squeezed[start + index] === line)) continue;
    const matching = lines.slice(start, start + wanted.length);
    return { kind: "white-space", first: start + 1, last: start + wanted.length, text: matching.join("\n") };
  }
  const firstLine = squeezed.findIndex((line) => findText(line, firstWanted).length > 0);
  return firstLine === -1 ? undefined : { kind: "first-line", line: firstLine + 1 };
}

function squeeze(line: string): string {
  return line.replaceAll(/\s+/g, "");
}

function trimBlankEnds(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line.trim() !== "");
  const end = lines.findLastIndex((line) => line.trim() !== "");
  return start === -1 ? [] : lines.slice(start, end + 1);
}
