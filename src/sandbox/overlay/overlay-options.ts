import { rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { makeOwnedDirectory } from "../owned-directories.ts";

/*
 * The kernel reads mount options as one string of at most a page, in which `,` parts options, `:` parts layers and `\`
 * escapes; the Engine cuts the string at `,` as well. A root may be named with any of them. So each directory gets a
 * short symlink in a private directory, and only those are named; the kernel resolves them when it mounts. Whoever mounts
 * from within that directory names nothing else, and has room for more layers.
 *
 * - `userxattr`: the marks of opaque directories are `user.*` attributes, which whoever owns the files can read.
 * - `redirect_dir=nofollow`, `metacopy=off`: a file in the upper directory is whole and under its own name, always.
 * - `index=off`: the upper directory holds nothing about the lower ones that would go stale.
 */

const OPTIONS = "userxattr,redirect_dir=nofollow,metacopy=off,index=off";
/** One page, less the NUL at its end. */
const LONGEST_OPTION_BYTES = 4095;
/** More layers than the kernel stacks. */
const MOST_LAYERS = 500;

/** What an overlay is made of. */
export interface OverlayDirectories {
  /** Uppermost first. */
  readonly lowers: readonly string[];
  readonly upper: string;
  readonly work: string;
}

/** Mount options, and the directory of symlinks that they name. Disposing removes the directory. */
export interface OverlayOptions extends AsyncDisposable {
  readonly text: string;
  readonly linksDirectory: string;
}

/** How the links are named. */
export interface OverlayNaming {
  /** Whether the mounter's working directory will be the directory of links. @default false */
  readonly relative?: boolean;
  /** @default the system's */
  readonly temporaryDirectory?: string;
}

/** Makes the mount options of an overlay, or says by `undefined` that they cannot be written. */
export async function createOverlayOptions(
  directories: OverlayDirectories,
  { relative = false, temporaryDirectory = tmpdir() }: OverlayNaming = {},
): Promise<OverlayOptions | undefined> {
  if (!relative && !/^[\w./@+-]+$/.test(temporaryDirectory)) return undefined;
  if (directories.lowers.length > MOST_LAYERS) return undefined;
  const linksDirectory = await makeOwnedDirectory("links", temporaryDirectory);
  const text = optionText(relative ? "" : `${linksDirectory}/`, directories.lowers.length);
  if (Buffer.byteLength(text) > LONGEST_OPTION_BYTES) {
    await rm(linksDirectory, { recursive: true });
    return undefined;
  }
  await symlink(directories.upper, join(linksDirectory, "upper"));
  await symlink(directories.work, join(linksDirectory, "work"));
  for (const [index, lower] of directories.lowers.entries()) {
    await symlink(lower, join(linksDirectory, index.toString(36)));
  }
  return {
    text,
    linksDirectory,
    // `rm` removes the links themselves and follows none.
    [Symbol.asyncDispose]: () => rm(linksDirectory, { recursive: true, force: true }),
  };
}

function optionText(prefix: string, layers: number): string {
  const lowers = Array.from({ length: layers }, (_, index) => `${prefix}${index.toString(36)}`);
  return `lowerdir=${lowers.join(":")},upperdir=${prefix}upper,workdir=${prefix}work,${OPTIONS}`;
}
