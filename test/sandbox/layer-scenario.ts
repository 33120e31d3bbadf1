import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect } from "vitest";

import type { Layer } from "../../src/contract/layer.ts";
import type { SandboxBackend } from "../../src/contract/sandbox.ts";
import type { ScannedLayer } from "../../src/union/scan-upper.ts";
import { scanUpper } from "../../src/union/scan-upper.ts";
import { openUnionView } from "../../src/union/union-view.ts";
import { createMount, type TestMount } from "./test-mount.ts";

/*
 * What every backend that shows a workspace has to make of the same edits: a tree, a script that changes it in every way,
 * and the layer that comes of it.
 */

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

/** The layer that comes of the edits. */
export const EXPECTED_ENTRIES = [
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
export async function changeEverything(backend: SandboxBackend): Promise<{
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

/** One command on a layer. */
export interface LayerRun {
  readonly id: number;
  readonly script: string;
  readonly lowers?: readonly Layer[];
}

/** Runs a script on the layer of a mount and reads the layer back. */
export async function runOnLayer(
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
export async function keepLayer(backend: SandboxBackend, mount: TestMount, run: LayerRun): Promise<Layer> {
  const [upper, work] = [join(mount.directory, `upper-${run.id}`), join(mount.directory, `work-${run.id}`)];
  await mkdir(upper);
  await mkdir(work);
  const { layer } = await runOnLayer(backend, { ...mount, upper, work }, run);
  return { id: run.id, upper, entries: layer.entries };
}

/** Fills a root by a script, for the user who owns it. */
export async function fill(root: string, script: string): Promise<void> {
  await promisify(execFile)("bash", ["-e", "-c", `${script}\n[ "$(id -u)" != 0 ] || chown -Rh 1000:1000 .`], {
    cwd: root,
  });
}
