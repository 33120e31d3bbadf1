import type { TreeEntry } from "./walk-tree.ts";

/** Directories that a walk lists and does not enter, unless the call names them. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * Decides what a walk does not enter: version control's own store and installed packages, which are large and hardly ever
 * meant. A call that speaks of one, in its path or its glob, gets it.
 */
export function leaveOutUnless(...mentions: readonly (string | undefined)[]): (entry: TreeEntry) => boolean {
  const named = new Set(mentions.flatMap((mention) => mention?.split("/") ?? []));
  return ({ name, type }) => type === "directory" && LEFT_OUT.has(name) && !named.has(name);
}
