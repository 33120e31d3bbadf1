import { lstat } from "node:fs/promises";

import type { LayerMount } from "../../contract/layer.ts";

/*
 * Whose rights a command has. It runs as whoever owns the root, so that what it makes belongs to them, as far as the engine
 * can arrange it: an ordinary user only ever has their own rights; root gives them up for the owner's.
 *
 * Where root owns the root directory too, the command keeps root's number on the host, without any capability. The kernel
 * lets that number write to `/proc/sys` and the like whatever number it has inside, which is why all of `/proc` is mounted
 * read-only.
 * Inside it is never number 0: programs take that for being allowed to do everything.
 */

/** The numbers of a command's user. */
export interface SandboxIdentity {
  /** What the host sees. */
  readonly hostUid: number;
  readonly hostGid: number;
  /** What the command sees. */
  readonly uid: number;
  readonly gid: number;
}

/** Nobody, for a command of root's that has no workspace to own. */
const NOBODY = 65_534;
const UID_INSTEAD_OF_ROOT = 1_000;

/** Whose rights a command on this mount gets from this engine. */
export async function identityFor(
  mount: Pick<LayerMount, "root"> | undefined,
  engine = { uid: process.getuid?.() ?? NOBODY, gid: process.getgid?.() ?? NOBODY },
): Promise<SandboxIdentity> {
  if (engine.uid !== 0) return seenInside(engine);
  if (mount === undefined) return seenInside({ uid: NOBODY, gid: NOBODY });
  return seenInside(await lstat(mount.root));
}

function seenInside({ uid, gid }: { readonly uid: number; readonly gid: number }): SandboxIdentity {
  return {
    hostUid: uid,
    hostGid: gid,
    uid: uid === 0 ? UID_INSTEAD_OF_ROOT : uid,
    gid: gid === 0 ? UID_INSTEAD_OF_ROOT : gid,
  };
}
