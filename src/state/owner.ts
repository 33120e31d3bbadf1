import { readFileSync } from "node:fs";

/**
 * The identity of a process that outlives the reuse of its number: two processes with one pid differ in their start
 * time, and two machines' or boots' processes in the boot id. Whatever a process leaves behind is marked with it, and
 * is taken away only when that very process is gone, never because it looks old.
 */
export interface Owner {
  readonly pid: number;
  /** Clock ticks between boot and the start of the process; empty where the system does not tell. */
  readonly startTime: string;
  /** Changes with every boot; empty where the system does not tell. */
  readonly bootId: string;
}

/** This process. */
export function currentOwner(): Owner {
  return ownerOf(process.pid);
}

/** The process that has this number now. */
export function ownerOf(pid: number): Owner {
  return { pid, startTime: readStat(pid)?.startTime ?? "", bootId: readBootId() };
}

/** Whether the very process that `owner` names still runs; a zombie does not. In doubt, yes. */
export function isOwnerAlive(owner: Owner): boolean {
  if (owner.bootId !== readBootId()) return false;
  if (!processExists(owner.pid)) return false;
  const stat = readStat(owner.pid);
  if (stat === undefined) return true;
  return stat.state !== "Z" && stat.state !== "X" && (owner.startTime === "" || stat.startTime === owner.startTime);
}

/** One word that names the owner, for labels and file names. */
export function formatOwner(owner: Owner): string {
  return `${owner.pid}:${owner.startTime}:${owner.bootId}`;
}

/** Reads what `formatOwner` wrote; `undefined` for anything else. */
export function parseOwner(text: string): Owner | undefined {
  const match = /^(?<pid>[1-9]\d*):(?<startTime>\d*):(?<bootId>[0-9a-f-]*)$/.exec(text);
  if (match?.groups === undefined) return undefined;
  const { pid = "", startTime = "", bootId = "" } = match.groups;
  return { pid: Number(pid), startTime, bootId };
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Fields 3 and 22 of proc(5) `stat`; the second field, the program's name, may hold spaces and parentheses. */
function readStat(pid: number): { readonly state: string; readonly startTime: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, startTime: rest[18] ?? "" };
  } catch {
    return undefined;
  }
}

function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "";
  }
}
