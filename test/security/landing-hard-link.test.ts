import { linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";

import { expect, test } from "vitest";

import { makeFixture, readTree } from "../workspace/support/workspace-fixture.ts";

/** A file of the root may have another name outside of it (package stores, copies made of links), which is nobody's to change. */

test("land() and undo() of a mode change nothing outside through a hard link", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/script`, "#!/bin/sh\n", { mode: 0o644 }));
  mkdirSync(`${fixture.base}/outside`);
  linkSync(`${fixture.root}/script`, `${fixture.base}/outside/script`);
  const before = readTree(`${fixture.base}/outside`, { times: true });
  const original = readTree(fixture.root, { times: true });
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.setMode("script", 0o777);
  await draft.keep();

  await workspace.land();
  expect(readTree(`${fixture.base}/outside`, { times: true })).toEqual(before);
  expect(statSync(`${fixture.root}/script`).mode & 0o7777).toBe(0o777);
  await workspace.undo();
  expect(readTree(`${fixture.base}/outside`, { times: true })).toEqual(before);
  expect(readTree(fixture.root, { times: true })).toEqual(original);
});

test("undo() of a mode changes nothing outside when the file got a hard link after it was landed", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/script`, "#!/bin/sh\n", { mode: 0o644 }));
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.setMode("script", 0o777);
  await draft.keep();
  await workspace.land();
  mkdirSync(`${fixture.base}/outside`);
  linkSync(`${fixture.root}/script`, `${fixture.base}/outside/script`);

  await workspace.undo();
  expect(readTree(`${fixture.base}/outside`)["script"]).toMatch(/^file 777 /);
  expect(readTree(fixture.root)["script"]).toMatch(/^file 644 /);
});

test.each([
  ["gets a hard link", (root: string, outside: string) => linkSync(`${root}/script`, `${outside}/script`)],
  ["is written to", (root: string) => writeFileSync(`${root}/script`, "#!/bin/bash\n")],
])("land() refuses a mode when the file %s while it lands", async (_name, interfere) => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/script`, "#!/bin/sh\n", { mode: 0o644 }));
  mkdirSync(`${fixture.base}/outside`);
  await using workspace = await fixture.open({
    onLandingMoment: ({ phase }) => {
      if (phase === "mode") interfere(fixture.root, `${fixture.base}/outside`);
    },
  });
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.setMode("script", 0o777);
  await draft.keep();

  await expect(workspace.land()).rejects.toMatchObject({
    conflicts: [{ path: "script", reason: "changed while it was being applied" }],
  });
  expect(statSync(`${fixture.root}/script`).mode & 0o7777).toBe(0o644);
  expect(readFileSync(`${fixture.root}/script`, "utf8")).toMatch(/^#!/);
});
