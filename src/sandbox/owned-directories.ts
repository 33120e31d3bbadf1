import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Owner } from "../state/owner.ts";
import { currentOwner } from "../state/owner.ts";
import { currentHost } from "./current-host.ts";

/*
 * A killed engine leaves its temporary directories. Their names say who made them and where that number counts, so that
 * whoever cleans up after the process knows its directories without having to open them.
 */

/** Makes a temporary directory that can be told to be this process's. */
export async function makeOwnedDirectory(purpose: string, parent = tmpdir()): Promise<string> {
  const { pid, startTime } = currentOwner();
  return await mkdtemp(join(parent, `${PREFIX}${purpose}-${currentHost()}-${pid}-${startTime}-`));
}

/** Whether a name is that of a directory which `makeOwnedDirectory` made. */
export function isOwnedName(name: string): boolean {
  return OWNED_NAME.test(name);
}

/** Removes the temporary directories of processes of this place that `isWanted` picks. */
export async function removeOwnedDirectories(isWanted: (owner: Owner) => boolean, parent = tmpdir()): Promise<void> {
  const { bootId } = currentOwner();
  for (const name of await readdir(parent)) {
    const { host, pid, startTime } = OWNED_NAME.exec(name)?.groups ?? {};
    if (host !== currentHost() || pid === undefined || startTime === undefined) continue;
    // `rm` follows no link; whoever may write here could have made the name, but only removes what is its own by it.
    if (isWanted({ pid: Number(pid), startTime, bootId }))
      await rm(join(parent, name), { recursive: true, force: true });
  }
}

const PREFIX = "cofferdam-";

const OWNED_NAME = /^cofferdam-[a-z]+-(?<host>[0-9a-f]{16})-(?<pid>[1-9]\d*)-(?<startTime>\d*)-\w{6}$/;
