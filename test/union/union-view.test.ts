import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { Layer, ManifestEntry } from "../../src/contract/layer.ts";
import { toHostPath } from "../../src/union/path-bytes.ts";
import { openUnionView, type UnionView } from "../../src/union/union-view.ts";
import { readWorkspaceTree } from "./plain-tree.ts";

let base: string;
let root: string;
let view: UnionView;

beforeEach(async () => {
  base = await mkdtemp(`${tmpdir()}/union-view-`);
  root = `${base}/root`;
  await mkdir(`${root}/d/sub`, { recursive: true });
  await writeFile(`${root}/file`, "0123456789");
  await writeFile(`${root}/d/one`, "one");
  await writeFile(`${root}/d/sub/two`, "two");
  await symlink("d/sub", `${root}/link`);
  view = openUnionView({ root, layers: [] });
});

afterEach(() => rm(base, { recursive: true, force: true }));

/** A layer whose upper directory a script makes. */
async function layer(id: number, script: string, entries: readonly ManifestEntry[]): Promise<Layer> {
  const upper = `${base}/upper-${id}`;
  await mkdir(upper);
  expect(spawnSync("sh", ["-ec", script], { cwd: upper }).status).toBe(0);
  return { id, upper, entries };
}

async function text(from: UnionView, path: string): Promise<string> {
  return Buffer.from(await from.readFile(path)).toString("latin1");
}

describe("UnionView.readFile()", () => {
  test("reads the whole file or the part that is asked for", async () => {
    expect(await text(view, "file")).toBe("0123456789");
    const parts = await Promise.all(
      [
        { offsetBytes: 8 },
        { lengthBytes: 2 },
        { offsetBytes: 3, lengthBytes: 4 },
        { offsetBytes: 99 },
        { offsetBytes: 8, lengthBytes: 99, maxBytes: 2 },
      ].map(async (options) => Buffer.from(await view.readFile("file", options)).toString()),
    );
    expect(parts).toEqual(["89", "01", "3456", "", "89"]);
  });

  test("throws too-large when more than maxBytes would have to be read", async () => {
    await expect(view.readFile("file", { maxBytes: 9 })).rejects.toMatchObject({
      name: "WorkspacePathError",
      reason: "too-large",
      path: "file",
      message:
        'Cannot read "file": 10 bytes would have to be read; at most 9 bytes are allowed, so ask for a part of it',
    });
  });

  test.each([
    [
      "nowhere",
      "not-found",
      'Cannot read "nowhere": there is nothing at this path; list its directory to see what is there',
    ],
    [
      "file/x",
      "not-a-directory",
      'Cannot read "file/x": a part of it that has to be a directory is something else; name an existing directory',
    ],
    ["d", "is-a-directory", 'Cannot read "d": it is a directory; name a file'],
    [
      "a\0",
      "invalid-path",
      'Cannot use "a\\x00": it is no possible path; a path has no NUL, at most 255 bytes in a name and at most 3072 bytes in all, and is not the workspace\'s root where a part of it is meant',
    ],
  ])("throws for %j: %s", async (path, reason, message) => {
    await expect(view.readFile(path)).rejects.toMatchObject({ reason, path, message });
  });

  test("refuses a FIFO without waiting for its writer, and leaves it out of lists", async () => {
    expect(spawnSync("mkfifo", [`${root}/pipe`]).status).toBe(0);
    await expect(view.readFile("pipe")).rejects.toMatchObject({
      reason: "unsupported-type",
      message:
        'Cannot read "pipe": it is a device, a socket or a FIFO; only files, directories and symlinks can be used',
    });
    await expect(view.lstat("pipe")).rejects.toMatchObject({ reason: "unsupported-type" });
    expect((await view.readDirectory("")).map(({ name }) => name)).toEqual(["d", "file", "link"]);
  });

  test("reads a file of several megabytes byte for byte", async () => {
    const content = Buffer.from(Array.from({ length: 3_000_001 }, (_, index) => index % 251));
    await writeFile(`${root}/large`, content);
    expect(Buffer.from(await view.readFile("large")).equals(content)).toBe(true);
  });

  test("reads through a root and a layer that are given by symlinked paths", async () => {
    await symlink(base, `${base}/alias`);
    const top = await layer(1, "echo new > new", [{ op: "put", path: "new", type: "file" }]);
    const aliased = openUnionView({ root: `${base}/alias/root`, layers: [{ ...top, upper: `${base}/alias/upper-1` }] });
    expect([
      await text(aliased, "d/one"),
      await text(aliased, "new"),
      (await aliased.readDirectory("d")).length,
    ]).toEqual(["one", "new\n", 2]);
  });
});

describe("UnionView paths", () => {
  test("take .. after a symlink as POSIX does, and not as written", async () => {
    await writeFile(`${root}/one`, "the wrong one");
    expect(await text(view, "link/../one")).toBe("one");
    expect(await view.realPath("link/..")).toBe("d");
    expect(await view.realPath("/workspace/./d//sub/..")).toBe("d");
    expect(await view.realPath("link/../..")).toBe("");
  });

  test("follow an absolute symlink that points below the mount of sandboxes", async () => {
    await symlink("/workspace/d/one", `${root}/absolute`);
    await symlink("/workspace", `${root}/d/sub/top`);
    expect(await text(view, "absolute")).toBe("one");
    expect(await view.realPath("link/top/link")).toBe("d/sub");
  });

  test("lead through at most 40 symlinks", async () => {
    await symlink("file", `${root}/l40`);
    for (let index = 39; index >= 0; index -= 1) await symlink(`l${index + 1}`, `${root}/l${index}`);
    expect(await text(view, "l1")).toBe("0123456789");
    await expect(view.readFile("l0")).rejects.toMatchObject({
      reason: "too-many-links",
      message: 'Cannot read "l0": more than 40 symlinks lead on from it; name the file itself',
    });
  });

  test("hold names that are not UTF-8", async () => {
    await mkdir(toHostPath(root, "\udcff"));
    await writeFile(toHostPath(root, "\udcff/\udc80x"), "bytes");
    expect(await view.readDirectory("\udcff")).toEqual([{ name: "\udc80x", type: "file" }]);
    expect(await text(view, "\udcff/\udc80x")).toBe("bytes");
    expect((await view.readDirectory("")).map(({ name }) => name)).toEqual(["d", "file", "link", "\udcff"]);
  });

  test("stay apart when a name holds the replacement character itself", async () => {
    await writeFile(`${root}/\ufffd`, "replacement");
    await writeFile(toHostPath(root, "\udcff"), "stray");
    expect([await text(view, "\ufffd"), await text(view, "\udcff")]).toEqual(["replacement", "stray"]);
    expect((await view.readDirectory("")).map(({ name }) => name)).toEqual(["d", "file", "link", "\ufffd", "\udcff"]);
  });
});

describe("UnionView.stat()", () => {
  test("follows a symlink where lstat() does not", async () => {
    await chmod(`${root}/d/sub`, 0o2750);
    expect(await view.stat("link")).toMatchObject({ type: "directory", mode: 0o750 });
    expect(await view.lstat("link")).toMatchObject({ type: "symlink", sizeBytes: 5 });
    expect(await view.lstat("")).toMatchObject({ type: "directory" });
    expect(await view.readLink("link")).toBe("d/sub");
    await expect(view.readLink("file")).rejects.toMatchObject({
      message: 'Cannot read the symlink "file": it is not a symlink; name a symlink',
    });
  });
});

describe("UnionView.locate()", () => {
  test("says where an entry lies, its ancestors resolved and itself not followed", async () => {
    const top = await layer(7, "mkdir -p d/sub; echo new > d/sub/two", [
      { op: "put", path: "d/sub/two", type: "file" },
    ]);
    const above = view.withLayer(top);
    expect(await above.locate("link/two")).toMatchObject({
      path: "d/sub/two",
      hostPath: `${top.upper}/d/sub/two`,
      layerId: 7,
      stat: { type: "file", sizeBytes: 4 },
    });
    expect(await above.locate("link/")).toMatchObject({
      path: "link",
      hostPath: `${root}/link`,
      layerId: null,
      stat: { type: "symlink" },
    });
    expect(await above.locate("")).toMatchObject({ path: "", hostPath: root, layerId: null });
    expect([await above.locate("nowhere"), await above.locate("file/x")]).toEqual([undefined, undefined]);
    await expect(above.locate("../x")).rejects.toMatchObject({ reason: "outside-root" });
  });
});

describe("UnionView layers", () => {
  test("withLayer() leaves the view it is called on as it is", async () => {
    const top = await layer(1, "echo new > new", [
      { op: "put", path: "new", type: "file" },
      { op: "delete", path: "file" },
    ]);
    const above = view.withLayer(top);
    expect((await above.readDirectory("")).map(({ name }) => name)).toEqual(["d", "link", "new"]);
    expect((await view.readDirectory("")).map(({ name }) => name)).toEqual(["d", "file", "link"]);
    expect(above.layers).toEqual([top]);
  });

  test("show what the root gets meanwhile, but for what they hide", async () => {
    const top = await layer(1, "mkdir o e; chmod 700 e", [
      { op: "put", path: "o", type: "directory", opaque: true },
      { op: "put", path: "e", type: "directory" },
    ]);
    const above = view.withLayer(top);
    await mkdir(`${root}/o`);
    await mkdir(`${root}/e`);
    for (const directory of ["o", "e", "d"]) await writeFile(`${root}/${directory}/late`, directory);
    expect(await above.readDirectory("o")).toEqual([]);
    expect(await text(above, "e/late")).toBe("e");
    expect(await text(above, "d/late")).toBe("d");
    await expect(above.readFile("o/late")).rejects.toMatchObject({ reason: "not-found" });
  });

  test("keep their own directories when the root loses them or has a symlink in their place", async () => {
    const top = await layer(1, "mkdir -p d/sub; echo new > d/sub/new", [
      { op: "put", path: "d/sub/new", type: "file" },
    ]);
    const above = view.withLayer(top);
    await rename(`${root}/d`, `${root}/elsewhere`);
    expect(await text(above, "d/sub/new")).toBe("new\n");
    expect(await above.readDirectory("d")).toEqual([{ name: "sub", type: "directory" }]);
    await symlink("elsewhere", `${root}/d`);
    expect(await above.readDirectory("d/sub")).toEqual([{ name: "new", type: "file" }]);
    expect((await above.readDirectory("")).find(({ name }) => name === "d")).toEqual({ name: "d", type: "directory" });
    await expect(above.readFile("d/one")).rejects.toMatchObject({ reason: "not-found" });
  });

  test("do not merge a directory of theirs with where a symlink of the root leads", async () => {
    await symlink("d", `${root}/s`);
    const top = await layer(1, "mkdir s", [{ op: "put", path: "s", type: "directory" }]);
    const above = view.withLayer(top);
    expect(await above.readDirectory("s")).toEqual([]);
    await expect(above.readFile("s/one")).rejects.toMatchObject({ reason: "not-found" });
  });

  test("are refused when the disk does not hold what the manifest says", async () => {
    const top = await layer(1, "ln -s /etc/passwd file", [{ op: "put", path: "file", type: "file" }]);
    const above = view.withLayer(top);
    await expect(above.readFile("file")).rejects.toMatchObject({ reason: "not-found" });
    await expect(above.lstat("file")).rejects.toMatchObject({
      name: "StateError",
      message: `Cannot use the layer at "file": what lies there is not what the layer's manifest says; drop the layer`,
    });
    await unlink(`${top.upper}/file`);
    await expect(above.lstat("file")).rejects.toMatchObject({ reason: "not-found" });
  });

  test("lie on each other in any number", async () => {
    let above = view;
    for (let id = 1; id <= 30; id += 1) {
      above = above.withLayer(
        await layer(id, `echo ${id} > file; echo ${id} > f${id}`, [
          { op: "put", path: "file", type: "file" },
          { op: "put", path: `f${id}`, type: "file" },
          ...(id > 1 ? [{ op: "delete", path: `f${id - 1}` } as const] : []),
        ]),
      );
    }
    expect(await text(above, "file")).toBe("30\n");
    expect((await readWorkspaceTree(above)).filter((line) => line.includes('"f'))).toHaveLength(2 + 2);
  });
});
