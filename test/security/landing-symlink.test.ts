import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";

import { expect, test } from "vitest";

import type { LandingMoment } from "../../src/workspace/landing/landing-step.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import type { Tree, WorkspaceFixture } from "../workspace/support/workspace-fixture.ts";
import { makeFixture, readTree } from "../workspace/support/workspace-fixture.ts";

/** Whatever a layer holds and whatever moves meanwhile, landing and undo touch nothing outside of the root. */

async function makeVictim(): Promise<WorkspaceFixture> {
  const fixture = await makeFixture((root) => {
    mkdirSync(`${root}/directory/deep`, { recursive: true });
    writeFileSync(`${root}/directory/deep/file`, "in the root\n");
    writeFileSync(`${root}/directory/removed`, "in the root\n");
  });
  mkdirSync(`${fixture.base}/outside/deep`, { recursive: true });
  writeFileSync(`${fixture.base}/outside/deep/file`, "canary\n");
  writeFileSync(`${fixture.base}/outside/removed`, "canary\n");
  writeFileSync(`${fixture.base}/outside/canary`, "canary\n");
  return fixture;
}

async function keepChanges(workspace: Workspace): Promise<void> {
  const draft = await workspace.beginLayer({ callId: "hostile" });
  await draft.files.writeFile("directory/deep/file", "attack\n");
  await draft.files.setMode("directory/deep", 0o777);
  await draft.files.remove("directory/removed");
  await draft.files.writeFile("directory/added/file", "attack\n");
  await draft.files.makeSymlink("/etc/passwd", "directory/added/link");
  await draft.keep();
}

function outside(fixture: WorkspaceFixture): Tree {
  return readTree(`${fixture.base}/outside`, { times: true });
}

/** Puts a symlink to the outside where a directory was. */
function swapForLink(fixture: WorkspaceFixture): void {
  renameSync(`${fixture.root}/directory`, `${fixture.base}/moved-away`);
  symlinkSync(`${fixture.base}/outside`, `${fixture.root}/directory`);
}

test("land() refuses when an ancestor became a symlink before it, and touches nothing outside", async () => {
  await using fixture = await makeVictim();
  await using workspace = await fixture.open();
  await keepChanges(workspace);
  const before = outside(fixture);
  swapForLink(fixture);

  await expect(workspace.land()).rejects.toMatchObject({ code: "landing-conflict" });
  expect(outside(fixture)).toEqual(before);
  expect(readTree(fixture.root)).toEqual({
    "": "directory 755",
    directory: `symlink ${fixture.base}/outside`,
  });
});

/** Nothing in the root has been changed yet, and the swap is noticed. */
const PREPARING: readonly LandingMoment["phase"][] = ["begin", "stage", "save"];
/** Paths are changed in a directory that is open by then, and that is out of reach when they should go back. */
const APPLYING: readonly LandingMoment["phase"][] = ["intend", "remove", "place", "mode", "verify"];

/** Opens a workspace in which an ancestor is swapped once in a phase, after `arm` was called. */
async function openArmed(
  fixture: WorkspaceFixture,
  phase: LandingMoment["phase"],
): Promise<{ readonly workspace: Workspace; readonly arm: () => void }> {
  let isArmed = false;
  const workspace = await fixture.open({
    onLandingMoment: (moment) => {
      if (moment.phase !== phase || !isArmed) return;
      isArmed = false;
      swapForLink(fixture);
    },
  });
  return { workspace, arm: () => (isArmed = true) };
}

function swapBack(fixture: WorkspaceFixture): void {
  rmSync(`${fixture.root}/directory`);
  renameSync(`${fixture.base}/moved-away`, `${fixture.root}/directory`);
}

/** The content of every file that landings have saved. */
function savedContents(workspace: Workspace): readonly string[] {
  return readdirSync(`${workspace.stateDirectory}/landings`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, "utf8"));
}

test.each(PREPARING)("land() touches nothing when an ancestor becomes a symlink in phase %s", async (phase) => {
  await using fixture = await makeVictim();
  const { workspace, arm } = await openArmed(fixture, phase);
  await using _closing = workspace;
  await keepChanges(workspace);
  const before = outside(fixture);
  arm();

  await expect(workspace.land()).rejects.toMatchObject({ code: expect.stringMatching(/^(?:landing-conflict|state)$/) });
  expect(outside(fixture)).toEqual(before);
  expect(savedContents(workspace)).toEqual([]);

  swapBack(fixture);
  await workspace.land();
  expect(readFileSync(`${fixture.root}/directory/deep/file`, "utf8")).toBe("attack\n");
  expect(outside(fixture)).toEqual(before);
});

test.each(APPLYING)("land() touches nothing outside when an ancestor becomes a symlink in phase %s", async (phase) => {
  await using fixture = await makeVictim();
  const { workspace, arm } = await openArmed(fixture, phase);
  await using _closing = workspace;
  await keepChanges(workspace);
  const before = outside(fixture);
  arm();

  await expect(workspace.land()).rejects.toThrow(/^Cannot roll back an interrupted landing at "directory/);
  expect(outside(fixture)).toEqual(before);
  expect(savedContents(workspace)).toEqual(["in the root\n", "in the root\n"]);
  await using _reopened = await fixture.open();
});

test.each(PREPARING)("undo() touches nothing when an ancestor becomes a symlink in phase %s", async (phase) => {
  await using fixture = await makeVictim();
  const { workspace, arm } = await openArmed(fixture, phase);
  await using _closing = workspace;
  const original = readTree(fixture.root);
  await keepChanges(workspace);
  await workspace.land();
  const before = outside(fixture);
  arm();

  await expect(workspace.undo()).rejects.toMatchObject({ code: expect.stringMatching(/^(?:landing-conflict|state)$/) });
  expect(outside(fixture)).toEqual(before);

  swapBack(fixture);
  await workspace.undo();
  expect(readTree(fixture.root)).toEqual(original);
  expect(outside(fixture)).toEqual(before);
});

test.each(APPLYING)("undo() touches nothing outside when an ancestor becomes a symlink in phase %s", async (phase) => {
  await using fixture = await makeVictim();
  const { workspace, arm } = await openArmed(fixture, phase);
  await using _closing = workspace;
  await keepChanges(workspace);
  await workspace.land();
  const before = outside(fixture);
  arm();

  await expect(workspace.undo()).rejects.toThrow(/^Cannot roll back an interrupted landing at "directory/);
  expect(outside(fixture)).toEqual(before);
  expect(savedContents(workspace)).toContain("attack\n");
  await using _reopened = await fixture.open();
});

test("land() replaces a symlink itself and not what it points to", async () => {
  await using fixture = await makeFixture();
  writeFileSync(`${fixture.base}/canary`, "canary\n");
  symlinkSync(`${fixture.base}/canary`, `${fixture.root}/link`);
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.remove("link");
  await draft.files.writeFile("link", "a file now\n");
  await draft.keep();
  await workspace.land();

  expect(readFileSync(`${fixture.root}/link`, "utf8")).toBe("a file now\n");
  expect(readFileSync(`${fixture.base}/canary`, "utf8")).toBe("canary\n");
});

test("land() refuses when a file became a symlink to the outside", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/script`, "#!/bin/sh\n"));
  writeFileSync(`${fixture.base}/canary`, "#!/bin/sh\n");
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.setMode("script", 0o777);
  await draft.keep();
  rmSync(`${fixture.root}/script`);
  symlinkSync(`${fixture.base}/canary`, `${fixture.root}/script`);

  await expect(workspace.land()).rejects.toMatchObject({
    conflicts: [{ path: "script", reason: "changed since it was first touched" }],
  });
  expect(readTree(fixture.base)["canary"]).toBe(readTree(fixture.base)["canary"]?.replace(/^file \d+/, "file 644"));
});
