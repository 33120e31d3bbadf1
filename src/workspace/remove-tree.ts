import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

import { isErrno } from "../union/host-entry.ts";

/**
 * Removes a directory and all below it. A guest may have left directories that their owner cannot enter, or that lie
 * deeper than a path can say; the system's own programs open them up and go down step by step. Only directories are
 * opened up: a file may have another name in a layer that stays, and would change its mode there.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!isErrno(error, "EACCES", "EPERM", "ENAMETOOLONG", "ENOTEMPTY")) throw error;
    const run = promisify(execFile);
    // Removals that the failed attempt has under way make directories vanish meanwhile, which find takes for a failure;
    // whatever really cannot be opened up fails in the next step.
    await run("find", [path, "-type", "d", "-exec", "chmod", "u+rwx", "--", "{}", ";"]).catch(() => undefined);
    await run("rm", ["-rf", "--", path]);
  }
}
