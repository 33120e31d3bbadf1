import type { Owner } from "../../state/owner.ts";
import { formatOwner } from "../../state/owner.ts";
import { currentHost } from "../current-host.ts";

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
