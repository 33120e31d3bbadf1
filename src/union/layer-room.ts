import { lstat } from "node:fs/promises";

import type { LayerRoom } from "../contract/layer.ts";
import { isErrno, readHostDirectory } from "./host-entry.ts";
import { childPath } from "./normalize-path.ts";
import { toHostPath } from "./path-bytes.ts";

/*
 * A layer may hold only so much. What in-process tools write is counted before it is written, and never taken off when it is
 * replaced or removed; only when the count says that there is no room is the upper directory measured, which sets it right.
 * A kernel mount is measured alone.
 */

/** Counts what is written to one upper directory. */
export interface RoomCounter {
  /** Whether one more entry of this size still fits; it is counted when it does. */
  claim(sizeBytes: number): Promise<boolean>;
}

/** A counter for what an upper directory may hold. */
export function createRoomCounter(upper: string, room: LayerRoom): RoomCounter {
  let counted: LayerRoom | undefined;
  const fits = ({ files, bytes }: LayerRoom, sizeBytes: number): boolean =>
    files + 1 <= room.files && bytes + sizeBytes <= room.bytes;
  return {
    async claim(sizeBytes) {
      counted ??= await measureUpper(upper);
      if (!fits(counted, sizeBytes)) counted = await measureUpper(upper);
      if (!fits(counted, sizeBytes)) return false;
      counted = { files: counted.files + 1, bytes: counted.bytes + sizeBytes };
      return true;
    },
  };
}

/** Whether an upper directory holds more than it may. */
export async function isOverRoom(upper: string, room: LayerRoom): Promise<boolean> {
  const { files, bytes } = await measureUpper(upper);
  return files > room.files || bytes > room.bytes;
}

/** The entries below a directory, and what their content takes on the disk: holes take nothing. */
export async function measureUpper(upper: string): Promise<LayerRoom> {
  let files = 0;
  let bytes = 0;
  const pending = [""];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const { name, dirent } of await list(upper, directory)) {
      const path = childPath(directory, name);
      files += 1;
      if (dirent.isDirectory()) pending.push(path);
      else if (dirent.isFile()) bytes += await takenBytes(toHostPath(upper, path));
    }
  }
  return { files, bytes };
}

async function list(upper: string, directory: string): ReturnType<typeof readHostDirectory> {
  try {
    return await readHostDirectory(toHostPath(upper, directory));
  } catch (error) {
    // Somebody works in it meanwhile. Deeper than a path can say is left to the scan, which refuses it.
    if (isErrno(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG", "EACCES")) return [];
    throw error;
  }
}

async function takenBytes(hostPath: string | Buffer): Promise<number> {
  try {
    const { size, blocks } = await lstat(hostPath);
    return Math.min(size, blocks * BLOCK_BYTES);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG", "EACCES")) return 0;
    throw error;
  }
}

/** The unit of `st_blocks`, whatever the file system's own. */
const BLOCK_BYTES = 512;
