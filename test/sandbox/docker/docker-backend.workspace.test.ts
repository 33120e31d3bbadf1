import { chown, lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, expect, it } from "vitest";

import type { Layer } from "../../../src/contract/layer.ts";
import { scanUpper } from "../../../src/union/scan-upper.ts";
import { openUnionView } from "../../../src/union/union-view.ts";
import { describeWithEngine } from "./engine-available.ts";
import { changeEverything, EXPECTED_ENTRIES, fill, keepLayer, runOnLayer } from "../layer-scenario.ts";
import { createMount } from "../test-mount.ts";
import { assertNothingLeft, outcome, testBackend } from "./fixture.ts";

const mounting = testBackend();
const copying = testBackend({ workspace: "copy" });

describeWithEngine("docker backend: the workspace", () => {
  afterAll(async () => {
    await assertNothingLeft();
  });

  it("open() gives the same layer by mounting and by copying", async () => {
    const mounted = await changeEverything(mounting);
    const copied = await changeEverything(copying);
    expect(mounted.layer.entries).toStrictEqual(EXPECTED_ENTRIES);
    expect(copied.layer.entries).toStrictEqual(EXPECTED_ENTRIES);
    expect(copied.seen).toBe(mounted.seen);
    expect(copied.listing).toStrictEqual(mounted.listing);
  });

  it.each([
    ["mounting", mounting],
    ["copying", copying],
  ])("open() shows the kept layers over the root by %s", async (_way, backend) => {
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

  it.each([
    ["mounting", mounting],
    ["copying", copying],
  ])("run() keeps the workspace from one command of a session to the next by %s", async (_way, backend) => {
    await using mount = await createMount();
    await using session = await backend.open({ mount });
    const run = async (script: string): Promise<string> =>
      (await session.run({ kind: "shell", script }, { timeoutMs: 30_000 })).stdout;
    await run("echo 1 >count; echo forgotten >/tmp/elsewhere");
    await run("echo 2 >>count; mkdir made");
    expect(await run("cat count; ls /tmp; rmdir made")).toBe("1\n2\n");
    const below = openUnionView({ root: mount.root, layers: [] });
    const { entries } = await scanUpper({ below, upper: mount.upper, reported: session.reportedEntries?.() ?? [] });
    expect(entries).toStrictEqual([{ op: "put", path: "count", type: "file" }]);
  });

  it.each([
    ["mounting", mounting],
    ["copying", copying],
  ])("open() goes on with a partly filled layer by %s", async (_way, backend) => {
    await using mount = await createMount();
    await writeFile(join(mount.root, "kept"), "root");
    await writeFile(join(mount.upper, "early"), "written before");
    const { layer, stdout } = await runOnLayer(backend, mount, { id: 0, script: "cat early; rm early; echo >late" });
    expect(stdout).toBe("written before");
    expect(layer.entries).toStrictEqual([{ op: "put", path: "late", type: "file" }]);
  });

  it("run() makes everything belong to the root's owner, and nothing reaches the root", async () => {
    await using mount = await createMount();
    await writeFile(join(mount.root, "theirs"), "before\n");
    await chown(join(mount.root, "theirs"), 1000, 1000);
    await using session = await mounting.open({ mount });
    const execution = await session.run(
      { kind: "shell", script: "id -u; id -g; echo after >theirs; mkdir -p new/dir; stat -c %u:%g . new theirs" },
      { timeoutMs: 30_000 },
    );
    expect(execution.stdout).toBe("1000\n1000\n1000:1000\n1000:1000\n1000:1000\n");
    expect(await readFile(join(mount.root, "theirs"), "utf8")).toBe("before\n");
    expect(await readdir(mount.root)).toStrictEqual(["theirs"]);
    const { uid, gid } = await lstat(join(mount.upper, "new/dir"));
    expect([uid, gid]).toStrictEqual([1000, 1000]);
  });

  it.each(["with,comma", "with:colon", "with\\backslash", "with\nnewline", 'with "quotes" and spaces', "ünïcödé"])(
    "open() mounts a root that is named %j",
    async (name) => {
      await using mount = await createMount(name);
      await writeFile(join(mount.root, "inside"), "seen");
      const { layer, stdout } = await runOnLayer(mounting, mount, { id: 0, script: "cat inside; rm inside" });
      expect(stdout).toBe("seen");
      expect(layer.entries).toStrictEqual([{ op: "delete", path: "inside" }]);
    },
  );

  it("open() copies when a kept layer cannot hold its deletions on disk", async () => {
    await using mount = await createMount();
    await writeFile(join(mount.root, "gone"), "must not come back");
    const upper = join(mount.directory, "first");
    await mkdir(upper);
    const first: Layer = { id: 1, upper, entries: [{ op: "delete", path: "gone" }] };
    const { stdout, stderr } = await runOnLayer(mounting, mount, { id: 2, lowers: [first], script: "ls; ls gone" });
    expect({ stdout, stderr }).toStrictEqual({
      stdout: "",
      stderr: "ls: cannot access 'gone': No such file or directory\n",
    });
  });

  it("run() sees an empty writable workspace when there is no root", async () => {
    await using session = await mounting.open({});
    const execution = await session.run(
      { kind: "shell", script: "pwd; ls -A; echo >file && echo written" },
      { timeoutMs: 30_000 },
    );
    expect(outcome(execution)).toStrictEqual({
      termination: "exit",
      exitCode: 0,
      signal: null,
      stdout: "/workspace\nwritten\n",
      stderr: "",
    });
  });

  it("dispose() leaves the work directory as it was given", async () => {
    for (const backend of [mounting, copying]) {
      await using mount = await createMount();
      await writeFile(join(mount.root, "a"), "");
      await runOnLayer(backend, mount, { id: 0, script: "rm a" });
      expect(await readdir(mount.work)).toStrictEqual([]);
    }
  });
});
