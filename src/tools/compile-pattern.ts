/**
 * A pattern comes from the model, and the text from a guest: together they could keep a backtracking engine busy for
 * hours. RE2 takes time linear in the text; what it takes per character grows with the size of the compiled pattern, so
 * that is limited too.
 */
import { RE2JS, RE2JSException } from "re2js";
import { coreToolMessages } from "../errors/messages/core-tools.ts";

/** A pattern that is ready, or what is wrong with it. */
export type CompiledPattern =
  | {
      readonly ok: true;
      /** Whether a line holds a match. */
      readonly matchesLine: (line: string) => boolean;
      /** Whether several lines together may hold one; a cheap way to pass over many at once. */
      readonly mayMatchIn: (lines: string) => boolean;
      /** The first match in a text of several lines that begins at an index or behind it. */
      readonly findFrom: (lines: string, index: number) => FoundMatch | undefined;
    }
  | { readonly ok: false; readonly problem: string };

/** Where a match is. */
export interface FoundMatch {
  readonly start: number;
  readonly end: number;
}

const MAX_PROGRAM_SIZE = 2_000;

/** Compiles a regular expression for lines. */
export function compilePattern(pattern: string, options: { readonly ignoreCase: boolean }): CompiledPattern {
  const flags = options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  try {
    const expression = RE2JS.translateRegExp(pattern);
    const ofLine = RE2JS.compile(expression, flags);
    if (ofLine.programSize() > MAX_PROGRAM_SIZE) return { ok: false, problem: coreToolMessages.largePattern(pattern) };
    const ofLines = RE2JS.compile(expression, flags | RE2JS.MULTILINE);
    // What is about the whole text would be missed in the middle of several lines: \A, \z, and ^ or $ after "(?-m)".
    const isAnchoredToText = /\\[Az]|\(\?[a-zA-Z]*-/.test(pattern);
    return {
      ok: true,
      matchesLine: (line) => ofLine.test(line),
      mayMatchIn: (lines) => isAnchoredToText || ofLines.test(lines),
      findFrom: (lines, index) => {
        const matcher = ofLines.matcher(lines);
        return matcher.find(index) ? { start: matcher.start(), end: matcher.end() } : undefined;
      },
    };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const problem = UNSUPPORTED.test(pattern)
      ? coreToolMessages.unsupportedPattern(pattern)
      : coreToolMessages.brokenPattern(pattern, error.message);
    return { ok: false, problem };
  }
}

/** Lookaround and backreferences. */
const UNSUPPORTED = /\(\?(?:=|!|<=|<!)|\\[1-9]|\\k</;
