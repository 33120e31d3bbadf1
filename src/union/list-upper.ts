import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Stats } from "node:fs";
import { chmod, lstat, rename, rm } from "node:fs/promises";

import { NOT_KEPT } from "../errors/messages/layer.ts";
import { damagedLayer } from "../errors/messages/path.ts";
import { StateError } from "../errors/state-error.ts";
import { findExactly } from "./exact-entry.ts";
import { TEMPORARY_NAME, temporaryPath } from "./draft-upper.ts";
import { entryTypeOf, lstatIfPresent, readHostDirectory } from "./host-entry.ts";
import { childPath, MAX_PATH_BYTES } from "./normalize-path.ts";
import { comparePaths, pathToBytes, toHostPath } from "./path-bytes.ts";
import { readableMode } from "./readable-mode.ts";
import type { LocatedEntry, UnionView } from "./union-view.ts";
import { isWhiteout } from "./whiteouts.ts";

/** Something that a layer does not keep. */
export interface RefusedEntry {
  readonly path: string;
  readonly reason: string;
}

/** One entry of an upper directory, and what lies below it. */
export interface UpperItem {
  readonly path: string;
  readonly stats: Stats;
  readonly lower: LocatedEntry | undefined;
}

/** Everything in an upper directory. */
export interface UpperListing {
  /** Each directory before what is in it. */
  readonly items: readonly UpperItem[];
  /** The paths whose marks of overlayfs matter. */
  readonly marked: readonly string[];
  /** What was removed or widened at once. */
  readonly refused: readonly RefusedEntry[];
  /** Modes that had to be widened to look inside, to be set again. */
  readonly opened: readonly { readonly path: string; readonly mode: number }[];
}

/**
 * Lists an upper directory with what lies below each entry. Walks with a list, since its depth is whatever a guest made it, and
 * takes out what no path of a workspace can name.
 */
export async function listUpper(below: UnionView, upper: string): Promise<UpperListing> {
  const items: UpperItem[] = [];
  const marked: string[] = [""];
  const refused: RefusedEntry[] = [];
  const opened: { path: string; mode: number }[] = [];
  const pending: { readonly path: string; readonly isBelow: boolean }[] = [{ path: "", isBelow: true }];
  await openTop(upper);
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const { name } of await readHostDirectory(toHostPath(upper, directory.path))) {
      const path = childPath(directory.path, name);
      const reason = refusalOf(path, below);
      if (reason !== undefined) {
        if (!(await isLeftover(upper, path))) refused.push({ path, reason });
        await removeWhole(upper, path);
        continue;
      }
      const entry = { path, isBelow: directory.isBelow };
      let item = await inspect(below, upper, entry);
      if (await makeReadable(upper, item)) {
        refused.push({ path, reason: NOT_KEPT.unreadable });
        item = await inspect(below, upper, entry);
      }
      items.push(item);
      if (mayBeMarked(item.stats)) marked.push(path);
      if (!isOpen(item.stats)) {
        opened.push({ path, mode: item.stats.mode & ALL_BITS });
        await chmod(toHostPath(upper, path), (item.stats.mode & ALL_BITS) | OWNER_ACCESS);
      }
      if (item.stats.isDirectory()) pending.push({ path, isBelow: item.lower?.stat.type === "directory" });
    }
  }
  return { items: items.sort((left, right) => comparePaths(left.path, right.path)), marked, refused, opened };
}

const ALL_BITS = 0o7777;
const OWNER_ACCESS = 0o700;

function refusalOf(path: string, below: UnionView): string | undefined {
  if (below.hidden.hides(path)) return NOT_KEPT.hidden;
  if (TEMPORARY_NAME.test(path)) return NOT_KEPT.temporaryName;
  if (pathToBytes(path).length > MAX_PATH_BYTES) return NOT_KEPT.tooLong;
  return path.split("/").length > MAX_PATH_PARTS ? NOT_KEPT.tooDeep : undefined;
}

/** A deletion of what is not kept says nothing. */
async function isLeftover(upper: string, path: string): Promise<boolean> {
  const stats = await lstatIfPresent(toHostPath(upper, path));
  return stats !== undefined && isWhiteout(stats);
}

/** What a review shows of a path is as long as the path; no project comes near this depth. */
const MAX_PATH_PARTS = 256;

async function inspect(
  below: UnionView,
  upper: string,
  entry: { readonly path: string; readonly isBelow: boolean },
): Promise<UpperItem> {
  const hostPath = toHostPath(upper, entry.path);
  const stats = await lstatIfPresent(hostPath);
  // Its writer is gone, so that whatever changes the directory now is a fault of the caller.
  if (stats === undefined) throw new StateError(damagedLayer(entry.path));
  return { path: entry.path, stats, lower: entry.isBelow ? await findExactly(below, entry.path) : undefined };
}

/** The mode of the whole workspace is not a layer's to change. */
async function openTop(upper: string): Promise<void> {
  const stats = await lstat(upper);
  if (!isOpen(stats)) await chmod(upper, (stats.mode & ALL_BITS) | OWNER_ACCESS);
}

/** Gives the owner what it needs to read an entry; says whether that was missing. */
async function makeReadable(upper: string, { path, stats }: UpperItem): Promise<boolean> {
  const type = entryTypeOf(stats);
  const mode = stats.mode & ALL_BITS;
  const readable = type === undefined ? mode : readableMode(type, mode);
  if (readable === mode) return false;
  await chmod(toHostPath(upper, path), readable);
  return true;
}

/** A directory may hide or be renamed; a file of which nothing is on the disk may have its content elsewhere. */
function mayBeMarked(stats: Stats): boolean {
  return stats.isDirectory() || (stats.isFile() && stats.size > 0 && stats.blocks === 0);
}

/** Whether this process can look into it. Root can, whatever the mode. */
function isOpen(stats: Stats): boolean {
  if (process.getuid?.() === 0 || (!stats.isDirectory() && !stats.isFile())) return true;
  return (stats.mode & OWNER_ACCESS) === OWNER_ACCESS || (stats.isFile() && (stats.mode & 0o400) !== 0);
}

/** Removes a tree of any depth. Below a certain one no path reaches it, and only a program that walks by descriptor can. */
async function removeWhole(upper: string, path: string): Promise<void> {
  const doomed = temporaryPath(upper);
  await rename(toHostPath(upper, path), doomed);
  const remover = spawn("rm", ["-rf", "--", doomed], { stdio: "ignore", env: { PATH: "/usr/bin:/bin" } });
  const [exitCode] = await once(remover, "close");
  if (exitCode !== 0) await rm(doomed, { recursive: true, force: true });
}
