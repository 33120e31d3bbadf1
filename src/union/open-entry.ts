import { closeSync, constants, fstatSync, open as openDescriptor, readlinkSync, type Stats } from "node:fs";
import { open as openHandle, realpath, type FileHandle } from "node:fs/promises";
import { promisify } from "node:util";

import { entryTypeOf, isErrno } from "./host-entry.ts";
import type { FoundEntry } from "./path-walk.ts";
import { pathToBytes, toHostPath } from "./path-bytes.ts";

/*
 * Opens what a walk found, and makes sure that it is still that. Between the walk and the open, somebody may have put a
 * symlink, a FIFO or another directory in the way. O_NOFOLLOW refuses a symlink at the end, O_NONBLOCK keeps a FIFO from
 * hanging, and where Linux tells it, the path of the opened descriptor must be the very path that was meant, which no
 * swapped ancestor can fake. In a process under Node's permission model, `/proc/self/fd` must be readable for that.
 *
 * Both checks are about a descriptor that has just been opened, so that the kernel answers them from memory. They are made
 * without going through Node's thread pool, where either would cost more than opening the file.
 */

/**
 * Opens a file or directory for reading. `undefined` when something else lies there by now: walk again.
 */
export async function openEntry(root: string, entry: FoundEntry): Promise<OpenedEntry | undefined> {
  const handle = await openWithoutFollowing(() => openHandle(entry.hostPath, flagsFor(entry)));
  if (handle === undefined) return undefined;
  try {
    const stats = await statMeant(handle.fd, root, entry);
    if (stats !== undefined) return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/** What was opened, and what it was then. */
export interface OpenedEntry {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/**
 * The same for whoever reads it at once: runs `use` on the descriptor, and closes it. A search opens thousands of files,
 * and a handle of Node's takes as long to make and to close as a small file takes to be read.
 */
export async function withOpenEntry<T>(
  place: { readonly root: string; readonly entry: FoundEntry },
  use: (opened: OpenedDescriptor) => T | Promise<T>,
): Promise<T | undefined> {
  const { root, entry } = place;
  const descriptor = await openWithoutFollowing(() => openAsync(entry.hostPath, flagsFor(entry)));
  if (descriptor === undefined) return undefined;
  try {
    const stats = await statMeant(descriptor, root, entry);
    return stats === undefined ? undefined : await use({ descriptor, stats });
  } finally {
    closeSync(descriptor);
  }
}

/** What was opened, by its number. */
export interface OpenedDescriptor {
  readonly descriptor: number;
  readonly stats: Stats;
}

/** A path by which the kernel reaches exactly what is open, whatever happens to its name. */
export function descriptorPath(descriptor: number, entry: FoundEntry): string | Buffer {
  return HAS_DESCRIPTOR_PATHS ? `/proc/self/fd/${descriptor}` : entry.hostPath;
}

const HAS_DESCRIPTOR_PATHS = process.platform === "linux";

const openAsync = promisify(openDescriptor);

function flagsFor(entry: FoundEntry): number {
  const kind = entry.type === "directory" ? constants.O_DIRECTORY : 0;
  return constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY | kind;
}

async function openWithoutFollowing<T>(open: () => Promise<T>): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    // A symlink, a socket or nothing at all, where the walk saw something else.
    if (isErrno(error, "ELOOP", "EMLINK", "ENXIO", "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

async function statMeant(descriptor: number, root: string, entry: FoundEntry): Promise<Stats | undefined> {
  const stats = fstatSync(descriptor);
  return entryTypeOf(stats) === entry.type && (await isStillThere(descriptor, root, entry)) ? stats : undefined;
}

async function isStillThere(descriptor: number, root: string, entry: FoundEntry): Promise<boolean> {
  if (!HAS_DESCRIPTOR_PATHS) return true;
  const actual = readlinkSync(`/proc/self/fd/${descriptor}`, "buffer");
  if (actual.equals(bytesOf(entry.hostPath))) return true;
  // The base may itself have been given by a path with symlinks in it; they belong to whoever set up the engine.
  const base = await realpath(entry.layer?.upper ?? root);
  return actual.equals(bytesOf(toHostPath(base, entry.path)));
}

function bytesOf(hostPath: string | Buffer): Buffer {
  return typeof hostPath === "string" ? pathToBytes(hostPath) : hostPath;
}
