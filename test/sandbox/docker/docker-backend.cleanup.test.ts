import type { ChildProcess } from "node:child_process";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, rm, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, expect, it } from "vitest";

import { connectDocker } from "../../../src/sandbox/docker/connect-docker.ts";
import { HOST_LABEL, LINKS_LABEL, OWNER_LABEL, ownershipLabels } from "../../../src/sandbox/docker/labels.ts";
import { removeOrphans } from "../../../src/sandbox/docker/remove-orphans.ts";
import type { Owner } from "../../../src/state/owner.ts";
import { formatOwner, parseOwner } from "../../../src/state/owner.ts";
import { describeWithEngine } from "./engine-available.ts";
import { createMount } from "../test-mount.ts";
import { assertNothingLeft, leftovers, owner, testBackend } from "./fixture.ts";
import { TEST_IMAGE } from "./test-image.ts";

/** No process has this number: it is above what Linux gives out. */
const GONE: Owner = { ...owner, pid: 2 ** 22 + 1 };

describeWithEngine("docker backend: what is left behind", () => {
  afterAll(async () => {
    await assertNothingLeft(owner, GONE);
  });

  it("dispose() ends a running command and removes container, volume and links", async () => {
    await using mount = await createMount();
    const session = await testBackend().open({ mount });
    const { promise: started, resolve } = Promise.withResolvers<void>();
    const running = session.run(
      { kind: "shell", script: "trap '' TERM; echo; sleep 300" },
      { timeoutMs: 300_000, onOutput: () => resolve() },
    );
    await started;
    expect(await leftovers()).toHaveLength(2);
    const links = await linksOf(owner);
    expect(await readdir(links)).toStrictEqual(["0", "upper", "work"]);
    await session[Symbol.asyncDispose]();
    await session[Symbol.asyncDispose]();
    expect((await running).termination).toBe("cancelled");
    expect(await leftovers()).toStrictEqual([]);
    await expect(readdir(links)).rejects.toThrow("ENOENT");
  });

  it("dispose() leaves an ordinary user nothing that only root could remove", async () => {
    const file = fileURLToPath(new URL("./ordinary-user-program.ts", import.meta.url));
    const { gid } = await stat("/var/run/docker.sock");
    const identity = ["--reuid=1000", "--regid=1000", `--groups=${gid}`];
    const { stdout } = await promisify(execFile)("setpriv", [...identity, process.execPath, file], {
      env: { PATH: process.env["PATH"], HOME: "/tmp" },
    });
    expect(JSON.parse(stdout)).toStrictEqual({ uid: 1000, stdout: "1000\n", upper: ["kept", "theirs"], work: [] });
  });

  it("open() leaves nothing behind when it fails half way", async () => {
    await using mount = await createMount();
    const lowers = [{ id: 1, upper: `${mount.directory}/missing`, entries: [] }];
    await using session = await testBackend().open({ mount: { ...mount, lowers } });
    await expect(session.run({ kind: "shell", script: "true" }, { timeoutMs: 1000 })).rejects.toThrow(
      /^Cannot start the sandbox: the Docker Engine says ".*no such file or directory"$/s,
    );
  });

  it("a killed engine's container dies soon, although nothing of ours starts again", async () => {
    await using killed = await startOwner("watched");
    expect(await leftovers(killed.owner)).toHaveLength(2);
    killed.program.kill("SIGKILL");
    await once(killed.program, "exit");
    await eventually(async () => expect(await leftovers(killed.owner)).toStrictEqual([]));
  });

  it("open() removes what a killed engine left, once", async () => {
    await using killed = await startOwner("unwatched");
    killed.program.kill("SIGKILL");
    await once(killed.program, "exit");
    expect(await leftovers(killed.owner)).toHaveLength(2);
    const links = await linksOf(killed.owner);
    await using _session = await testBackend().open({});
    expect(await leftovers(killed.owner)).toStrictEqual([]);
    await expect(readdir(links)).rejects.toThrow("ENOENT");
  });

  it("removeOrphans() leaves alone what a living process, another place, or nobody known owns", async () => {
    const docker = await connectDocker();
    const make = async (labels: Record<string, string>): Promise<string> => {
      const container = await docker.createContainer({ Image: TEST_IMAGE, Cmd: ["true"], Labels: labels });
      return container.id;
    };
    const living = ownershipLabels(owner, "run");
    const kept = [
      await make(living),
      await make({ ...ownershipLabels(GONE, "run"), [HOST_LABEL]: "another" }),
      await make({ ...living, "cofferdam.owner": "nobody" }),
    ];
    const orphan = await make(ownershipLabels(GONE, "run"));
    await docker.createVolume({ Name: "cofferdam-test-orphan", Labels: ownershipLabels(GONE, "workspace") });
    try {
      expect(await removeOrphans()).toStrictEqual({ containers: 1, volumes: 1 });
      const left = (await docker.listContainers({ all: true })).map(({ Id }) => Id);
      expect(kept.every((id) => left.includes(id))).toBe(true);
      expect(left).not.toContain(orphan);
    } finally {
      for (const id of kept) await docker.getContainer(id).remove({ force: true });
    }
  });
});

interface RunningOwner extends AsyncDisposable {
  readonly program: ChildProcess;
  readonly owner: Owner;
}

async function startOwner(kind: "watched" | "unwatched"): Promise<RunningOwner> {
  const file = fileURLToPath(new URL("./owner-program.ts", import.meta.url));
  const program = spawn(process.execPath, [file, kind], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, VITEST: undefined },
  });
  const [line = ""] = (await once(createInterface({ input: program.stdout }), "line")) as string[];
  const told = JSON.parse(line) as { readonly owner: string; readonly directory: string };
  const parsed = parseOwner(told.owner);
  if (parsed === undefined) throw new Error(`no owner in ${line}`);
  return {
    program,
    owner: parsed,
    async [Symbol.asyncDispose]() {
      program.kill("SIGKILL");
      await rm(told.directory, { recursive: true, force: true });
    },
  };
}

/** The directory of symlinks that an owner's one workspace volume is mounted through. */
async function linksOf(of: Owner): Promise<string> {
  const docker = await connectDocker();
  const { Volumes } = await docker.listVolumes({ filters: { label: [`${OWNER_LABEL}=${formatOwner(of)}`] } });
  const labels: Readonly<Record<string, string>> = Volumes[0]?.Labels ?? {};
  return labels[LINKS_LABEL] ?? "";
}

/** Looks again until it holds; the last failure is the test's. */
async function eventually(check: () => Promise<void>): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
    }
  }
}
