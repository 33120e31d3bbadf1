import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

import type { Owner } from "../../state/owner.ts";
import { formatOwner } from "../../state/owner.ts";

/*
 * Everything that the backend makes in an Engine carries the name of its owner, so that another process can tell what
 * a killed one left behind. The owner alone does not do: an Engine may serve several machines, and several containers
 * with process numbers of their own, and to each of them the others' owners look dead. So the place where the owner's
 * number means something is named too, and nobody touches what another place owns.
 */

/** Names the process that owns a container or volume, as `formatOwner` writes it. */
export const OWNER_LABEL = "cofferdam.owner";
/** Names the machine and process namespace in which the owner's number counts. */
export const HOST_LABEL = "cofferdam.host";
/** What it is for: `run`, `carrier`, `probe`, `workspace`, `gateway`. */
export const ROLE_LABEL = "cofferdam.role";
/** The directory of symlinks that an overlay volume is mounted through. */
export const LINKS_LABEL = "cofferdam.links";

/** What a container or volume is for. */
export type Role = "run" | "carrier" | "probe" | "workspace" | "gateway";

/** The labels of something that `owner` makes. */
export function ownershipLabels(owner: Owner, role: Role): Record<string, string> {
  return { [OWNER_LABEL]: formatOwner(owner), [HOST_LABEL]: currentHost(), [ROLE_LABEL]: role };
}

/** The place where this process's number means something, as one short word. */
export function currentHost(): string {
  const identity = `${readMachineId()}\n${readProcessNamespace()}`;
  return createHash("sha256").update(identity).digest("hex").slice(0, 16);
}

function readMachineId(): string {
  try {
    return readFileSync("/etc/machine-id", "latin1").trim() || hostname();
  } catch {
    // Not every system has one; its name must do.
    return hostname();
  }
}

function readProcessNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // Where there is no /proc there are no process namespaces.
    return "";
  }
}
