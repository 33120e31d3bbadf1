/**
 * Finds what a kernel mount has to mask: the hidden paths that are there. A mount knows names and no patterns, so that the
 * root has to be walked for them once. What each directory holds is remembered, and believed for as long as its times and
 * its inode stay: every later search costs one look per directory and no listing. Times are as coarse as the kernel's
 * tick, so a directory that changed shortly before it was listed is listed again.
 *
 * What comes to be in the root after the search is not masked in the mount that was made for it.
 */
import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";

import type { Layer } from "../contract/layer.ts";
import type { HiddenPaths } from "../union/hidden-paths.ts";
import { isErrno, readHostDirectory } from "../union/host-entry.ts";
import { childPath } from "../union/normalize-path.ts";
import { toHostPath } from "../union/path-bytes.ts";
import { inBatches } from "./in-batches.ts";
import { ancestorsOf } from "./path-relations.ts";

/** What a directory of the root held when it was listed. */
interface Listing {
  readonly signature: string;
  /** Nothing that changed it later can have left its times as they were. */
  readonly isSettled: boolean;
  readonly hidden: readonly string[];
  readonly directories: readonly string[];
}

/** Much longer than a tick of any kernel. */
const SETTLED_AFTER_NS = 50_000_000n;

/** Looks for hidden paths in one root, and in layers. */
export class HiddenFinder {
  readonly #root: string;
  readonly #hidden: HiddenPaths;
  #listings: ReadonlyMap<string, Listing> = new Map();

  constructor(root: string, hidden: HiddenPaths) {
    this.#root = root;
    this.#hidden = hidden;
  }

  /** The hidden paths of the root and of these layers; what lies below one of them is not named on its own. */
  async find(layers: readonly Layer[]): Promise<readonly string[]> {
    if (this.#hidden.patterns.length === 0) return [];
    const found = new Set(await this.#findInRoot());
    for (const { entries } of layers) {
      for (const { op, path } of entries)
        if (op === "put" && this.#hidden.hides(path)) found.add(this.#outermost(path));
    }
    return [...found];
  }

  async #findInRoot(): Promise<readonly string[]> {
    const listings = new Map<string, Listing>();
    let level: readonly string[] = [""];
    while (level.length > 0) {
      const listed = await inBatches(level, async (path) => [path, await this.#list(path)] as const);
      const below: string[] = [];
      for (const [path, listing] of listed) {
        listings.set(path, listing);
        for (const name of listing.directories) below.push(childPath(path, name));
      }
      level = below;
    }
    this.#listings = listings;
    return [...listings.values()].flatMap(({ hidden }) => hidden);
  }

  async #list(path: string): Promise<Listing> {
    const hostPath = toHostPath(this.#root, path);
    try {
      const stats = await lstat(hostPath, { bigint: true });
      const signature = signatureOf(stats);
      const known = this.#listings.get(path);
      if (known?.signature === signature && known.isSettled) return known;
      const isSettled = BigInt(Date.now()) * 1_000_000n - newestOf(stats) > SETTLED_AFTER_NS;
      // What was swapped for a symlink meanwhile would be listed elsewhere, which masks too much and shows nothing.
      return { signature, isSettled, ...this.#sort(path, await readHostDirectory(hostPath)) };
    } catch (error) {
      if (isErrno(error, "ENOENT", "ENOTDIR")) return NO_DIRECTORY;
      // What it holds cannot be judged, and a sandbox might be able to read it.
      if (isErrno(error, "EACCES") && path !== "") return { ...NO_DIRECTORY, hidden: [path] };
      throw error;
    }
  }

  #sort(
    directory: string,
    entries: Awaited<ReturnType<typeof readHostDirectory>>,
  ): Pick<Listing, "hidden" | "directories"> {
    const hidden: string[] = [];
    const directories: string[] = [];
    for (const { name, dirent } of entries) {
      const path = childPath(directory, name);
      if (this.#hidden.hides(path)) hidden.push(path);
      else if (dirent.isDirectory()) directories.push(name);
    }
    return { hidden, directories };
  }

  #outermost(path: string): string {
    return ancestorsOf(path).find((above) => this.#hidden.hides(above)) ?? path;
  }
}

const NO_DIRECTORY: Listing = { signature: "", isSettled: false, hidden: [], directories: [] };

function signatureOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.mtimeNs, stats.ctimeNs].join(" ");
}

function newestOf(stats: BigIntStats): bigint {
  return stats.ctimeNs > stats.mtimeNs ? stats.ctimeNs : stats.mtimeNs;
}
