import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

import { StateError } from "../../../src/errors/state-error.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import type { WorkspaceFixture } from "../support/workspace-fixture.ts";
import { makeFixture, readTree } from "../support/workspace-fixture.ts";

/** Somebody else edits the root while a landing is under way: what they wrote stays, and all else is put back. */

const CHILD = fileURLToPath(new URL("../support/landing-child.ts", import.meta.url));
const NAMES = ["a", "b", "c", "d"];

async function makeEdited(): Promise<WorkspaceFixture> {
  const fixture = await makeFixture((root) => {
    mkdirSync(`${root}/gone`);
    writeFileSync(`${root}/gone/file`, "before");
    for (const name of NAMES) writeFileSync(`${root}/${name}`, `before ${name}`);
  });
  await using workspace = await fixture.open();
  await keepEdits(workspace);
  return fixture;
}

async function keepEdits(workspace: Workspace): Promise<void> {
  const draft = await workspace.beginLayer({ callId: "call-1" });
  for (const name of NAMES) await draft.files.writeFile(name, `after ${name}`);
  await draft.files.remove("gone", { recursive: true });
  await draft.files.writeFile("new/file", "after");
  await draft.keep();
}

/** Dies before a numbered moment of a phase, counted from 0. */
async function dieWhileLanding(fixture: WorkspaceFixture, phase: string, index: number): Promise<void> {
  const moments: string[] = [];
  {
    await using copy = await makeEdited();
    await using workspace = await copy.open({ onLandingMoment: (moment) => void moments.push(moment.phase) });
    await workspace.land();
  }
  const killAt = moments.indexOf(phase) + index;
  expect(moments[killAt]).toBe(phase);
  const child = spawn(process.execPath, [CHILD, fixture.root, fixture.stateHome, "land", String(killAt)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

test("land() puts all else back when somebody edits a path while it stages, and can be done again", async () => {
  await using fixture = await makeEdited();
  let isArmed = true;
  await using workspace = await fixture.open({
    onLandingMoment: ({ phase }) => {
      if (phase === "intend" && isArmed) writeFileSync(`${fixture.root}/d`, "by somebody else");
    },
  });
  const before = readTree(fixture.root);

  await expect(workspace.land()).rejects.toMatchObject({
    code: "landing-conflict",
    conflicts: [{ path: "d", reason: "changed while it was being applied" }],
  });
  expect(readTree(fixture.root)).toEqual({ ...before, d: 'file 644 "by somebody else"' });
  isArmed = false;
  await workspace.land({ paths: ["a", "b", "c", "gone", "new"] });
  expect(readFileSync(`${fixture.root}/a`, "utf8")).toBe("after a");
});

test("openWorkspace() leaves an edit of a path that was not landed yet, and puts all else back", async () => {
  await using fixture = await makeEdited();
  const before = readTree(fixture.root);
  await dieWhileLanding(fixture, "place", 2);
  writeFileSync(`${fixture.root}/d`, "by somebody else");

  await using workspace = await fixture.open();
  expect(readTree(fixture.root)).toEqual({ ...before, d: 'file 644 "by somebody else"' });
  expect(readdirSync(`${workspace.stateDirectory}/landings`)).toEqual([]);
});

test("openWorkspace() leaves an edit of a landed path, puts all else back, and says once where the old content is", async () => {
  await using fixture = await makeEdited();
  const before = readTree(fixture.root);
  await dieWhileLanding(fixture, "place", 3);
  writeFileSync(`${fixture.root}/a`, "by somebody else");
  rmSync(`${fixture.root}/b`);

  const error: unknown = await fixture.open().then(
    async (workspace) => workspace[Symbol.asyncDispose](),
    (reason: unknown) => reason,
  );
  const { b: _removed, ...others } = before;
  expect(readTree(fixture.root)).toEqual({ ...others, a: 'file 644 "by somebody else"' });
  await using workspace = await fixture.open();
  const [id = ""] = readdirSync(`${workspace.stateDirectory}/landings`);
  const saved = `${workspace.stateDirectory}/landings/${id}`;
  expect(error).toEqual(
    new StateError(
      `Cannot roll back an interrupted landing at "a" (its former content is in "${saved}/0"), "b" (its former content is in "${saved}/1"): changed by somebody else meanwhile and left as it is; all else is as it was before, so look at what is left and try again`,
    ),
  );
  expect(readFileSync(`${saved}/0`, "utf8")).toBe("before a");
  expect(readFileSync(`${saved}/1`, "utf8")).toBe("before b");
  expect(readdirSync(saved)).toEqual(["0", "1"]);
  expect((await workspace.changes()).map(({ path }) => path)).toEqual([
    ...NAMES,
    "gone",
    "gone/file",
    "new",
    "new/file",
  ]);
});

test("openWorkspace() leaves what somebody put into a directory that was landed", async () => {
  await using fixture = await makeEdited();
  const before = readTree(fixture.root);
  await dieWhileLanding(fixture, "verify", 0);
  writeFileSync(`${fixture.root}/new/theirs`, "by somebody else");

  await expect(fixture.open()).rejects.toThrow(
    new StateError(
      'Cannot roll back an interrupted landing at "new": changed by somebody else meanwhile and left as it is; all else is as it was before, so look at what is left and try again',
    ),
  );
  await using workspace = await fixture.open();
  expect(readTree(fixture.root)).toEqual({
    ...before,
    new: "directory 755",
    "new/theirs": 'file 644 "by somebody else"',
  });
  expect(readdirSync(`${workspace.stateDirectory}/landings`)).toEqual([]);
});
