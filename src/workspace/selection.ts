import { closest, distance } from "fastest-levenshtein";
import picomatch from "picomatch";

import type { ChangeSelection } from "../contract/landing.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { emptyPath, nothingSelected } from "../errors/messages/workspace.ts";
import { displayPath } from "../union/path-bytes.ts";
import { ancestorsOf, nameOf } from "./path-relations.ts";

const SHOWN_NEAREST = 3;

/**
 * Picks items by gitignore-style globs: a pattern without a slash matches a name at any depth, one with a slash is
 * relative to the root, a match of a directory selects all below it, and a later pattern that starts with `!` takes
 * out again. A pattern that is a path letter by letter always selects that path, whatever glob characters it holds.
 * An empty pattern is refused: an unset variable of a script must not select everything.
 * @throws ConfigurationError when a pattern is empty, or nothing matches, naming the nearest paths.
 */
export function selectPaths<T extends { readonly path: string }>(
  items: readonly T[],
  selection: ChangeSelection | undefined,
  action: string,
): readonly T[] {
  const patterns = selection?.paths;
  if (patterns === undefined) return items;
  if (patterns.some((pattern) => pattern === "" || pattern === "!")) throw new ConfigurationError(emptyPath(action));
  const matchers = patterns.map((pattern) => compile(pattern));
  const selected = items.filter((item) => isSelected(item.path, matchers));
  if (selected.length === 0 && items.length > 0) {
    const nearest = findNearest(
      patterns,
      items.map((item) => item.path),
    );
    throw new ConfigurationError(nothingSelected({ patterns, nearest: nearest.map(displayPath) }));
  }
  return selected;
}

interface Matcher {
  readonly selects: boolean;
  matches(path: string): boolean;
}

function isSelected(path: string, matchers: readonly Matcher[]): boolean {
  // As in a .gitignore, the last pattern that matches decides.
  return matchers.findLast((matcher) => matcher.matches(path))?.selects ?? false;
}

function compile(written: string): Matcher {
  const selects = !written.startsWith("!");
  const pattern = (selects ? written : written.slice(1)).replace(/^\.\//, "");
  const isAnchored = pattern.replace(/\/+$/, "").includes("/");
  const literal = pattern.replace(/^\/+|\/+$/g, "");
  if (literal === "" || literal === ".") return { selects, matches: () => true };
  // "s": a file name may hold a newline, which a dot would not match otherwise.
  const isMatch = picomatch(literal, { dot: true, flags: "s" });
  const isOne = (path: string): boolean => path === literal || isMatch(isAnchored ? path : nameOf(path));
  return { selects, matches: (path) => isOne(path) || ancestorsOf(path).some(isOne) };
}

function findNearest(patterns: readonly string[], paths: readonly string[]): readonly string[] {
  const nearest = new Set(patterns.map((pattern) => closest(pattern, [...paths])));
  const target = patterns[0] ?? "";
  for (const path of paths.toSorted((left, right) => distance(target, left) - distance(target, right))) {
    if (nearest.size >= SHOWN_NEAREST) break;
    nearest.add(path);
  }
  return [...nearest].slice(0, SHOWN_NEAREST);
}
