import type { Change } from "../contract/change.ts";
import type { Engine } from "../contract/engine.ts";
import type { ChangeSelection, ReviewedSelection } from "../contract/landing.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { emptyPath } from "../errors/messages/workspace.ts";

/*
 * A selection is made of globs, and a directory selects all below it. What a call changed is a list of paths, and landing
 * anything beside them would land what nobody has looked at: each path is anchored and taken literally, and what an
 * earlier call left pending below one of its directories is taken out again. The last pattern that matches decides, so the
 * patterns stand in the order of the paths, a directory before what is in it.
 */

/** Selects what is pending at exactly the paths of these changes. */
export async function selectChanges(engine: Engine, changes: readonly Change[]): Promise<ReviewedSelection> {
  const own = new Set(changes.map(({ path }) => path));
  const revision = await engine.workspace.revision();
  const pending = await engine.workspace.changes();
  const others = pending.map(({ path }) => path).filter((path) => !own.has(path) && isBelowOne(path, own));
  // Where all below a directory is the call's own, the directory says it: thousands of new files need no pattern each.
  const needed = others.length > 0 ? [...own] : [...own].filter((path) => !isBelowOne(path, own));
  const paths = [...needed, ...others].toSorted(byDepth);
  return { revision, paths: paths.map((path) => (own.has(path) ? toPattern(path) : `!${toPattern(path)}`)) };
}

/**
 * Selects what was named on the command line; nothing named means everything.
 * @throws ConfigurationError when a path is empty, before anything is opened.
 */
export function selectPaths(paths: readonly string[], action: string): ChangeSelection {
  if (paths.some((path) => path === "" || path === "!")) throw new ConfigurationError(emptyPath(action));
  return paths.length === 0 ? {} : { paths };
}

function isBelowOne(path: string, directories: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    if (directories.has(path.slice(0, end))) return true;
  }
  return false;
}

function byDepth(left: string, right: string): number {
  return left.split("/").length - right.split("/").length;
}

/** Anchored at the root, with every glob character taken literally. */
function toPattern(path: string): string {
  return `/${path.replace(GLOB_CHARACTER, (character) => LITERALS[character] ?? `[${character}]`)}`;
}

const GLOB_CHARACTER = /[\\*?[\]{}()!+@|$,"'^]/g;

/** In a class of its own each character is itself; these ones need a backslash, in or instead of the class. */
const LITERALS: Readonly<Record<string, string>> = {
  "\\": String.raw`[\\]`,
  "]": String.raw`[\]]`,
  "^": String.raw`\^`,
  "!": String.raw`\!`,
};
