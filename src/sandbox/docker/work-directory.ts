import { readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";

/**
 * Leaves a layer's work directory as it was given: empty. The kernel leaves an empty directory in it that permits nobody
 * anything, and the user-space union a device that deletions are linked from.
 */
export async function emptyWorkDirectory(work: string): Promise<void> {
  // The whole layer may be gone already.
  const entries = await readdir(work, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(work, entry.name);
    await (entry.isDirectory() ? rmdir(path) : unlink(path));
  }
}
