import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/*
 * Where this process may make control groups. There are two kinds of tree: in version 2 all controllers share one, and a
 * group gives to its children only what its `cgroup.subtree_control` names; in version 1 each controller has a tree of its
 * own. Both may be mounted at once; a controller is in one of them.
 */

/** What control groups can limit, by the name of the controller. */
export const CONTROLLER_OF = { memoryMb: "memory", pids: "pids", cpus: "cpu" } as const;

/** A limit that a control group can hold. */
export type GroupLimit = keyof typeof CONTROLLER_OF;

/** A directory in which a group may be made, and what the group can then limit. */
export interface GroupParent {
  readonly version: 1 | 2;
  readonly directory: string;
  readonly limits: readonly GroupLimit[];
}

const LIMITS: readonly GroupLimit[] = ["memoryMb", "pids", "cpus"];

/**
 * The directories that groups of this process could be made in, the best first; each entry of the list is one way that
 * has to be tried as a whole.
 */
export async function listGroupParents(processDirectory = "/proc/self"): Promise<readonly (readonly GroupParent[])[]> {
  const read = async (name: string): Promise<readonly string[]> => {
    const text = await readFile(join(processDirectory, name), "utf8").catch(() => "");
    return text.split("\n").filter(Boolean);
  };
  const groups = (await read("cgroup")).map(parseGroup);
  const mounts = (await read("mountinfo")).map(parseMount);
  const unified = await listUnified(groups, mounts);
  const separate = listSeparate(groups, mounts);
  return [...unified, ...(separate.length === 0 ? [] : [separate])];
}

interface Membership {
  readonly controllers: readonly string[];
  readonly path: string;
}

interface GroupMount {
  readonly type: string;
  readonly root: string;
  readonly directory: string;
  readonly options: readonly string[];
}

/** A line such as `4:memory:/path`; version 2 names no controllers. */
function parseGroup(line: string): Membership {
  const [, controllers = "", ...path] = line.split(":");
  return { controllers: controllers.split(",").filter(Boolean), path: path.join(":") };
}

function parseMount(line: string): GroupMount {
  const [before = "", after = ""] = line.split(" - ");
  const [, , , root = "", directory = ""] = before.split(" ");
  const [type = "", , options = ""] = after.split(" ");
  return { type, root, directory, options: options.split(",") };
}

/** The group of this process and those above it: only one that passes its controllers on can have a child with limits. */
async function listUnified(
  groups: readonly Membership[],
  mounts: readonly GroupMount[],
): Promise<readonly (readonly GroupParent[])[]> {
  const own = groups.find(({ controllers }) => controllers.length === 0);
  const mount = mounts.find(({ type }) => type === "cgroup2");
  if (own === undefined || mount === undefined) return [];
  const parents: GroupParent[] = [];
  const start = directoryOf(own, mount);
  for (let directory = start; directory.startsWith(mount.directory); directory = dirname(directory)) {
    const passedOn = await readFile(join(directory, "cgroup.subtree_control"), "utf8").catch(() => "");
    const controllers = passedOn.trim().split(" ");
    const limits = LIMITS.filter((limit) => controllers.includes(CONTROLLER_OF[limit]));
    if (limits.length > 0) parents.push({ version: 2, directory, limits });
  }
  return parents.toSorted((left, right) => right.limits.length - left.limits.length).map((parent) => [parent]);
}

function listSeparate(groups: readonly Membership[], mounts: readonly GroupMount[]): readonly GroupParent[] {
  const parents = new Map<string, GroupParent>();
  for (const limit of LIMITS) {
    const controller = CONTROLLER_OF[limit];
    const own = groups.find(({ controllers }) => controllers.includes(controller));
    const mount = mounts.find(({ type, options }) => type === "cgroup" && options.includes(controller));
    if (own === undefined || mount === undefined) continue;
    const directory = directoryOf(own, mount);
    const limits = [...(parents.get(directory)?.limits ?? []), limit];
    parents.set(directory, { version: 1, directory, limits });
  }
  return [...parents.values()];
}

/** In a container the mount shows the tree from the container's own group on. */
function directoryOf({ path }: Membership, mount: GroupMount): string {
  const isBelow = mount.root !== "/" && (path === mount.root || path.startsWith(`${mount.root}/`));
  return join(mount.directory, isBelow ? path.slice(mount.root.length) : path).replace(/\/$/, "");
}
