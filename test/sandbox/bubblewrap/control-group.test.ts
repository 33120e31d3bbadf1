import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { controlGroupsIn } from "../../../src/sandbox/bubblewrap/control-group.ts";
import { listGroupParents } from "../../../src/sandbox/bubblewrap/control-group-tree.ts";
import { isOwnedName } from "../../../src/sandbox/owned-directories.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "cofferdam-test-"));
});
afterEach(async () => await rm(directory, { recursive: true }));

async function describeProcess(cgroup: readonly string[], mounts: readonly string[]): Promise<void> {
  await writeFile(join(directory, "cgroup"), `${cgroup.join("\n")}\n`);
  await writeFile(join(directory, "mountinfo"), `${mounts.join("\n")}\n`);
}

describe("listGroupParents()", () => {
  it("listGroupParents() gives in version 2 the groups that pass controllers on, the best first", async () => {
    const tree = join(directory, "tree");
    const own = join(tree, "user.slice/app.slice/session.scope");
    await mkdir(own, { recursive: true });
    await writeFile(join(own, "cgroup.subtree_control"), "\n");
    await writeFile(join(dirname(own), "cgroup.subtree_control"), "memory pids\n");
    await writeFile(join(tree, "user.slice/cgroup.subtree_control"), "cpu memory pids\n");
    await describeProcess(
      ["0::/user.slice/app.slice/session.scope"],
      [`30 1 0:26 / ${tree} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate`],
    );
    expect(await listGroupParents(directory)).toStrictEqual([
      [{ version: 2, directory: join(tree, "user.slice"), limits: ["memoryMb", "pids", "cpus"] }],
      [{ version: 2, directory: join(tree, "user.slice/app.slice"), limits: ["memoryMb", "pids"] }],
    ]);
  });

  it("listGroupParents() gives in version 1 the group of each controller, seen from where it is mounted", async () => {
    await describeProcess(
      ["9:name=systemd:/", "8:pids:/docker/abc", "4:memory:/docker/abc/inner", "1:cpu,cpuacct:/", "0::/"],
      [
        "31 1 0:1 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
        "32 1 0:2 /docker/abc /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids",
        "33 1 0:3 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
      ],
    );
    expect(await listGroupParents(directory)).toStrictEqual([
      [
        { version: 1, directory: "/sys/fs/cgroup/memory/inner", limits: ["memoryMb"] },
        { version: 1, directory: "/sys/fs/cgroup/pids", limits: ["pids"] },
        { version: 1, directory: "/sys/fs/cgroup/cpu,cpuacct", limits: ["cpus"] },
      ],
    ]);
  });

  it("listGroupParents() gives nothing where there are no control groups", async () => {
    expect(await listGroupParents(join(directory, "missing"))).toStrictEqual([]);
  });
});

describe("open()", () => {
  it("open() sets the limits of version 2 before anything joins, and reads what was killed", async () => {
    const groups = controlGroupsIn([{ version: 2, directory, limits: ["memoryMb", "pids", "cpus"] }]);
    const group = await groups.open({ memoryMb: 64, pids: 7, cpus: 0.5 });
    const [processFile = ""] = group.processFiles;
    const own = dirname(processFile);
    expect([isOwnedName(basename(own)), basename(processFile)]).toStrictEqual([true, "cgroup.procs"]);
    const read = async (file: string): Promise<string> => await readFile(join(own, file), "utf8");
    expect(await Promise.all(["memory.max", "pids.max", "cpu.max"].map(read))).toStrictEqual([
      "67108864",
      "7",
      "50000 100000",
    ]);
    expect(await group.wasOutOfMemory()).toBe(false);
    await writeFile(join(own, "memory.events"), "low 0\nmax 3\noom 1\noom_kill 2\n");
    expect(await group.wasOutOfMemory()).toBe(true);
  });
});
