import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

import { expect, test } from "vitest";

import { openWorkspace } from "../../src/workspace/workspace.ts";
import { makeFixture, readTree } from "./support/workspace-fixture.ts";

/** Work that somebody moves into the root while a layer is open was seen by nobody, so that landing must not take it. */

function fill(root: string): void {
  mkdirSync(`${root}/src/deep`, { recursive: true });
  mkdirSync(`${root}/build`);
  writeFileSync(`${root}/src/a.ts`, "old\n");
  writeFileSync(`${root}/src/deep/b.ts`, "old\n");
  writeFileSync(`${root}/build/out`, "old\n");
  mkdirSync(`${root}/elsewhere/deep`, { recursive: true });
  writeFileSync(`${root}/elsewhere/a.ts`, "precious\n");
  writeFileSync(`${root}/elsewhere/deep/b.ts`, "precious\n");
  mkdirSync(`${root}/stuff`);
  writeFileSync(`${root}/stuff/thesis.txt`, "precious\n");
}

const REASON = "changed while the call that touched it was running";

test("land() refuses files below a directory that another one was renamed over while the layer was open", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  renameSync(`${fixture.root}/src`, `${fixture.root}/src.old`);
  renameSync(`${fixture.root}/elsewhere`, `${fixture.root}/src`);
  await draft.files.writeFile("src/a.ts", "by the agent\n");
  await draft.files.remove("src/deep/b.ts");
  await draft.keep();
  const before = readTree(fixture.root);

  await expect(workspace.land()).rejects.toMatchObject({
    conflicts: [
      { path: "src/a.ts", reason: REASON },
      { path: "src/deep/b.ts", reason: REASON },
    ],
  });
  expect(readTree(fixture.root)).toEqual(before);
});

test("land() refuses to remove a directory into which another one was renamed while the layer was open", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.remove("build", { recursive: true });
  renameSync(`${fixture.root}/stuff`, `${fixture.root}/build/stuff`);
  await draft.keep();
  const before = readTree(fixture.root);

  await expect(workspace.land()).rejects.toMatchObject({
    conflicts: ["build", "build/out", "build/stuff", "build/stuff/thesis.txt"].map((path) => ({
      path,
      reason: REASON,
    })),
  });
  expect(readTree(fixture.root)).toEqual(before);
});

test("land() takes changes beside others that came into the root while the layer was open", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  writeFileSync(`${fixture.root}/build/theirs`, "theirs\n");
  writeFileSync(`${fixture.root}/theirs`, "theirs\n");
  await draft.files.writeFile("src/a.ts", "by the agent\n");
  await draft.files.writeFile("build/ours", "by the agent\n");
  await draft.files.remove("stuff", { recursive: true });
  await draft.keep();

  expect((await workspace.land()).changes.map(({ path }) => path)).toEqual([
    "build/ours",
    "src/a.ts",
    "stuff",
    "stuff/thesis.txt",
  ]);
});

const OTHER_DEVICE = "/dev/shm";
const hasOtherDevice =
  process.platform === "linux" && existsSync(OTHER_DEVICE) && statSync(OTHER_DEVICE).dev !== statSync(tmpdir()).dev;

test.runIf(hasOtherDevice)("land() notices what changed in a root on another device than the state", async () => {
  await using fixture = await makeFixture();
  const root = mkdtempSync(`${OTHER_DEVICE}/cofferdam-root-`);
  try {
    fill(root);
    utimesSync(root, 1_000_000_000, 1_000_000_000);
    await using workspace = await openWorkspace({ root, stateHome: fixture.stateHome });
    const draft = await workspace.beginLayer({ callId: "call-1" });
    writeFileSync(`${root}/src/a.ts`, "theirs\n");
    await draft.files.writeFile("src/a.ts", "by the agent\n");
    await draft.files.writeFile("build/out", "by the agent\n");
    await draft.keep();

    await expect(workspace.land()).rejects.toMatchObject({ conflicts: [{ path: "src/a.ts", reason: REASON }] });
    await workspace.land({ paths: ["build"] });
  } finally {
    rmSync(root, { recursive: true });
  }
});
