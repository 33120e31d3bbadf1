/**
 * The last change time that means "before the layer began", by the clock that stamps changes in the root.
 *
 * File systems stamp changes with a clock that ticks every few milliseconds, so a change made right after the beginning
 * could carry the very time of the beginning. Therefore the clock is waited for: whatever changes afterwards has a later
 * time. Where it does not tick in time (whole seconds), the beginning itself counts as changed since.
 *
 * A root on another device than the state may have another clock: that of a server, or a coarser one. It is read from the
 * root directory, whose change time moves when its mode is set to what it is; nothing else of it changes, and the root
 * directory itself is never looked at for changes. Where that is not allowed, everything of the last two seconds (the
 * coarsest time that file systems keep) counts as changed since; a server's clock that lags by more is not noticed then.
 */
import { chmod, lstat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

import { isErrno } from "../union/host-entry.ts";

/** Milliseconds after which the file system is taken for one that keeps whole seconds only. */
const MOST_TICK_WAITS = 50;
const COARSEST_TIME_NS = 2_000_000_000n;

/** Waits until every later change below `root` has a later change time than the one that it gives. */
export async function beginTick(options: { readonly upper: string; readonly root: string }): Promise<bigint> {
  const { upper, root } = options;
  const [own, other] = await Promise.all([lstat(upper), lstat(root)]);
  const ownTick = await tickOf(upper);
  if (own.dev === other.dev) return ownTick;
  try {
    return await tickOf(root);
  } catch (error) {
    if (!isErrno(error, "EPERM", "EACCES", "EROFS", "ENOTSUP")) throw error;
    return ownTick - COARSEST_TIME_NS;
  }
}

async function tickOf(directory: string): Promise<bigint> {
  const begunAtNs = await touch(directory);
  for (let round = 0; round < MOST_TICK_WAITS; round += 1) {
    if ((await touch(directory)) > begunAtNs) return begunAtNs;
    await delay(1);
  }
  return begunAtNs - 1n;
}

/** Moves a directory's change time and nothing else; gives the new one. */
async function touch(directory: string): Promise<bigint> {
  await chmod(directory, (await lstat(directory)).mode & 0o7777);
  return (await lstat(directory, { bigint: true })).ctimeNs;
}
