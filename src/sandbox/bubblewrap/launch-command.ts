import { lstatSync } from "node:fs";

import type { HostPrograms } from "./host-programs.ts";
import type { SandboxIdentity } from "./sandbox-identity.ts";
import { DESCRIPTOR, LAST_DESCRIPTOR } from "./stream-descriptors.ts";

/*
 * The way from the engine to bubblewrap: one process, which becomes one program after the other.
 *
 * 1. `unshare` gives it a mount namespace of its own, and an ordinary user a user namespace in which mounting is allowed.
 *    With the last process in it the mount is gone, without anybody having to unmount.
 * 2. A shell closes what was inherited, joins the control groups, sets the limits that are left, and mounts the overlay over an empty directory that
 *    every system has; the names in the mount options are relative to its working directory.
 * 3. `setpriv` gives root up where the command is to run as somebody else. The overlay was mounted before, so that what it
 *    copies up keeps whichever owner it has.
 * 4. bubblewrap, with an empty environment.
 *
 * In the sandbox a shell tells the engine that all is made, and runs the command when the engine says so. An engine that is
 * gone by then never says so, and the shell ends: there is no moment at which a command could outlive its engine.
 */

/** What a sandbox is launched from. */
export interface LaunchPlan {
  readonly programs: HostPrograms;
  readonly identity: SandboxIdentity;
  /** The overlay to mount, with names relative to the working directory, and where. */
  readonly overlay?: { readonly options: string; readonly mountPoint: string };
  /** Files of control groups that take the number of a process. */
  readonly processFiles: readonly string[];
  /** Limits that hold for each process by itself. */
  readonly processLimits: { readonly memoryMb?: number; readonly pids?: number };
  readonly shell: string;
  readonly script: string;
}

/** A program with its arguments. */
export interface LaunchCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/** The longest argument that Linux passes on, less the NUL at its end. */
export const LONGEST_SCRIPT_BYTES = 131_071;

/** The environment of the programs on the way; what they leave of it, the second shell takes away. */
export const LAUNCH_ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  // The newer way of mounting takes no more than 256 bytes for all lower directories.
  LIBMOUNT_FORCE_MOUNT2: "always",
};

/** Says how to start a sandbox. */
export function launchCommand(plan: LaunchPlan): LaunchCommand {
  const { programs, overlay, processFiles, processLimits } = plan;
  const memory = processLimits.memoryMb === undefined ? "" : String(processLimits.memoryMb * 1024);
  const words = [
    overlay === undefined ? [] : namespace(programs),
    ["/bin/sh", "-c", LAUNCH_SCRIPT, LAUNCH_SCRIPT],
    [programs.bash],
    [programs.mount, overlay?.options ?? "", overlay?.mountPoint ?? "", memory],
    [String(processFiles.length), ...processFiles],
    givingUpRoot(plan),
    [programs.bwrap, "--args", String(DESCRIPTOR.arguments), "--"],
    ["/bin/sh", "-c", BEGIN_SCRIPT, "sh", String(processLimits.pids ?? "")],
    [plan.shell, "-c", "--", plan.script],
  ];
  const [file = programs.unshare, ...args] = words.flat();
  return { file, args };
}

/** A directory to mount over: one that every system has, and that neither the root nor anything to be shown lies in. */
export function chooseMountPoint(root: string): string | undefined {
  return MOUNT_POINTS.find((path) => {
    const isDirectory = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    return isDirectory && root !== path && !root.startsWith(`${path}/`);
  });
}

const MOUNT_POINTS = ["/mnt", "/media", "/srv", "/opt", "/home", "/tmp"];

function namespace({ unshare }: HostPrograms): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [unshare, ...(isRoot ? [] : ["--user", "--map-root-user"]), "--mount", "--propagation", "private", "--"];
}

function givingUpRoot({ programs, identity }: LaunchPlan): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const { hostUid, hostGid } = identity;
  // Root's own groups give rights as well.
  const isBareRoot = hostUid === 0 && process.getgid?.() === hostGid && hasNoOtherGroup(hostGid);
  if (isBareRoot) return [];
  return [programs.setpriv, "--reuid", String(hostUid), "--regid", String(hostGid), "--clear-groups", "--"];
}

function hasNoOtherGroup(gid: number): boolean {
  return process.getgroups?.().every((group) => group === gid) === true;
}

/**
 * Descriptors that the engine was started with would get all the way into the sandbox. Where there are any, bash takes over
 * with the same script to close them, since sh need not know descriptors above 9.
 * 8 GiB is the largest file that a layer keeps; `ulimit -f` counts blocks of 512 bytes. Open files as in a container. When
 * the machine itself runs out of memory, the sandbox goes first.
 */
const LAUNCH_SCRIPT = `set -e
for path in /proc/$$/fd/*; do
  fd=\${path##*/}
  [ "$fd" -gt ${LAST_DESCRIPTOR} ] || continue
  [ -n "\${BASH_VERSION-}" ] || exec "$1" --posix -c "$0" "$0" "$@"
  eval "exec $fd>&-"
done
mount=$2 options=$3 point=$4 memory=$5 groups=$6
shift 6
while [ "$groups" -gt 0 ]; do echo 0 >"$1"; shift; groups=$((groups - 1)); done
umask 022
ulimit -c 0
ulimit -f 16777216
ulimit -n 4096 2>/dev/null || :
[ -z "$memory" ] || ulimit -d "$memory"
echo 500 2>/dev/null >/proc/self/oom_score_adj || :
[ -z "$options" ] || "$mount" -n -t overlay -o "$options" overlay "$point"
unset LC_ALL LIBMOUNT_FORCE_MOUNT2 PWD OLDPWD SHLVL
exec "$@"`;

/** The number of processes counts from here, where the user namespace is the sandbox's own. */
const BEGIN_SCRIPT = `pids=$1
shift
[ -z "$pids" ] || ulimit -u "$pids" 2>/dev/null || ulimit -p "$pids"
echo >&${DESCRIPTOR.control}
read -r word <&${DESCRIPTOR.control} || exit
exec "$@" 2>&${DESCRIPTOR.commandStderr} ${DESCRIPTOR.control}>&- ${DESCRIPTOR.commandStderr}>&-`;
