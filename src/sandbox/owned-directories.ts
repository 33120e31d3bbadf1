import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Owner } from "../state/owner.ts";
import { currentOwner } from "../state/owner.ts";
import { isErrno } from "../union/host-entry.ts";
import { currentHost } from "./current-host.ts";

/*
 * A killed engine leaves its temporary directories. Their names say who made them and where that number counts, so that
 * whoever cleans up after the process knows its directories without having to open them.
 */

/** Makes a temporary directory that can be told to be this process's. */
export async function makeOwnedDirectory(purpose: string, parent = tmpdir()): Promise<string> {
  return await mkdtemp(join(parent, ownedPrefix(purpose)));
}

/** A name that nobody else has, and that can be told to be this process's. */
export function newOwnedName(purpose: string): string {
  return ownedPrefix(purpose) + randomBytes(3).toString("hex");
}

/** Whether a name is that of a directory which `makeOwnedDirectory` made. */
export function isOwnedName(name: string): boolean {
  return OWNED_NAME.test(name);
}

/** The process of this place that gave a name; `undefined` for every other name. */
export function ownerOfName(name: string): Owner | undefined {
  const { host, pid, startTime } = OWNED_NAME.exec(name)?.groups ?? {};
  if (host !== currentHost() || pid === undefined || startTime === undefined) return undefined;
  return { pid: Number(pid), startTime, bootId: currentOwner().bootId };
}

/** Removes the temporary directories of processes of this place that `isWanted` picks. */
export async function removeOwnedDirectories(isWanted: (owner: Owner) => boolean, parent = tmpdir()): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = ownerOfName(name);
    if (owner !== undefined && isWanted(owner)) await removeOwned(join(parent, name));
  }
}

/** `rm` follows no link; whoever may write here could have made the name, but only removes what is its own by it. */
async function removeOwned(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    // Another user's, who removes it when they start an engine.
    if (!isErrno(error, "EACCES", "EPERM")) throw error;
  }
}

function ownedPrefix(purpose: string): string {
  const { pid, startTime } = currentOwner();
  return `${PREFIX}${purpose}-${currentHost()}-${pid}-${startTime}-`;
}

const PREFIX = "cofferdam-";

const OWNED_NAME = /^cofferdam-[a-z]+-(?<host>[0-9a-f]{16})-(?<pid>[1-9]\d*)-(?<startTime>\d*)-\w{6}$/;
