import { spawnSync } from "node:child_process";
import { chmod, chown, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { ManifestEntry } from "../../src/contract/layer.ts";
import type { WritableWorkspace } from "../../src/contract/workspace.ts";
import { openUnionDraft, type UnionDraft } from "../../src/union/union-draft.ts";
import { openUnionView, type UnionView } from "../../src/union/union-view.ts";
import { createWhiteoutMaker } from "../../src/union/whiteouts.ts";

let base: string;
let root: string;
let upper: string;
let below: UnionView;
let draft: UnionDraft;

beforeEach(async () => {
  base = await mkdtemp(`${tmpdir()}/union-draft-`);
  root = `${base}/root`;
  upper = `${base}/upper`;
  await mkdir(`${root}/d/sub`, { recursive: true });
  await mkdir(upper);
  await writeFile(`${root}/file`, "file\r\n", { mode: 0o644 });
  await writeFile(`${root}/d/one`, "one");
  await writeFile(`${root}/d/sub/two`, "two");
  await symlink("d/sub", `${root}/link`);
  below = openUnionView({ root, layers: [] });
  draft = open();
});

afterEach(() => rm(base, { recursive: true, force: true }));

function open(entries: readonly ManifestEntry[] = []): UnionDraft {
  return openUnionDraft({ below, upper, whiteouts: createWhiteoutMaker({ directory: base }), entries });
}

function put(path: string, type: "file" | "directory" | "symlink" = "file"): ManifestEntry {
  return { op: "put", path, type };
}

async function text(path: string): Promise<string> {
  return Buffer.from(await draft.readFile(path)).toString("latin1");
}

describe("UnionDraft.writeFile()", () => {
  test("writes to the upper directory alone and keeps the mode of what it replaces", async () => {
    await chmod(`${root}/file`, 0o755);
    await draft.writeFile("file", "new");
    expect([await text("file"), await readFile(`${root}/file`, "utf8")]).toEqual(["new", "file\r\n"]);
    expect([(await draft.stat("file")).mode, draft.entries()]).toEqual([0o755, [put("file")]]);
    expect(await readdir(upper)).toEqual(["file"]);
  });

  test("makes missing parents, with the modes of those that lie below", async () => {
    await chmod(`${root}/d`, 0o711);
    await draft.writeFile("/workspace/d/new/deep/x", "x", { mode: 0o4777 });
    expect(draft.entries()).toEqual([put("d/new", "directory"), put("d/new/deep", "directory"), put("d/new/deep/x")]);
    const modes = await Promise.all(
      ["d", "d/new", "d/new/deep/x"].map(async (path) => (await lstat(`${upper}/${path}`)).mode & 0o7777),
    );
    expect(modes).toEqual([0o711, 0o755, 0o777]);
  });

  test("follows a symlink and leaves it in place", async () => {
    await draft.writeFile("link/two", "through");
    expect([await text("d/sub/two"), draft.entries()]).toEqual(["through", [put("d/sub/two")]]);
  });

  test("makes the file that a dangling symlink names, but no directories for it", async () => {
    await symlink("d/made", `${root}/dangling`);
    await symlink("no/where", `${root}/farther`);
    await draft.writeFile("dangling", "made");
    expect(draft.entries()).toEqual([put("d/made")]);
    await expect(draft.writeFile("farther", "x")).rejects.toMatchObject({ reason: "not-found" });
    await expect(draft.writeFile("farther/x", "x")).rejects.toMatchObject({ reason: "not-found" });
  });

  test("changes nothing when type, mode and content are what lies below", async () => {
    await draft.writeFile("file", "changed");
    await draft.writeFile("file", "file\r\n");
    await draft.writeFile("d/one", Buffer.from("one"), { mode: 0o644 });
    expect(draft.entries()).toEqual([]);
    expect(await readdir(upper)).toEqual([]);
  });

  test.each([
    ["file/x", {}, "not-a-directory"],
    ["d", {}, "is-a-directory"],
    ["file", { exclusive: true }, "exists"],
    ["link", { exclusive: true }, "exists"],
    ["d/../../x", {}, "outside-root"],
    ["new/../x", {}, "not-found"],
    [`.cofferdam-${"a".repeat(32)}`, {}, "invalid-path"],
  ] as const)("throws for %j with %j: %s", async (path, options, reason) => {
    await expect(draft.writeFile(path, "x", options)).rejects.toMatchObject({
      name: "WorkspacePathError",
      reason,
      path,
    });
    expect([draft.entries(), await readdir(upper)]).toEqual([[], []]);
  });

  test("leaves the other names of a guest's hard link alone", async () => {
    await writeFile(`${upper}/a`, "linked");
    await link(`${upper}/a`, `${upper}/b`);
    draft = open([put("a"), put("b")]);
    await draft.setMode("a", 0o700);
    await draft.writeFile("b", "mine");
    expect([await text("a"), (await draft.stat("a")).mode, await text("b"), (await draft.stat("b")).mode]).toEqual([
      "linked",
      0o700,
      "mine",
      0o644,
    ]);
  });

  test("runs calls that are made together one after the other", async () => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => draft.writeFile(`many/${index % 7}/x`, String(index))));
    expect(draft.entries()).toHaveLength(1 + 7 + 7);
    expect(await text("many/1/x")).toBe("29");
  });

  test("goes on after a call that failed", async () => {
    const failing = draft.writeFile("d", "x");
    const working = draft.writeFile("x", "x");
    await expect(failing).rejects.toMatchObject({ message: 'Cannot write "d": it is a directory; name a file' });
    await working;
    expect(draft.entries()).toEqual([put("x")]);
  });
});

describe("UnionDraft.remove()", () => {
  test("leaves a whiteout for what lies below and nothing for what does not", async () => {
    await draft.writeFile("new", "new");
    await draft.remove("new");
    await draft.remove("file");
    expect(draft.entries()).toEqual([{ op: "delete", path: "file" }]);
    const stats = await lstat(`${upper}/file`);
    expect([await readdir(upper), stats.isCharacterDevice(), stats.rdev]).toEqual([["file"], true, 0]);
    await expect(draft.readFile("file")).rejects.toMatchObject({ reason: "not-found" });
  });

  test("takes the deletion back when the same comes again", async () => {
    await draft.remove("d", { recursive: true });
    expect(draft.entries()).toEqual([{ op: "delete", path: "d" }]);
    await draft.writeFile("d/sub/two", "two");
    expect(draft.entries()).toEqual([{ op: "delete", path: "d/one" }]);
    await draft.writeFile("d/one", "one");
    expect(draft.entries()).toEqual([]);
  });

  test("removes a symlink and not where it leads", async () => {
    await draft.remove("link");
    expect(draft.entries()).toEqual([{ op: "delete", path: "link" }]);
    expect(await text("d/sub/two")).toBe("two");
  });

  test("says the deletion in the manifest alone where no whiteout can be placed", async () => {
    draft = openUnionDraft({ below, upper, whiteouts: { place: () => Promise.resolve(false) } });
    await draft.remove("d", { recursive: true });
    await draft.makeDirectory("d");
    expect(draft.entries()).toEqual([
      { op: "delete", path: "d/one" },
      { op: "delete", path: "d/sub" },
    ]);
    expect([await draft.readDirectory("d"), await readdir(upper, { recursive: true })]).toEqual([[], ["d"]]);
  });

  test.each([
    [
      "d",
      "not-empty",
      'Cannot remove "d": the directory is not empty; remove what is in it first, or remove it recursively',
    ],
    [
      "nowhere",
      "not-found",
      'Cannot remove "nowhere": there is nothing at this path; list its directory to see what is there',
    ],
    [
      "",
      "invalid-path",
      'Cannot remove "": it is no possible path; a path has no NUL, at most 255 bytes in a name and at most 3072 bytes in all, and is not the workspace\'s root where a part of it is meant',
    ],
  ])("throws for %j: %s", async (path, reason, message) => {
    await expect(draft.remove(path)).rejects.toMatchObject({ reason, message });
    expect(draft.entries()).toEqual([]);
  });
});

describe("UnionDraft.rename()", () => {
  test("copies a directory with modes and symlinks, and hides where it was", async () => {
    await chmod(`${root}/d/one`, 0o750);
    await symlink("../nowhere", `${root}/d/sub/up`);
    await draft.rename("d", "moved");
    expect(draft.entries()).toEqual([
      { op: "delete", path: "d" },
      put("moved", "directory"),
      put("moved/one"),
      put("moved/sub", "directory"),
      put("moved/sub/two"),
      put("moved/sub/up", "symlink"),
    ]);
    expect([(await draft.stat("moved/one")).mode, await draft.readLink("moved/sub/up")]).toEqual([0o750, "../nowhere"]);
  });

  test("there and back is no change", async () => {
    await draft.rename("d", "moved");
    await draft.rename("moved", "d");
    await draft.rename("file", "d/file");
    await draft.rename("d/file", "file");
    expect(draft.entries()).toEqual([]);
  });

  test("replaces a file when it may", async () => {
    await expect(draft.rename("file", "d/one")).rejects.toMatchObject({
      reason: "exists",
      path: "d/one",
      message:
        'Cannot rename to "d/one": there is something at this path already; name a free path, or remove what is there first',
    });
    await draft.rename("file", "d/one", { overwrite: true });
    expect([await text("d/one"), draft.entries()]).toEqual([
      "file\r\n",
      [put("d/one"), { op: "delete", path: "file" }],
    ]);
  });

  test("moves a directory of mode 0500 with all that is in it", async () => {
    await chmod(`${root}/d`, 0o500);
    await draft.rename("d", "moved");
    expect([(await draft.stat("moved")).mode, await text("moved/one")]).toEqual([0o500, "one"]);
  });

  test.each([
    { from: "d", to: "d/sub/x", reason: "invalid-path" },
    { from: "d", to: "file", overwrite: true, reason: "not-a-directory" },
    { from: "file", to: "d", overwrite: true, reason: "is-a-directory" },
    { from: "file", to: "no/x", reason: "not-found" },
    { from: "nowhere", to: "x", reason: "not-found" },
    { from: "", to: "x", reason: "invalid-path" },
    { from: "file", to: "../x", reason: "outside-root" },
  ])("throws $reason for $from to $to", async ({ from, to, overwrite = false, reason }) => {
    await expect(draft.rename(from, to, { overwrite })).rejects.toMatchObject({ name: "WorkspacePathError", reason });
    expect(draft.entries()).toEqual([]);
  });
});

describe("UnionDraft.setMode()", () => {
  test("copies a file up, and takes it out again when the mode comes back", async () => {
    await draft.setMode("file", 0o4755);
    expect([(await draft.stat("file")).mode, await text("file"), draft.entries()]).toEqual([
      0o755,
      "file\r\n",
      [put("file")],
    ]);
    expect((await lstat(`${upper}/file`)).mode & 0o7777).toBe(0o755);
    await draft.setMode("file", 0o644);
    expect([draft.entries(), await readdir(upper)]).toEqual([[], []]);
  });

  test("changes a directory and keeps what is in it", async () => {
    await draft.writeFile("d/new", "new");
    await draft.setMode("d", 0o700);
    expect(draft.entries()).toEqual([put("d", "directory"), put("d/new")]);
    expect([await text("d/one"), await text("d/new")]).toEqual(["one", "new"]);
    await draft.setMode("d", 0o755);
    expect(draft.entries()).toEqual([put("d/new")]);
  });

  test("keeps what a directory over a file holds", async () => {
    await draft.remove("file");
    await draft.writeFile("file/x", "x");
    await draft.setMode("file", 0o700);
    expect(draft.entries()).toEqual([{ op: "put", path: "file", type: "directory", opaque: true }, put("file/x")]);
    expect([await text("file/x"), (await draft.stat("file")).mode]).toEqual(["x", 0o700]);
  });

  test("throws for the root", async () => {
    await expect(draft.setMode(".", 0o700)).rejects.toMatchObject({ reason: "invalid-path" });
  });
});

describe("UnionDraft.makeDirectory()", () => {
  test("makes parents, and leaves an existing directory as it is", async () => {
    await draft.makeDirectory("x/y");
    await draft.makeDirectory("d/sub");
    await draft.makeDirectory("link");
    expect(draft.entries()).toEqual([put("x", "directory"), put("x/y", "directory")]);
    await expect(draft.makeDirectory("file")).rejects.toMatchObject({ reason: "exists" });
  });
});

describe("UnionDraft.makeSymlink()", () => {
  test("keeps the target as written, wherever it points", async () => {
    await draft.makeSymlink("/etc/passwd", "d/outside");
    await draft.makeSymlink("\udcff", "bytes");
    expect([await draft.readLink("d/outside"), await draft.readLink("bytes")]).toEqual(["/etc/passwd", "\udcff"]);
    await expect(draft.readFile("d/outside")).rejects.toMatchObject({ reason: "outside-root" });
    await expect(draft.makeSymlink("x", "d/outside")).rejects.toMatchObject({ reason: "exists" });
    await expect(draft.makeSymlink("x", "no/x")).rejects.toMatchObject({ reason: "not-found" });
    await expect(draft.makeSymlink("", "x")).rejects.toMatchObject({ reason: "invalid-path" });
  });

  test("has the link made by who may", async () => {
    const made: string[] = [];
    draft = openUnionDraft({
      below,
      upper,
      whiteouts: createWhiteoutMaker({ directory: base }),
      makeLink: async (target, hostPath) => {
        made.push(String(target));
        await symlink(target, hostPath);
      },
    });
    await draft.makeSymlink("d/one", "new");
    expect([made, await text("new")]).toEqual([["d/one"], "one"]);
  });
});

describe("openUnionDraft()", () => {
  test("goes on where a draft was left", async () => {
    await draft.writeFile("x", "x");
    await draft.remove("d", { recursive: true });
    const reopened = open(draft.entries());
    expect((await reopened.readDirectory("")).map(({ name }) => name)).toEqual(["file", "link", "x"]);
    await reopened.writeFile("d", "now a file");
    expect(reopened.entries()).toEqual([put("d"), put("x")]);
    expect(reopened.view).toBe(below);
  });

  test.skipIf(process.getuid?.() !== 0)("gives what root writes to the owner of the root", async () => {
    await chown(root, 1234, 1235);
    await draft.writeFile("new/x", "x");
    await draft.setMode("d/one", 0o600);
    await draft.makeSymlink("x", "new/s");
    const owners = await Promise.all(
      ["new", "new/x", "d", "d/one", "new/s"].map(async (path) => {
        const { uid, gid } = await lstat(`${upper}/${path}`);
        return `${uid}:${gid}`;
      }),
    );
    expect(owners).toEqual(Array<string>(5).fill("1234:1235"));
  });

  test("refuses an upper directory that leads elsewhere", async () => {
    await mkdir(`${base}/elsewhere`);
    await symlink(`${base}/elsewhere`, `${upper}/d`);
    await expect(draft.writeFile("d/one", "x")).rejects.toMatchObject({
      name: "StateError",
      message: `Cannot use the layer at "d": what lies there is not what the layer's manifest says; drop the layer`,
    });
    expect(await readdir(`${base}/elsewhere`)).toEqual([]);
  });

  test("says what the file system failed with, and no path of the host", async () => {
    await rm(upper, { recursive: true });
    await writeFile(upper, "");
    const failure = await failureOf(draft, (workspace) => workspace.writeFile("x", "x"));
    expect(failure).toBe(
      'Cannot write "x": a part of it that has to be a directory is something else; name an existing directory',
    );
  });

  test("carries no FIFO of the root along", async () => {
    expect(spawnSync("mkfifo", [`${root}/d/pipe`]).status).toBe(0);
    await draft.rename("d", "moved");
    expect((await draft.readDirectory("moved")).map(({ name }) => name)).toEqual(["one", "sub"]);
  });
});

async function failureOf(
  workspace: WritableWorkspace,
  use: (workspace: WritableWorkspace) => Promise<void>,
): Promise<string> {
  return use(workspace).then(
    () => "done",
    (error: unknown) => (error instanceof Error ? error.message : "no error"),
  );
}
