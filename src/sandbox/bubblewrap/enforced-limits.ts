import { release } from "node:os";

import type { SandboxLimits } from "../../contract/sandbox.ts";
import type { GroupLimit } from "./control-group-tree.ts";
import type { MachineFacts } from "./machine-facts.ts";
import type { SandboxIdentity } from "./sandbox-identity.ts";

/*
 * Which limits hold on this machine, and by what. A control group holds them for all processes together. Without one the
 * number of processes is limited by the kernel's count for the sandbox's user namespace, which exists since Linux 5.14 and
 * does not bind root's number; memory is then limited for each process by itself only, which is not the limit that is
 * asked for, so asking is refused.
 */

/** What holds a limit. */
export type LimitHolder = "control group" | "process limit" | "nothing";

/** What holds each limit of a sandbox. */
export function limitHolders(
  { groups }: Pick<MachineFacts, "groups">,
  identity: Pick<SandboxIdentity, "hostUid">,
  kernelRelease = release(),
): Readonly<Record<GroupLimit, LimitHolder>> {
  const byGroup = (limit: GroupLimit): LimitHolder =>
    groups?.limits.includes(limit) === true ? "control group" : "nothing";
  const canCount = identity.hostUid !== 0 && isAtLeast(kernelRelease, COUNTING_SINCE);
  const pids = byGroup("pids");
  return {
    memoryMb: byGroup("memoryMb"),
    pids: pids === "nothing" && canCount ? "process limit" : pids,
    cpus: byGroup("cpus"),
  };
}

/** The names of all limits that hold. */
export function enforcedLimits(holders: ReturnType<typeof limitHolders>): readonly (keyof SandboxLimits)[] {
  const names = ["memoryMb", "pids", "cpus"] as const;
  return [...names.filter((name) => holders[name] !== "nothing"), "retainedOutputBytes", "floodBytes", "graceMs"];
}

const COUNTING_SINCE = [5, 14] as const;

function isAtLeast(kernelRelease: string, [major, minor]: readonly [number, number]): boolean {
  const [, ownMajor, ownMinor] = /^(\d+)\.(\d+)/.exec(kernelRelease)?.map(Number) ?? [];
  if (ownMajor === undefined || ownMinor === undefined) return false;
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
