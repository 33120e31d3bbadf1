import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

import { isErrno } from "../../union/host-entry.ts";
import type { ResolvedLimits } from "../command-limits.ts";
import { newOwnedName } from "../owned-directories.ts";
import { listGroupParents, type GroupLimit, type GroupParent } from "./control-group-tree.ts";

/*
 * Limits that hold for all processes of a sandbox together. The group is made before the sandbox and has its limits before
 * the first process joins, so that nothing is ever outside of it. These files are the kernel's own and answer at once, which
 * is why they are written without the detour through a thread.
 */

/** The groups of one sandbox. Disposing removes them, once their processes are gone. */
export interface ControlGroup extends AsyncDisposable {
  /** A process that writes 0 to each of these is in the group. */
  readonly processFiles: readonly string[];
  /** Whether the kernel killed something in it for want of memory. */
  wasOutOfMemory(): Promise<boolean>;
}

/** A way to make control groups that has been tried. */
export interface ControlGroups {
  readonly version: 1 | 2;
  readonly limits: readonly GroupLimit[];
  /** Where groups are made. */
  readonly directories: readonly string[];
  open(limits: Pick<ResolvedLimits, GroupLimit>): Promise<ControlGroup>;
}

/** Finds a way to make groups by making one and letting a process join; `undefined` when there is none. */
export async function findControlGroups(processDirectory?: string): Promise<ControlGroups | undefined> {
  for (const parents of await listGroupParents(processDirectory)) {
    if (await canUse(parents)) return controlGroupsIn(parents);
  }
  return undefined;
}

/** Control groups in these directories, without trying. */
export function controlGroupsIn(parents: readonly GroupParent[]): ControlGroups {
  return {
    version: parents[0]?.version ?? 2,
    limits: parents.flatMap(({ limits }) => limits),
    directories: parents.map(({ directory }) => directory),
    open: async (limits) => await openGroup(parents, limits),
  };
}

async function canUse(parents: readonly GroupParent[]): Promise<boolean> {
  try {
    await using group = await openGroup(parents, { memoryMb: 64, pids: 64, cpus: 1 });
    const join = 'for file; do echo 0 >"$file" || exit 1; done';
    await promisify(execFile)("/bin/sh", ["-c", join, "sh", ...group.processFiles], { env: {} });
    return true;
  } catch {
    // Not permitted, not delegated, read-only: each of them means that there are no groups for us.
    return false;
  }
}

async function openGroup(
  parents: readonly GroupParent[],
  limits: Pick<ResolvedLimits, GroupLimit>,
): Promise<ControlGroup> {
  const name = newOwnedName("group");
  const groups = parents.map((parent) => ({ ...parent, directory: join(parent.directory, name) }));
  const remove = async (): Promise<void> => {
    for (const { directory } of groups) await removeGroup(directory);
  };
  try {
    for (const group of groups) {
      mkdirSync(group.directory);
      for (const limit of group.limits) setLimit(group, limit, limits[limit]);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    processFiles: groups.map(({ directory }) => join(directory, "cgroup.procs")),
    wasOutOfMemory: async () => (await Promise.all(groups.map(countKills))).some((kills) => kills > 0),
    [Symbol.asyncDispose]: remove,
  };
}

/** Without a limit on swap, memory beyond the limit would go there; where there is no swap there is no such file. */
function setLimit(group: GroupParent, limit: GroupLimit, value: number): void {
  const set = (file: string, content: number | string): void =>
    writeFileSync(join(group.directory, file), String(content));
  const setIfPresent = (file: string, content: number): void => {
    if (existsSync(join(group.directory, file))) set(file, content);
  };
  const bytes = value * 1024 ** 2;
  const quota = Math.round(value * CPU_PERIOD_US);
  if (limit === "pids") return set("pids.max", value);
  if (group.version === 2) {
    if (limit === "cpus") return set("cpu.max", `${quota} ${CPU_PERIOD_US}`);
    set("memory.max", bytes);
    return setIfPresent("memory.swap.max", 0);
  }
  if (limit === "cpus") {
    set("cpu.cfs_period_us", CPU_PERIOD_US);
    return set("cpu.cfs_quota_us", quota);
  }
  set("memory.limit_in_bytes", bytes);
  setIfPresent("memory.memsw.limit_in_bytes", bytes);
}

const CPU_PERIOD_US = 100_000;

async function countKills(group: GroupParent): Promise<number> {
  if (!group.limits.includes("memoryMb")) return 0;
  const file = group.version === 2 ? "memory.events" : "memory.oom_control";
  const text = await readFile(join(group.directory, file), "utf8").catch(() => "");
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}

const REMOVAL_PAUSE_MS = 5;
const REMOVAL_ATTEMPTS = 400;

/** Processes that have ended count a moment longer. What cannot be removed then is removed by the next engine's start. */
async function removeGroup(directory: string): Promise<void> {
  for (let attempt = 0; attempt < REMOVAL_ATTEMPTS; attempt += 1) {
    try {
      await rmdir(directory);
      return;
    } catch (error) {
      if (isErrno(error, "ENOENT")) return;
      if (!isErrno(error, "EBUSY")) throw error;
      await delay(REMOVAL_PAUSE_MS);
    }
  }
}

/** Removes groups that engines which are gone have left, and kills what is in them. */
export async function removeOrphanGroups(
  directories: readonly string[],
  isOrphan: (name: string) => boolean,
): Promise<void> {
  for (const parent of directories) {
    const names = await readdir(parent).catch(() => []);
    for (const name of names.filter(isOrphan)) await killAndRemove(join(parent, name));
  }
}

async function killAndRemove(directory: string): Promise<void> {
  const members = await readFile(join(directory, "cgroup.procs"), "utf8").catch(() => "");
  for (const pid of members.split("\n").filter(Boolean)) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It went by itself.
    }
  }
  await removeGroup(directory);
}
