/*
 * Globs of `.gitignore` files, for paths of the workspace: without a slash they hold at any depth, with one from the root on, and
 * a directory that matches covers all that is in it. A path is compared as it would be looked up, without `.`, `..`, `//` and a
 * slash at the end. A rule that denies or asks takes upper and lower case as the same, for the root's file system may.
 * Symlinks are not followed here: the text of a command does not say where they lead.
 */
import { posix } from "node:path";
import picomatch from "picomatch";
import type { Word } from "../command/analysis.ts";
import { globsOverlap } from "./globs-overlap.ts";

/** A glob for paths, ready to be asked. */
export interface PathPattern {
  /** Whether all that is known of a path fits. */
  matches(path: string): boolean;
  /** Whether a word of a command could name a file that fits. */
  couldMatch(word: Word, directories: readonly string[] | undefined): boolean;
}

/** Where commands see the workspace. */
const MOUNT = "/workspace";

/** Reads a glob; nothing when it is empty or turned round, which rules have their effects for. */
export function parsePathPattern(
  text: string,
  { ignoresCase }: { readonly ignoresCase: boolean },
): PathPattern | undefined {
  const trimmed = text.trim().replace(/^\.\//, "").replace(/\/+$/, "");
  if (trimmed === "" || trimmed.startsWith("!")) return undefined;
  const isAnchored = trimmed.includes("/");
  const glob = trimmed.replace(/^\/+/, "");
  const globs = isAnchored ? [glob, `${glob}/**`] : [`**/${glob}`, `**/${glob}/**`];
  const isMatch = picomatch(globs, { dot: true, nobrace: true, noextglob: true, nonegate: true, nocase: ignoresCase });
  const matches = (path: string) => isMatch(comparable(path));
  return {
    matches,
    couldMatch: (word, directories) => {
      if (word.kind === "static" && directories !== undefined) return pathsFrom(word.text, directories).some(matches);
      const wanted = word.kind === "static" ? word.text.replaceAll(/[*?[\]\\]/g, "\\$&") : word.glob;
      if (wanted === undefined) return true;
      const named = pathsFrom(wanted, directories).map(comparable);
      return named.some((path) => globs.some((each) => globsOverlap(fold(each), fold(path))));
    },
  };

  function fold(glob: string): string {
    return ignoresCase ? glob.toLowerCase() : glob;
  }
}

/** Whether a path lies in the workspace wherever the command starts from. */
export function isInWorkspace(path: string, directories: readonly string[] | undefined): boolean {
  if (directories === undefined && !path.startsWith("/")) return false;
  return pathsFrom(path, directories).every((each) => each === MOUNT || each.startsWith(`${MOUNT}/`));
}

/** The absolute paths that a path of a command may stand for; from a directory that is not known, at any depth. */
function pathsFrom(path: string, directories: readonly string[] | undefined): readonly string[] {
  if (path.startsWith("/") || path.startsWith("~")) return [posix.normalize(path)];
  if (directories === undefined) return [posix.join(MOUNT, "**", path)];
  return directories.map((directory) => posix.resolve(MOUNT, directory, path));
}

/** Relative to the workspace; what is outside of it keeps its whole path, which no rule from the root on fits. */
function comparable(path: string): string {
  const whole = posix.resolve(MOUNT, path);
  return whole.startsWith(`${MOUNT}/`) ? whole.slice(MOUNT.length + 1) : whole.slice(1);
}
