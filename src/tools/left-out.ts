import type { TreeEntry } from "./walk-tree.ts";

/** Directories that a walk lists and does not enter, unless the call names them. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * Decides what a walk does not enter: version control's own store and installed packages, which are large and hardly ever
 * meant. A call that speaks of one, in its path or its glob, gets it.
 */
export function leaveOutUnless(...mentions: readonly (string | undefined)[]): (entry: TreeEntry) => boolean {
  const leftOut = LEFT_OUT.difference(namesIn(mentions));
  return ({ name, type }) => type === "directory" && leftOut.has(name);
}

/** The same as patterns of a .gitignore file that take in everything else. */
export function leftOutGlobs(...mentions: readonly (string | undefined)[]): readonly string[] {
  return [...LEFT_OUT.difference(namesIn(mentions))].map((name) => `!${name}/`);
}

/** The names of files and directories that a call speaks of, in its paths and globs. */
export function namesIn(mentions: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(mentions.flatMap((mention) => mention?.split("/") ?? []));
}
