import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";

import { expect, test } from "vitest";

import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import { LandingConflictError } from "../../../src/errors/landing-conflict-error.ts";
import { StateError } from "../../../src/errors/state-error.ts";
import { fillScenarioRoot, keepScenarioLayer } from "../support/landing-scenario.ts";
import { makeFixture, readTree, readView } from "../support/workspace-fixture.ts";

test("land() applies every kind of change, and breaks no hard link that it does not touch", async () => {
  await using fixture = await makeFixture(fillScenarioRoot);
  await using workspace = await fixture.open({ clock: () => 1_700_000_000_000 });
  await keepScenarioLayer(workspace);
  const landing = await workspace.land();

  expect(landing).toEqual({
    id: landing.id,
    landedAt: new Date(1_700_000_000_000),
    heldBack: [],
    changes: [
      { path: "becomes-directory", kind: "replaced", type: "directory", callId: "scenario" },
      { path: "becomes-directory/new", kind: "added", type: "file", callId: "scenario" },
      { path: "becomes-file", kind: "replaced", type: "file", callId: "scenario" },
      { path: "becomes-file/inside", kind: "deleted", type: "file", callId: "scenario" },
      { path: "edited", kind: "modified", type: "file", callId: "scenario" },
      { path: "gone", kind: "deleted", type: "directory", callId: "scenario" },
      { path: "gone/deep", kind: "deleted", type: "directory", callId: "scenario" },
      { path: "gone/deep/file", kind: "deleted", type: "file", callId: "scenario" },
      { path: "hard-linked", kind: "modified", type: "file", callId: "scenario" },
      { path: "link", kind: "modified", type: "symlink", callId: "scenario" },
      { path: "mode-directory", kind: "mode-changed", type: "directory", callId: "scenario" },
      { path: "new", kind: "added", type: "directory", callId: "scenario" },
      { path: "new/directory", kind: "added", type: "directory", callId: "scenario" },
      { path: "new/directory/file", kind: "added", type: "file", callId: "scenario" },
      { path: "new/link", kind: "added", type: "symlink", callId: "scenario" },
      { path: "script", kind: "mode-changed", type: "file", callId: "scenario" },
    ],
  });
  expect(readTree(fixture.root)).toEqual({
    "": "directory 755",
    "becomes-directory": "directory 755",
    "becomes-directory/new": readTree(fixture.root)["becomes-directory/new"],
    "becomes-file": readTree(fixture.root)["becomes-file"],
    edited: readTree(fixture.root)["edited"],
    "hard-linked": readTree(fixture.root)["hard-linked"],
    link: "symlink elsewhere",
    "mode-directory": "directory 700",
    new: "directory 755",
    "new/directory": "directory 755",
    "new/directory/file": readTree(fixture.root)["new/directory/file"],
    "new/link": "symlink ../edited",
    "other-name": readTree(fixture.root)["other-name"],
    script: readTree(fixture.root)["script"],
    untouched: readTree(fixture.root)["untouched"],
  });
  expect(readFileSync(`${fixture.root}/edited`, "utf8")).toBe("after\n");
  expect(statSync(`${fixture.root}/edited`).mode & 0o7777).toBe(0o640);
  expect(readFileSync(`${fixture.root}/other-name`, "utf8")).toBe("two names\n");
  expect(readdirSync(`${workspace.stateDirectory}/layers`)).toEqual([]);
  expect(workspace.landings()).toEqual([{ id: landing.id, landedAt: landing.landedAt, state: "landed" }]);
});

test("land() touches nothing and names each path when the root moved", async () => {
  await using fixture = await makeFixture((root) => {
    mkdirSync(`${root}/directory`);
    for (const name of ["edited", "removed", "chmodded", "retyped", "same", "directory/file"]) {
      writeFileSync(`${root}/${name}`, "before\n");
    }
  });
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  for (const name of ["edited", "removed", "chmodded", "retyped", "same", "added"]) {
    await draft.files.writeFile(name, "by the agent\n");
  }
  await draft.files.remove("directory", { recursive: true });
  await draft.keep();
  writeFileSync(`${fixture.root}/edited`, "by somebody\n");
  writeFileSync(`${fixture.root}/added`, "by somebody\n");
  writeFileSync(`${fixture.root}/directory/precious`, "by somebody\n");
  chmodSync(`${fixture.root}/chmodded`, 0o600);
  rmSync(`${fixture.root}/removed`);
  rmSync(`${fixture.root}/retyped`);
  symlinkSync("edited", `${fixture.root}/retyped`);
  // Written anew with the same content: not a conflict.
  writeFileSync(`${fixture.root}/same`, "before\n");
  const before = readTree(fixture.root, { times: true });

  const error: unknown = await workspace.land().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LandingConflictError);
  expect(error).toMatchObject({
    message:
      'Cannot land changes: the root moved at "added" (appeared since it was first touched), "chmodded" (changed since it was first touched), "directory/precious" (appeared since it was first touched) and 3 more; nothing was landed; discard these changes or make them anew',
    conflicts: [
      { path: "added", kind: "add/add", reason: "appeared since it was first touched" },
      { path: "chmodded", kind: "mode", reason: "changed since it was first touched" },
      { path: "directory/precious", kind: "delete/new-child", reason: "appeared since it was first touched" },
      { path: "edited", kind: "edit/edit", reason: "changed since it was first touched" },
      { path: "removed", kind: "edit/delete", reason: "disappeared since it was first touched" },
      { path: "retyped", kind: "type", reason: "changed since it was first touched" },
    ],
  });
  expect(readTree(fixture.root, { times: true })).toEqual(before);
  expect((await workspace.land({ paths: ["same"] })).changes.map(({ path }) => path)).toEqual(["same"]);
});

test("land() refuses an addition whose directory is gone", async () => {
  await using fixture = await makeFixture((root) => mkdirSync(`${root}/directory`));
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("directory/new", "new\n");
  await draft.keep();
  rmdirSync(`${fixture.root}/directory`);

  await expect(workspace.land()).rejects.toMatchObject({
    conflicts: [
      { path: "directory/new", kind: "parent", reason: "its directory is missing or is no directory any more" },
    ],
  });
});

test("land() refuses to replace a socket", async () => {
  await using fixture = await makeFixture();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(`${fixture.root}/socket`, resolve));
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  writeFileSync(`${draft.directories.upper}/socket`, "by a sandbox\n");
  await draft.rescan();
  await draft.keep();

  await expect(workspace.land()).rejects.toMatchObject({
    conflicts: [
      {
        path: "socket",
        kind: "special",
        reason: "is a socket, FIFO or device, is larger than 8 GiB, or cannot be read",
      },
    ],
  });
  await new Promise((resolve) => server.close(resolve));
});

test("land() of a path brings the new directories that hold it and leaves the rest pending", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("new/deep/wanted", "wanted\n");
  await draft.files.writeFile("new/deep/later", "later\n");
  await draft.keep();
  const shown = await readView(await workspace.view());

  const landing = await workspace.land({ paths: ["wanted"] });
  expect(landing.changes.map(({ path }) => path)).toEqual(["new", "new/deep", "new/deep/wanted"]);
  expect(await workspace.changes()).toEqual([
    { path: "new/deep/later", kind: "added", type: "file", callId: "call-1" },
  ]);
  expect(await readView(await workspace.view())).toEqual(shown);
});

test("land() takes a landed path out of every layer, so that no older version shows", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/file`, "zero\n"));
  await using workspace = await fixture.open();
  for (const [callId, content] of [
    ["first", "one\n"],
    ["second", "two\n"],
  ] as const) {
    const draft = await workspace.beginLayer({ callId });
    await draft.files.writeFile("file", content);
    await draft.files.writeFile(callId, content);
    await draft.keep();
  }
  await workspace.land({ paths: ["file"] });
  writeFileSync(`${fixture.root}/file`, "three\n");

  expect(Buffer.from(await (await workspace.view()).readFile("file")).toString()).toBe("three\n");
  expect(await workspace.changes()).toEqual([
    { path: "first", kind: "added", type: "file", callId: "first" },
    { path: "second", kind: "added", type: "file", callId: "second" },
  ]);
});

test("land() holds back repository metadata at any depth and keeps it pending", async () => {
  await using fixture = await makeFixture((root) => {
    mkdirSync(`${root}/nested/.git`, { recursive: true });
    writeFileSync(`${root}/nested/.git/config`, "config\n");
    writeFileSync(`${root}/nested/file`, "file\n");
  });
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile(".git/hooks/pre-commit", "#!/bin/sh\n");
  await draft.files.writeFile("module/.GIT", "gitdir: elsewhere\n");
  await draft.files.writeFile(".gitignore", "dist\n");
  await draft.files.remove("nested", { recursive: true });
  await draft.keep();

  const landing = await workspace.land();
  expect(landing.changes.map(({ path }) => path)).toEqual([".gitignore", "module", "nested/file"]);
  const heldBack = [
    ".git",
    ".git/hooks",
    ".git/hooks/pre-commit",
    "module/.GIT",
    "nested",
    "nested/.git",
    "nested/.git/config",
  ];
  expect(landing.heldBack.map(({ path }) => path)).toEqual(heldBack);
  expect((await workspace.changes()).map(({ path }) => path)).toEqual(heldBack);
  expect(existsSync(`${fixture.root}/.git`)).toBe(false);
  expect(readFileSync(`${fixture.root}/nested/.git/config`, "utf8")).toBe("config\n");
  await expect(workspace.land({ paths: [".git"] })).rejects.toThrow(
    new ConfigurationError(
      'Cannot land ".git", ".git/hooks", ".git/hooks/pre-commit" and 2 more: repository metadata and hidden paths are never landed; select other paths, or discard these',
    ),
  );
});

test("land() rejects when nothing is pending", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open();
  await expect(workspace.land()).rejects.toThrow(
    new ConfigurationError("Cannot land changes: none are pending; change something first"),
  );
});

test("land() waits for a layer that is being written, and says whose it is when it does not end", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open({ idleWaitMs: 50 });
  const draft = await workspace.beginLayer({ callId: "slow" });
  await draft.files.writeFile("new", "new\n");
  await expect(workspace.land()).rejects.toThrow(
    new StateError('Cannot land changes: still running on the workspace: "slow"; try again when they have ended'),
  );

  await draft.keep();
  expect((await workspace.land()).changes.map(({ path }) => path)).toEqual(["new"]);
});

test.each(["stage", "save", "remove", "place", "mode", "commit"])(
  "land() puts everything back when the system refuses a step in phase %s",
  async (phase) => {
    await using fixture = await makeFixture(fillScenarioRoot);
    const cause = new Error("no space left");
    let isRefused = false;
    await using workspace = await fixture.open({
      onLandingMoment: (moment) => {
        if (moment.phase !== phase || isRefused) return;
        isRefused = true;
        throw cause;
      },
    });
    await keepScenarioLayer(workspace);
    const before = readTree(fixture.root, { times: true });
    const shown = await readView(await workspace.view());

    const error: unknown = await workspace.land().catch((thrown: unknown) => thrown);
    expect(error).toEqual(
      new StateError("Cannot land changes: the system refused a step, and all was put back as it was; see the cause"),
    );
    expect((error as StateError).cause).toBe(cause);
    expect(readTree(fixture.root, { times: true })).toEqual(before);
    await workspace.land();
    expect(readTree(fixture.root)).toEqual(shown);
  },
);

test("land() leaves what somebody wrote over a landed file, says so, and does not lock the workspace", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/file`, "old\n"));
  {
    await using workspace = await fixture.open({
      onLandingMoment: ({ phase }) => {
        if (phase !== "verify") return;
        // Somebody writes into the file at the worst moment; the landing cannot be verified and cannot be taken back.
        writeFileSync(`${fixture.root}/file`, "somebody's\n");
      },
    });
    const draft = await workspace.beginLayer({ callId: "call-1" });
    await draft.files.writeFile("file", "new\n");
    await draft.keep();
    const error: unknown = await workspace.land().catch((reason: unknown) => reason);
    const [id = ""] = readdirSync(`${workspace.stateDirectory}/landings`);
    const saved = `${workspace.stateDirectory}/landings/${id}/0`;
    expect(error).toEqual(
      new StateError(
        `Cannot roll back an interrupted landing at "file" (its former content is in "${saved}"): changed by somebody else meanwhile and left as it is; all else is as it was before, so look at what is left and try again`,
        { cause: expect.objectContaining({ code: "landing-conflict" }) },
      ),
    );
    expect(readFileSync(saved, "utf8")).toBe("old\n");
  }
  await using workspace = await fixture.open();
  expect(readFileSync(`${fixture.root}/file`, "utf8")).toBe("somebody's\n");
  expect(await workspace.changes()).toHaveLength(1);
});

test("land() lands names that are not UTF-8 and what a hard link shares", async () => {
  await using fixture = await makeFixture((root) => {
    writeFileSync(`${root}/one`, "shared\n");
    linkSync(`${root}/one`, `${root}/two`);
  });
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("caf\u{dce9}/na\u{dcef}ve", "latin\n");
  await draft.files.remove("one");
  await draft.keep();
  const landing = await workspace.land();

  expect(landing.changes[0]).toEqual({
    path: "caf\u{dce9}",
    kind: "added",
    type: "directory",
    callId: "call-1",
    pathBytes: Uint8Array.from(Buffer.from("caf\u00e9", "latin1")),
  });
  expect(Object.keys(readTree(fixture.root))).toEqual(["", "caf\u{dce9}", "caf\u{dce9}/na\u{dcef}ve", "two"]);
  expect((await workspace.undo()).changes).toEqual(landing.changes);
  expect(Object.keys(readTree(fixture.root)).toSorted()).toEqual(["", "one", "two"]);
});
