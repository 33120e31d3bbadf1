import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

import type { WorkspaceFixture } from "./support/workspace-fixture.ts";
import { makeFixture } from "./support/workspace-fixture.ts";

const CHILD = fileURLToPath(new URL("support/draft-child.ts", import.meta.url));

async function runChild(fixture: WorkspaceFixture, action: "keep" | "die", path: string): Promise<unknown> {
  const child = spawn(process.execPath, [CHILD, fixture.root, fixture.stateHome, action, path], { stdio: "inherit" });
  const [code, signal] = await once(child, "exit");
  return signal ?? code;
}

test("openWorkspace() removes the draft of a killed process, and leaves that of a living one", async () => {
  await using fixture = await makeFixture();
  await using living = await fixture.open();
  const draft = await living.beginLayer({ callId: "living" });
  await draft.files.writeFile("living", "living\n");
  expect(await runChild(fixture, "die", "dead")).toBe("SIGKILL");
  expect(readdirSync(`${living.stateDirectory}/layers`)).toEqual(["1", "2"]);

  await using _other = await fixture.open();
  expect(readdirSync(`${living.stateDirectory}/layers`)).toEqual(["1"]);
  await draft.keep();
  expect((await living.changes()).map(({ path }) => path)).toEqual(["living"]);
});

test("land() does not wait for a killed process's draft", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open({ idleWaitMs: 0 });
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("file", "file\n");
  await draft.keep();
  await runChild(fixture, "die", "dead");
  expect((await workspace.land()).changes.map(({ path }) => path)).toEqual(["file"]);
});

test("keep() of several processes at a time loses no layer", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open();
  const paths = ["one", "two", "three", "four"];
  expect(await Promise.all(paths.map(async (path) => runChild(fixture, "keep", path)))).toEqual([0, 0, 0, 0]);
  expect((await workspace.changes()).map(({ path }) => path)).toEqual(paths.toSorted());
  await workspace.land();
  expect(readdirSync(fixture.root)).toEqual(paths.toSorted());
});
