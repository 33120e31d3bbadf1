import { execFile } from "node:child_process";
import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import type { Layer } from "../../../src/contract/layer.ts";
import { SandboxUnavailableError } from "../../../src/errors/sandbox-unavailable-error.ts";
import { createBubblewrapBackend } from "../../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { scanUpper } from "../../../src/union/scan-upper.ts";
import { openUnionView } from "../../../src/union/union-view.ts";
import { changeEverything, EXPECTED_ENTRIES, fill, keepLayer, runOnLayer } from "../layer-scenario.ts";
import { createMount } from "../test-mount.ts";
import { describeWithBubblewrap } from "./fixture.ts";

const backend = createBubblewrapBackend();
const isRoot = process.getuid?.() === 0;

describeWithBubblewrap("bubblewrap backend: the workspace", () => {
  it("open() gives the layer that every backend gives", async () => {
    expect((await changeEverything(backend)).layer.entries).toStrictEqual(EXPECTED_ENTRIES);
  });

  it("open() shows the kept layers over the root", async () => {
    await using mount = await createMount();
    await fill(mount.root, "echo root >a; echo root >b; mkdir d; echo root >d/x; echo root >d/y");
    const first = await keepLayer(backend, mount, { id: 1, script: "echo one >a; rm -r d; mkdir d; echo one >d/z" });
    const second = await keepLayer(backend, mount, { id: 2, lowers: [first], script: "rm b; echo two >d/z" });
    const { layer, stdout } = await runOnLayer(backend, mount, {
      id: 3,
      lowers: [first, second],
      script: "head -v -n 1 $(find . -type f | sort); rm a",
    });
    expect(stdout).toBe("==> ./a <==\none\n\n==> ./d/z <==\ntwo\n");
    expect(layer.entries).toStrictEqual([{ op: "delete", path: "a" }]);
  });

  it("open() mounts 120 kept layers, and says how many are too many", async () => {
    await using mount = await createMount();
    const lowers: Layer[] = [];
    for (let id = 0; id < 120; id += 1) {
      const upper = join(mount.directory, `kept-layer-with-a-name-that-takes-room-in-mount-options-${id}`);
      await mkdir(upper);
      await writeFile(join(upper, "newest"), String(id));
      lowers.push({ id, upper, entries: [{ op: "put", path: "newest", type: "file" }] });
    }
    expect((await runOnLayer(backend, mount, { id: 120, lowers, script: "cat newest" })).stdout).toBe("119");
    const tooMany = Array.from({ length: 501 }, () => lowers[0]).filter((layer) => layer !== undefined);
    await expect(runOnLayer(backend, mount, { id: 120, lowers: tooMany, script: "true" })).rejects.toThrow(
      new SandboxUnavailableError(
        'Cannot open the "bubblewrap" sandbox: the workspace has 502 layers, more than the kernel mounts; land or discard some',
      ),
    );
  });

  it("run() keeps the workspace from one command of a session to the next, and nothing else", async () => {
    await using mount = await createMount();
    await using session = await backend.open({ mount });
    const run = async (script: string): Promise<string> =>
      (await session.run({ kind: "shell", script }, { timeoutMs: 30_000 })).stdout;
    await run("echo 1 >count; echo forgotten | tee /tmp/elsewhere /home/agent/elsewhere");
    await run("echo 2 >>count; mkdir made");
    expect(await run("cat count; ls -A /tmp /home/agent; rmdir made")).toBe("1\n2\n/home/agent:\n\n/tmp:\n");
    const below = openUnionView({ root: mount.root, layers: [] });
    const { entries } = await scanUpper({ below, upper: mount.upper, reported: session.reportedEntries?.() ?? [] });
    expect(entries).toStrictEqual([{ op: "put", path: "count", type: "file" }]);
  });

  it("open() goes on with a partly filled layer", async () => {
    await using mount = await createMount();
    await writeFile(join(mount.upper, "early"), "written before");
    const { layer, stdout } = await runOnLayer(backend, mount, { id: 0, script: "cat early; rm early; echo >late" });
    expect(stdout).toBe("written before");
    expect(layer.entries).toStrictEqual([{ op: "put", path: "late", type: "file" }]);
  });

  it("run() makes everything belong to the root's owner, and nothing reaches the root", async () => {
    await using mount = await createMount();
    await fill(mount.root, "echo before >theirs");
    const { uid, gid } = await lstat(mount.root);
    await using session = await backend.open({ mount });
    const script = "id -u; id -g; echo after >theirs; mkdir -p new/dir; stat -c %u:%g . new theirs";
    const execution = await session.run({ kind: "shell", script }, { timeoutMs: 30_000 });
    const owner = `${uid}:${gid}\n`;
    expect(execution.stdout).toBe(`${uid}\n${gid}\n${owner}${owner}${owner}`);
    expect(await readFile(join(mount.root, "theirs"), "utf8")).toBe("before\n");
    expect(await readdir(mount.root)).toStrictEqual(["theirs"]);
    const made = await lstat(join(mount.upper, "new/dir"));
    expect([made.uid, made.gid]).toStrictEqual([uid, gid]);
  });

  it.runIf(isRoot)("run() writes root's own files for root, under another number inside", async () => {
    await using mount = await createMount();
    await promisify(execFile)("chown", ["0:0", mount.root]);
    await writeFile(join(mount.root, "theirs"), "before\n");
    const { stdout, layer } = await runOnLayer(backend, mount, { id: 0, script: "id -u; echo after >theirs" });
    expect([stdout, layer.entries]).toStrictEqual(["1000\n", [{ op: "put", path: "theirs", type: "file" }]]);
    expect((await lstat(join(mount.upper, "theirs"))).uid).toBe(0);
  });

  it.runIf(isRoot)("run() copies up a file of another owner and leaves it theirs", async () => {
    await using mount = await createMount();
    await fill(mount.root, "echo before >foreign; chmod 666 foreign");
    await promisify(execFile)("chown", ["1234:4321", join(mount.root, "foreign")]);
    const { stderr, layer } = await runOnLayer(backend, mount, { id: 0, script: "echo after >>foreign" });
    expect([stderr, layer.entries]).toStrictEqual(["", [{ op: "put", path: "foreign", type: "file" }]]);
    expect((await lstat(join(mount.upper, "foreign"))).uid).toBe(1234);
  });

  it.each([
    "with,comma",
    "with:colon",
    "with\\backslash",
    "with\nnewline",
    'with "quotes" and spaces',
    "ünïcödé",
    "-o",
  ])("open() mounts a root that is named %j", async (name) => {
    await using mount = await createMount(name);
    await fill(mount.root, "printf seen >inside");
    const { layer, stdout } = await runOnLayer(backend, mount, { id: 0, script: "cat inside; rm inside" });
    expect(stdout).toBe("seen");
    expect(layer.entries).toStrictEqual([{ op: "delete", path: "inside" }]);
  });

  it("open() refuses a kept layer that cannot hold its deletions on disk", async () => {
    await using mount = await createMount();
    const upper = join(mount.directory, "first");
    await mkdir(upper);
    const lowers: readonly Layer[] = [{ id: 1, upper, entries: [{ op: "delete", path: "gone" }] }];
    await expect(backend.open({ mount: { ...mount, lowers } })).rejects.toThrow(
      new SandboxUnavailableError(
        'Cannot open the "bubblewrap" sandbox: the state directory cannot hold what was deleted as overlayfs writes it; keep the state on another file system, or use "docker"',
      ),
    );
  });

  it("run() sees an empty writable workspace when there is no root", async () => {
    await using session = await backend.open({});
    const execution = await session.run(
      { kind: "shell", script: "pwd; ls -A; echo >file && echo written" },
      { timeoutMs: 30_000 },
    );
    expect(execution).toMatchObject({ exitCode: 0, stdout: "/workspace\nwritten\n", stderr: "" });
  });

  it("dispose() leaves the work directory as it was given", async () => {
    await using mount = await createMount();
    await fill(mount.root, ": >a");
    await runOnLayer(backend, mount, { id: 0, script: "rm a" });
    expect(await readdir(mount.work)).toStrictEqual([]);
  });

  it.runIf(isRoot)("run() shows what is mounted below the root, and lets nobody change it", async () => {
    await using mount = await createMount();
    await fill(mount.root, "mkdir -p 'deep/vol ume' plain; : >deep/beside");
    const volume = join(mount.root, "deep/vol ume");
    await promisify(execFile)("mount", ["-t", "tmpfs", "none", volume]);
    try {
      await writeFile(join(volume, "inside"), "seen\n", { mode: 0o666 });
      const script = "cat 'deep/vol ume/inside'; echo x >'deep/vol ume/new'; rm -r deep; ls deep; echo >plain/new";
      const { layer, stdout, stderr } = await runOnLayer(backend, mount, { id: 0, script });
      expect(stdout).toBe("seen\nvol ume\n");
      expect(stderr).toContain("Read-only file system");
      expect(layer.entries).toStrictEqual([
        { op: "delete", path: "deep/beside" },
        { op: "put", path: "plain/new", type: "file" },
      ]);
      const lowers = [{ id: 1, upper: mount.upper, entries: [{ op: "delete", path: "deep" } as const] }];
      await promisify(execFile)("sh", ["-c", 'rm -rf "$1/deep" && mknod "$1/deep" c 0 0', "sh", mount.upper]);
      const fresh = { ...mount, upper: join(mount.directory, "fresh"), lowers };
      await mkdir(fresh.upper);
      await expect(backend.open({ mount: fresh })).rejects.toThrow(
        new SandboxUnavailableError(
          'Cannot open the "bubblewrap" sandbox: another file system is mounted at "deep/vol ume", and kept changes or hidden paths lie there; land or discard the changes, or use "virtual"',
        ),
      );
    } finally {
      await promisify(execFile)("umount", [volume]);
    }
  });
});
