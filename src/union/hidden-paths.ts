import { ConfigurationError } from "../errors/configuration-error.ts";
import { unusableHidePattern } from "../errors/messages/path.ts";
import { parseIgnoreLine } from "./ignore-pattern.ts";
import { parentPath } from "./normalize-path.ts";

/*
 * Paths that nothing in a workspace sees. A pattern is a line of a .gitignore file, with three differences that all hide
 * more: upper and lower case are the same, since on some file systems ".ENV" is ".env"; a slash at the end does not ask for
 * a directory, because a path is judged by its name alone, before anything is looked at; and nothing is taken back by "!",
 * because the patterns of several policies add up, and the file in the root must not show what the user's hides.
 */

/** The paths that a workspace hides. */
export interface HiddenPaths {
  /** As they were written. */
  readonly patterns: readonly string[];
  /** Whether a normalised path, or a directory above it, is hidden. The root itself never is. */
  hides(path: string): boolean;
}

/**
 * Makes patterns ready to be asked.
 * @throws ConfigurationError when a pattern says nothing, or starts with "!".
 */
export function createHiddenPaths(patterns: readonly string[]): HiddenPaths {
  const matchers = patterns.map((pattern) => parseHidePattern(pattern));
  // A walk asks about every ancestor again for each name.
  const known = new Map<string, boolean>();
  const hides = (path: string): boolean => {
    if (matchers.length === 0 || path === "") return false;
    const answer = known.get(path);
    if (answer !== undefined) return answer;
    const isHidden = hides(parentPath(path)) || matchers.some((matches) => matches(path));
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(path, isHidden);
    return isHidden;
  };
  return { patterns, hides };
}

/** Hides nothing. */
export const NOTHING_HIDDEN: HiddenPaths = createHiddenPaths([]);

const MAX_KNOWN = 16_384;

function parseHidePattern(written: string): (path: string) => boolean {
  const line = written.replace(/\/+$/, "").toLowerCase();
  const pattern = parseIgnoreLine(line.startsWith("./") ? line.slice(1) : line);
  if (pattern === undefined || pattern.isNegated) throw new ConfigurationError(unusableHidePattern(written));
  return (path) => pattern.matches(path.toLowerCase(), true);
}
