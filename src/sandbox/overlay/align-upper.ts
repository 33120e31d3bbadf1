import { chmod, chown, lstat } from "node:fs/promises";

import type { LayerMount } from "../../contract/layer.ts";

/** The overlay shows the upper directory's own owner and mode as those of the workspace, so it gets the root's. */
export async function alignUpper(mount: LayerMount): Promise<void> {
  const [root, upper] = await Promise.all([lstat(mount.root), lstat(mount.upper)]);
  // Only root can give a directory away; anybody else works on what is theirs.
  if (process.getuid?.() === 0 && (root.uid !== upper.uid || root.gid !== upper.gid)) {
    await chown(mount.upper, root.uid, root.gid);
  }
  if ((root.mode & 0o777) !== (upper.mode & 0o7777)) await chmod(mount.upper, root.mode & 0o777);
}
