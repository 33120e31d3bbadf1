import { WORKSPACE_MOUNT } from "../../union/normalize-path.ts";
import { pathToBytes } from "../../union/path-bytes.ts";
import { commandEnvironment, HOME_DIRECTORY } from "../command-environment.ts";
import type { SandboxIdentity } from "./sandbox-identity.ts";
import { DESCRIPTOR } from "./stream-descriptors.ts";
import type { SystemPart } from "./system-view.ts";

/*
 * What a command's sandbox consists of, in one place: new namespaces of every kind, no capability, the host's programs
 * read-only, and four directories to write to: the workspace, and three that vanish with the sandbox.
 *
 * - `--new-session`: no terminal that could be typed into.
 * - `--die-with-parent`: with bubblewrap's own process dies process 1 of the sandbox, and with that one every process in it.
 * - `--disable-userns`: no further user namespaces, in which a process would have capabilities over much of the kernel.
 * - `/proc` and `/dev` are read-only mounts. Devices, and the command's own streams in `/proc/self/fd`, can be written to
 *   all the same; `/proc/sys` cannot, whoever the host takes the command for.
 * - The arguments go through a descriptor, because whoever lists processes sees a command line, and the environment may hold
 *   secrets. bubblewrap itself is started with an empty one, which process 1 of the sandbox keeps.
 */

/** What a sandbox is made from. */
export interface BubblewrapPlan {
  readonly identity: SandboxIdentity;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly system: readonly SystemPart[];
  /** Directories of the host that must not be seen, should they lie below a part of the system. */
  readonly hidden: readonly string[];
  /** Where the workspace is mounted outside; without one `/workspace` is an empty directory in memory. */
  readonly workspace?: {
    readonly source: string;
    /** Other file systems below the root: what is shown, read-only, at a path of the workspace. */
    readonly nested: readonly { readonly source: string; readonly path: string }[];
  };
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The arguments that bubblewrap reads from its descriptor: each ends in NUL. */
export function bubblewrapArguments(plan: BubblewrapPlan): Buffer {
  const words = [
    NAMESPACES,
    ["--uid", String(plan.identity.uid), "--gid", String(plan.identity.gid)],
    plan.system.flatMap(systemArguments),
    coverArguments(plan),
    ACCOUNTS,
    ["--dev", "/dev", ...memoryDirectory("/dev/shm", 0o1777, share(plan, 0.25)), "--remount-ro", "/dev"],
    ["--proc", "/proc", "--remount-ro", "/proc"],
    memoryDirectory("/tmp", 0o1777, share(plan, 0.5)),
    memoryDirectory("/run", 0o1777, Math.min(16, share(plan, 0.25))),
    memoryDirectory(HOME_DIRECTORY, 0o700, share(plan, 0.25)),
    ["--symlink", "../tmp", "/var/tmp"],
    workspaceArguments(plan),
    ["--remount-ro", "/", "--chdir", WORKSPACE_MOUNT],
    environmentArguments(plan.environment),
  ].flat();
  return Buffer.concat(words.flatMap((word) => [pathToBytes(word), Buffer.of(0)]));
}

const NAMESPACES: readonly string[] = [
  ["--unshare-user", "--disable-userns"],
  ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"],
  ["--hostname", "sandbox", "--new-session", "--die-with-parent"],
  ["--cap-drop", "ALL", "--seccomp", String(DESCRIPTOR.filter)],
  ["--json-status-fd", String(DESCRIPTOR.status)],
].flat();

/** Without them a program finds neither its own name nor `localhost`. */
const ACCOUNTS: readonly string[] = [
  ["--ro-bind-data", String(DESCRIPTOR.passwd), "/etc/passwd"],
  ["--ro-bind-data", String(DESCRIPTOR.group), "/etc/group"],
  ["--ro-bind-data", String(DESCRIPTOR.hosts), "/etc/hosts"],
].flat();

function systemArguments(part: SystemPart): readonly string[] {
  return part.kind === "bind" ? ["--ro-bind", part.path, part.path] : ["--symlink", part.target, part.path];
}

/** An empty read-only directory in place of what must not be seen. */
function coverArguments({ system, hidden }: BubblewrapPlan): readonly string[] {
  const shown = system.filter(({ kind }) => kind === "bind");
  const covered = hidden.filter((path) => shown.some((part) => path.startsWith(`${part.path}/`)));
  return covered.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]);
}

function workspaceArguments(plan: BubblewrapPlan): readonly string[] {
  if (plan.workspace === undefined) return memoryDirectory(WORKSPACE_MOUNT, 0o700, share(plan, 0.25));
  const { source, nested } = plan.workspace;
  return [
    "--bind",
    source,
    WORKSPACE_MOUNT,
    ...nested.flatMap((each) => ["--ro-bind", each.source, `${WORKSPACE_MOUNT}/${each.path}`]),
  ];
}

/** Its size makes a full one an error; its pages count as memory of the sandbox where memory is limited. */
function memoryDirectory(path: string, mode: number, megabytes: number): readonly string[] {
  return ["--perms", `0${mode.toString(8)}`, "--size", String(megabytes * 1024 ** 2), "--tmpfs", path];
}

function share({ memoryMb }: BubblewrapPlan, part: number): number {
  return Math.max(1, Math.floor(memoryMb * part));
}

function environmentArguments(environment: Readonly<Record<string, string>>): readonly string[] {
  const complete = commandEnvironment({ PATH, ...environment });
  return ["--clearenv", ...Object.entries(complete).flatMap(([name, value]) => ["--setenv", name, value])];
}
