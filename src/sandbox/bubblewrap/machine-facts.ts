import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

import { bubblewrapMessages } from "../../errors/messages/bubblewrap.ts";
import { seccompProgram } from "../seccomp/seccomp-program.ts";
import { findControlGroups, type ControlGroups } from "./control-group.ts";
import { findHostPrograms, type HostPrograms } from "./host-programs.ts";
import { readSystemView, type SystemPart } from "./system-view.ts";

/** What is on this machine, as far as a sandbox needs it. */
export interface MachineFacts {
  readonly programs: HostPrograms;
  readonly version: string;
  /** The program that system calls are judged by. */
  readonly filter: Buffer;
  /** Absent where this process can make none. */
  readonly groups?: ControlGroups;
  readonly system: readonly SystemPart[];
  readonly shell: string;
}

/** Why there can be no sandbox. */
export interface Obstacle {
  readonly reason: string;
  readonly remedy: string;
}

const NEEDED_OPTIONS = [
  "--args",
  "--cap-drop",
  "--clearenv",
  "--disable-userns",
  "--json-status-fd",
  "--perms",
  "--ro-bind-data",
  "--seccomp",
  "--size",
];

/** Finds out what is there; nothing is tried yet but control groups. */
export async function readMachineFacts(): Promise<MachineFacts | Obstacle> {
  if (process.platform !== "linux") {
    return { reason: bubblewrapMessages.notLinux(process.platform), remedy: bubblewrapMessages.notLinuxRemedy };
  }
  const filter = seccompProgram(process.arch);
  if (filter === undefined) {
    return { reason: bubblewrapMessages.noFilter(process.arch), remedy: bubblewrapMessages.noFilterRemedy };
  }
  const found = findHostPrograms();
  if ("missing" in found) {
    const reason = bubblewrapMessages.programsMissing(found.missing);
    return { reason, remedy: bubblewrapMessages.programsMissingRemedy };
  }
  const { programs } = found;
  const [version, help] = await Promise.all([ask(programs.bwrap, "--version"), ask(programs.bwrap, "--help")]);
  const unknown = NEEDED_OPTIONS.filter((option) => !help.includes(`${option} `));
  if (unknown.length > 0) {
    return { reason: bubblewrapMessages.tooOld(version, unknown), remedy: bubblewrapMessages.tooOldRemedy };
  }
  const [groups, system] = await Promise.all([findControlGroups(), readSystemView()]);
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  return { programs, version, filter, system, shell, ...(groups === undefined ? {} : { groups }) };
}

async function ask(program: string, option: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, [option], { env: {} });
  return (stdout + stderr).trim();
}
