import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

import { expect, test } from "vitest";

import { StateError } from "../../src/errors/state-error.ts";
import { makeFixture, readView } from "./support/workspace-fixture.ts";

const ROOT_OWNER = 1234;

function fill(root: string): void {
  mkdirSync(`${root}/src`);
  writeFileSync(`${root}/src/main.ts`, "main\n");
  writeFileSync(`${root}/src/other.ts`, "other\n");
  writeFileSync(`${root}/notes.txt`, "notes\n");
  symlinkSync("notes.txt", `${root}/link`);
}

test("keep() makes a layer part of the view and says what it changed", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("src/main.ts", "changed\n");
  await draft.files.setMode("src/other.ts", 0o755);
  await draft.files.makeDirectory("docs");
  await draft.files.rename("notes.txt", "docs/notes.txt");
  await draft.files.remove("link");
  await draft.files.makeDirectory("link");

  expect(await draft.keep()).toEqual({
    outcome: "kept",
    layerId: draft.id,
    changes: [
      { path: "docs", kind: "added", type: "directory", callId: "call-1" },
      { path: "docs/notes.txt", kind: "added", type: "file", from: "notes.txt", callId: "call-1" },
      { path: "link", kind: "replaced", type: "directory", callId: "call-1" },
      { path: "notes.txt", kind: "deleted", type: "file", callId: "call-1" },
      { path: "src/main.ts", kind: "modified", type: "file", callId: "call-1" },
      { path: "src/other.ts", kind: "mode-changed", type: "file", callId: "call-1" },
    ],
  });
  const view = await workspace.view();
  expect(Buffer.from(await view.readFile("src/main.ts")).toString()).toBe("changed\n");
  expect(existsSync(`${fixture.root}/docs`)).toBe(false);
  expect(existsSync(draft.directories.work)).toBe(false);
});

test("keep() drops a layer that changed nothing, or changed it back", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.remove("notes.txt");
  await draft.files.writeFile("notes.txt", "notes\n");

  expect(await draft.keep()).toEqual({ outcome: "unchanged" });
  expect(existsSync(dirname(draft.directories.upper))).toBe(false);
  expect((await workspace.view()).layers).toEqual([]);
});

test("keep() drops a layer that touches what another layer deleted meanwhile", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  const first = await workspace.beginLayer({ callId: "first" });
  const second = await workspace.beginLayer({ callId: "second" });
  await first.files.remove("src", { recursive: true });
  await second.files.writeFile("src/main.ts", "second\n");
  await second.files.writeFile("unrelated", "");
  await first.keep();

  expect(await second.keep()).toEqual({ outcome: "conflict", paths: ["src/main.ts"] });
  expect(existsSync(dirname(second.directories.upper))).toBe(false);
  expect((await workspace.changes()).map(({ path }) => path)).toEqual(["src", "src/main.ts", "src/other.ts"]);
});

test("keep() keeps layers that were written beside each other and do not meet", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  const first = await workspace.beginLayer({ callId: "first" });
  const second = await workspace.beginLayer({ callId: "second" });
  await second.files.writeFile("src/other.ts", "second\n");
  await first.files.writeFile("src/main.ts", "first\n");
  expect((await second.keep()).outcome).toBe("kept");
  expect((await first.keep()).outcome).toBe("kept");

  expect(await workspace.changes()).toEqual([
    { path: "src/main.ts", kind: "modified", type: "file", callId: "first" },
    { path: "src/other.ts", kind: "modified", type: "file", callId: "second" },
  ]);
});

test("keep() rejects when the layer has ended, and drop() does nothing then", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("new", "new\n");
  await draft.keep();
  await draft.drop();

  await expect(draft.keep()).rejects.toThrow(
    new StateError('Cannot keep the layer of call "call-1": it was kept or dropped before; a layer ends once'),
  );
  expect((await workspace.changes()).map(({ path }) => path)).toEqual(["new"]);
});

test("drop() leaves nothing behind", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("new/file", "new\n");
  await draft.drop();

  expect(readdirSync(`${workspace.stateDirectory}/layers`)).toEqual([]);
  expect(await workspace.changes()).toEqual([]);
});

test("rescan() reads back what was written to the mount, with the deletions that were reported", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  mkdirSync(`${draft.directories.upper}/src`);
  writeFileSync(`${draft.directories.upper}/src/main.ts`, "by a sandbox\n");
  writeFileSync(`${draft.directories.upper}/notes.txt`, "notes\n");

  expect(await draft.rescan([{ op: "delete", path: "src/other.ts" }])).toEqual([]);
  expect(Buffer.from(await draft.files.readFile("src/main.ts")).toString()).toBe("by a sandbox\n");
  expect(await draft.keep()).toEqual({
    outcome: "kept",
    layerId: draft.id,
    changes: [
      { path: "src/main.ts", kind: "modified", type: "file", callId: "call-1" },
      { path: "src/other.ts", kind: "deleted", type: "file", callId: "call-1" },
    ],
  });
});

test.runIf(process.getuid?.() === 0)("beginLayer() gives the upper directory the root's owner and mode", async () => {
  await using fixture = await makeFixture((root) => chownSync(root, ROOT_OWNER, ROOT_OWNER));
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  const { uid, gid, mode } = statSync(draft.directories.upper);
  expect({ uid, gid, mode: mode & 0o7777 }).toEqual({ uid: ROOT_OWNER, gid: ROOT_OWNER, mode: 0o755 });
  await draft.files.writeFile("new", "new\n");
  await draft.keep();

  await workspace.land();
  expect(statSync(`${fixture.root}/new`).uid).toBe(ROOT_OWNER);
});

test("land() refuses a path that changed in the root while the layer was written, though its times were put back", async () => {
  await using fixture = await makeFixture(fill);
  utimesSync(`${fixture.root}/notes.txt`, 1_000_000_000, 1_000_000_000);
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.readFile("notes.txt");
  writeFileSync(`${fixture.root}/notes.txt`, "moved\n");
  utimesSync(`${fixture.root}/notes.txt`, 1_000_000_000, 1_000_000_000);
  await draft.files.writeFile("notes.txt", "from what was read\n");
  await draft.keep();

  await expect(workspace.land()).rejects.toMatchObject({
    code: "landing-conflict",
    conflicts: [{ path: "notes.txt", reason: "changed while the call that touched it was running" }],
  });
});

test("view() shows what another process's workspace kept, and stays the same object while nothing moves", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  await using other = await fixture.open();
  const before = await workspace.view();
  expect(await workspace.view()).toBe(before);

  const draft = await other.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("new", "new\n");
  await draft.keep();
  expect(await readView(await workspace.view())).toEqual(await readView(await other.view()));
  expect((await workspace.view()).layers).toHaveLength(1);

  await other.land();
  expect((await workspace.view()).layers).toEqual([]);
});

test("dispose drops the layers that have not ended, and the workspace cannot be used after it", async () => {
  await using fixture = await makeFixture(fill);
  const workspace = await fixture.open();
  await workspace.beginLayer({ callId: "call-1" });
  await workspace[Symbol.asyncDispose]();

  expect(readdirSync(`${workspace.stateDirectory}/layers`)).toEqual([]);
  await expect(workspace.view()).rejects.toThrow(
    new StateError("Cannot use the workspace: it is closed; open it again"),
  );
});
