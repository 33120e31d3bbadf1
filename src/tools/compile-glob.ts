/**
 * Globs come from the model and are matched against names that a guest may have chosen. picomatch turns a glob into
 * a regular expression for the built-in engine, where a few stars and a long name take longer than anyone waits. So its
 * expression is run by RE2 instead, in linear time. RE2 has no lookahead; the ones that picomatch writes for a plain glob
 * only keep empty, `.` and `..` parts from matching, which paths of a workspace never have, and are taken out. Extended
 * globs need real ones and are refused.
 */
import picomatch from "picomatch";
import { RE2JS } from "re2js";
import { coreToolMessages } from "../errors/messages/core-tools.ts";

/** A glob that is ready, or what is wrong with it. */
export type CompiledGlob =
  { readonly ok: true; readonly matches: (path: string) => boolean } | { readonly ok: false; readonly problem: string };

/** How to match. */
export interface GlobOptions {
  /** A glob without a slash is matched against the last part of a path. @default false */
  readonly matchName?: boolean;
}

/** Compiles a glob over paths relative to the place that it is about. A leading `!` turns it round. */
export function compileGlob(glob: string, options: GlobOptions = {}): CompiledGlob {
  const isNegated = glob.startsWith("!") && !glob.startsWith("!(");
  if (EXTENDED_GLOB.test(glob)) return { ok: false, problem: coreToolMessages.extendedGlob(glob) };
  const pattern = normalizeGlob(isNegated ? glob.slice(1) : glob);
  const expression = compileExpression(pattern);
  if (expression === undefined) return { ok: false, problem: coreToolMessages.unusableGlob(glob) };
  const isAboutNames = options.matchName === true && !pattern.includes("/");
  return {
    ok: true,
    matches: (path) => {
      const text = isAboutNames ? path.slice(path.lastIndexOf("/") + 1) : path;
      return expression.test(text) !== isNegated;
    },
  };
}

const EXTENDED_GLOB = /(?<!\\)[!@+*?]\(/;

function normalizeGlob(glob: string): string {
  const relative = glob.replace(/^(?:\.\/|\/workspace\/)+/, "");
  // picomatch would take parentheses for groups of a regular expression; they are part of many a name.
  const literal = relative.replaceAll(/\\.|[()]/gs, (text) => (text.startsWith("\\") ? text : `\\${text}`));
  return literal.endsWith("/") ? `${literal}**` : literal;
}

function compileExpression(pattern: string): RE2JS | undefined {
  try {
    const { source } = picomatch.makeRe(pattern, {
      dot: true,
      nonegate: true,
      noextglob: true,
      posix: true,
      windows: false,
    });
    // A name may hold a newline, which "." does not match without the flag.
    return RE2JS.compile(RE2JS.translateRegExp(withoutLookahead(source)), RE2JS.DOTALL);
  } catch {
    // Whatever either compiler dislikes, the model can only write another glob.
    return undefined;
  }
}

/** What picomatch writes so that a wildcard matches no empty, `.` or `..` part. */
const PART_GUARDS = ["(?!(?:^|\\/)\\.{1,2}(?:\\/|$))", "(?!\\.{1,2}(?:\\/|$))", "(?!\\.{0,1}(?:\\/|$))", "(?=.)"];

/** A star that is the end of the glob, or of one of several choices in it. */
const LAST_STAR = /\(\?=\.\)\[\^\/\]\*\?(?=\\\/\?|[|)]|$)/g;

function withoutLookahead(source: string): string {
  // Where nothing follows a star, "at least one character" is what tells `a/**/*` from `a/**`, and the star a plus.
  const plain = source.replaceAll(LAST_STAR, "[^/]+?");
  return PART_GUARDS.reduce((text, guard) => text.replaceAll(guard, ""), plain);
}
