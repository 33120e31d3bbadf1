import { tmpdir } from "node:os";

import { isOwnerAlive } from "../../state/owner.ts";
import { ownerOfName, removeOwnedDirectories } from "../owned-directories.ts";
import { findControlGroups, removeOrphanGroups, type ControlGroups } from "./control-group.ts";

/**
 * Removes what killed engines of this place left behind: control groups, with whatever may still be in them, and
 * temporary directories. Sandboxes and mounts end with their engine by themselves.
 * @param directories where else than in the system's directory for it temporary directories may be
 */
export async function removeLeftovers(
  groups: ControlGroups | undefined,
  directories: readonly string[] = [],
): Promise<void> {
  await removeOrphanGroups(groups?.directories ?? [], isOrphan);
  for (const directory of [tmpdir(), ...directories]) {
    await removeOwnedDirectories((owner) => !isOwnerAlive(owner), directory);
  }
}

/** The same for whoever has not looked for control groups yet. */
export async function removeBubblewrapLeftovers(): Promise<void> {
  if (process.platform !== "linux") return;
  await removeLeftovers(await findControlGroups());
}

function isOrphan(name: string): boolean {
  const owner = ownerOfName(name);
  return owner !== undefined && !isOwnerAlive(owner);
}
