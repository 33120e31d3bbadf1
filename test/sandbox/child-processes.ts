import { deepStrictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

/** The living children of a process, found in `/proc`. Zombies count as living: they have not been reaped. */
export function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);
}

/** Fails when this process has a child left. */
export function assertNoChildren(): void {
  deepStrictEqual(childrenOf(process.pid), []);
}

/** Whether a process is there, dead or alive. */
export function isThere(pid: number): boolean {
  return parentOf(String(pid)) !== undefined;
}

function parentOf(pid: string): number | undefined {
  try {
    const match = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return match === null ? undefined : Number(match[1]);
  } catch {
    // It ended between listing and looking.
    return undefined;
  }
}
