import { execFile } from "node:child_process";
import { chown, lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, expect, it } from "vitest";

import type { Layer } from "../../../src/contract/layer.ts";
import type { SandboxBackend } from "../../../src/contract/sandbox.ts";
import type { ScannedLayer } from "../../../src/union/scan-upper.ts";
import { scanUpper } from "../../../src/union/scan-upper.ts";
import { openUnionView } from "../../../src/union/union-view.ts";
import { describeWithEngine } from "./engine-available.ts";
import type { TestMount } from "./fixture.ts";
import { assertNothingLeft, createMount, outcome, testBackend } from "./fixture.ts";

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

const BEFORE = `
  echo same >same; echo old >changed; echo old >mode; mkdir -p gone/deep kept/deep swapped; echo x >gone/deep/file
  echo x >kept/deep/file; echo x >file-to-dir; echo x >swapped/inside; ln -s same link; ln -s /etc/passwd outside
  printf x >$'raw\\xff'; printf x >$'new\\nline'; printf x >"tab	and *"; : >empty
  head -c 6000000 /dev/zero >large; head -c 6000000 /dev/zero >large-changed`;

const SCRIPT = `
  set -e
  ls -A; readlink link outside; cat same
  echo same >same; touch same; chmod 755 mode; echo new >>changed; rm -r gone; rm -r swapped; echo file >swapped
  rm file-to-dir; mkdir file-to-dir; echo y >file-to-dir/y; ln -sfn changed link; rm $'raw\\xff'; echo >$'raw\\xfe\\xed'
  mv $'new\\nline' $'moved\\nline'; mkdir -p deep/er/est; : >deep/er/est/empty; ln changed hard; mkfifo fifo
  printf '\\0\\1\\377' >binary; printf 'no newline' >text; printf y >>large-changed; chmod 700 kept; touch empty; : >'it '
  echo secret >unreadable; chmod 000 unreadable; mkdir shut; echo x >shut/x; chmod 500 shut; chmod 4755 binary`;

const EXPECTED_ENTRIES = [
  { op: "put", path: "binary", type: "file" },
  { op: "put", path: "changed", type: "file" },
  { op: "put", path: "deep", type: "directory" },
  { op: "put", path: "deep/er", type: "directory" },
  { op: "put", path: "deep/er/est", type: "directory" },
  { op: "put", path: "deep/er/est/empty", type: "file" },
  { op: "put", path: "file-to-dir", type: "directory", opaque: true },
  { op: "put", path: "file-to-dir/y", type: "file" },
  { op: "delete", path: "gone" },
  { op: "put", path: "hard", type: "file" },
  { op: "put", path: "it ", type: "file" },
  { op: "put", path: "kept", type: "directory" },
  { op: "put", path: "large-changed", type: "file" },
  { op: "put", path: "link", type: "symlink" },
  { op: "put", path: "mode", type: "file" },
  { op: "put", path: "moved\nline", type: "file" },
  { op: "delete", path: "new\nline" },
  { op: "put", path: "raw\udcfe\udced", type: "file" },
  { op: "delete", path: "raw\udcff" },
  { op: "put", path: "shut", type: "directory" },
  { op: "put", path: "shut/x", type: "file" },
  { op: "put", path: "swapped", type: "file" },
  { op: "put", path: "text", type: "file" },
  { op: "put", path: "unreadable", type: "file" },
];

/** The whole range of changes, and what comes of it: the manifest, and the merged tree with its contents. */
async function changeEverything(backend: SandboxBackend): Promise<{
  readonly layer: ScannedLayer;
  readonly listing: readonly string[];
  readonly seen: string;
}> {
  await using mount = await createMount();
  await fill(mount.root, BEFORE);
  const { layer, stdout, stderr } = await runOnLayer(backend, mount, { id: 1, script: SCRIPT });
  expect(stderr).toBe("");
  const view = openUnionView({ root: mount.root, layers: [{ id: 1, upper: mount.upper, entries: layer.entries }] });
  const listing: string[] = [];
  const pending = [""];
  for (let directory = pending.shift(); directory !== undefined; directory = pending.shift()) {
    for (const { name } of await view.readDirectory(directory)) {
      const path = directory === "" ? name : `${directory}/${name}`;
      const { type, mode, sizeBytes } = await view.lstat(path);
      if (type === "directory") pending.push(path);
      const content =
        type === "symlink"
          ? await view.readLink(path)
          : type === "file"
            ? Buffer.from(await view.readFile(path, { lengthBytes: 100 })).toString("latin1")
            : "";
      listing.push(
        `${type} ${mode.toString(8)} ${type === "file" ? sizeBytes : ""} ${JSON.stringify(path)} ${content}`,
      );
    }
  }
  return { layer, listing, seen: stdout };
}

interface LayerRun {
  readonly id: number;
  readonly script: string;
  readonly lowers?: readonly Layer[];
}

async function runOnLayer(
  backend: SandboxBackend,
  mount: TestMount,
  run: LayerRun,
): Promise<{ readonly layer: ScannedLayer; readonly stdout: string; readonly stderr: string }> {
  const lowers = run.lowers ?? [];
  await using session = await backend.open({
    mount: { root: mount.root, upper: mount.upper, work: mount.work, lowers },
  });
  const execution = await session.run({ kind: "shell", script: run.script }, { timeoutMs: 30_000 });
  const layer = await scanUpper({
    below: openUnionView({ root: mount.root, layers: lowers }),
    upper: mount.upper,
    reported: session.reportedEntries?.() ?? [],
  });
  return { layer, stdout: execution.stdout, stderr: execution.stderr };
}

/** Runs a script on a layer of its own and keeps it. */
async function keepLayer(backend: SandboxBackend, mount: TestMount, run: LayerRun): Promise<Layer> {
  const [upper, work] = [join(mount.directory, `upper-${run.id}`), join(mount.directory, `work-${run.id}`)];
  await mkdir(upper);
  await mkdir(work);
  const { layer } = await runOnLayer(backend, { ...mount, upper, work }, run);
  return { id: run.id, upper, entries: layer.entries };
}

async function fill(root: string, script: string): Promise<void> {
  await promisify(execFile)("bash", ["-e", "-c", `${script}\nchown -Rh 1000:1000 .`], { cwd: root });
}
