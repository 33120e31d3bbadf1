import { chmod, readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

import { isErrno } from "../../union/host-entry.ts";

/*
 * A layer's work directory is left as it was given: empty. The user-space union leaves a device in it that deletions are
 * linked from, and the kernel a directory that belongs to whoever mounted, permits nobody anything and holds the device
 * that the kernel's deletions were linked from.
 */

/**
 * Removes everything in a work directory that nothing is mounted on any more.
 * @param sweepForeign empties the kernel's directory where it belongs to somebody else, who mounted
 */
export async function emptyWorkDirectory(work: string, sweepForeign?: () => Promise<void>): Promise<void> {
  try {
    await removeEntries(work);
  } catch (error) {
    if (sweepForeign === undefined || !isErrno(error, "EACCES", "EPERM")) throw error;
    await sweepForeign();
    await removeEntries(work);
  }
}

async function removeEntries(work: string): Promise<void> {
  // The whole layer may be gone already.
  const names = await readdir(work).catch(() => []);
  for (const name of names) await removeEntry(join(work, name));
}

/** An empty directory goes without permission to look into it; its owner can permit that first. */
async function removeEntry(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (isErrno(error, "ENOTEMPTY", "EEXIST")) await chmod(path, 0o700);
    await rm(path, { recursive: true, force: true });
  }
}
