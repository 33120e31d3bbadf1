import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

import { expect, test } from "vitest";

import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import { StateError } from "../../../src/errors/state-error.ts";
import { fillScenarioRoot, keepScenarioLayer } from "../support/landing-scenario.ts";
import { makeFixture, readTree } from "../support/workspace-fixture.ts";

test("undo() restores content, modes, types and times, and keeps hard links together", async () => {
  await using fixture = await makeFixture(fillScenarioRoot);
  await using workspace = await fixture.open();
  const before = readTree(fixture.root, { times: true });
  await keepScenarioLayer(workspace);
  const landing = await workspace.land();

  expect(await workspace.undo()).toEqual(landing);
  expect(readTree(fixture.root, { times: true })).toEqual(before);
  writeFileSync(`${fixture.root}/other-name`, "written under one name\n");
  expect(readFileSync(`${fixture.root}/hard-linked`, "utf8")).toBe("written under one name\n");
  expect(workspace.landings()).toEqual([{ id: landing.id, landedAt: landing.landedAt, state: "undone" }]);
  expect(readdirSync(`${workspace.stateDirectory}/landings`)).toEqual([]);
});

test("undo() takes back landings from the last to the first, and a named one out of turn", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open();
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const draft = await workspace.beginLayer({ callId: name });
    await draft.files.writeFile(name, `${name}\n`);
    await draft.keep();
    ids.push((await workspace.land()).id);
  }
  const [one = "", two = "", three = ""] = ids;

  expect((await workspace.undo(two)).id).toBe(two);
  expect(readdirSync(fixture.root)).toEqual(["one", "three"]);
  expect((await workspace.undo()).id).toBe(three);
  expect((await workspace.undo()).id).toBe(one);
  expect(readdirSync(fixture.root)).toEqual([]);
  await expect(workspace.undo()).rejects.toThrow(
    new ConfigurationError(
      "Cannot undo a landing: nothing has been landed, or all of it was taken back; land something first",
    ),
  );
  await expect(workspace.undo(two)).rejects.toThrow(
    new ConfigurationError(`Cannot undo landing "${two}": it was taken back before; name another one`),
  );
  await expect(workspace.undo("0badcafe")).rejects.toThrow(
    new ConfigurationError('Cannot undo landing "0badcafe": no landing has this id; "cofferdam status" lists them'),
  );
});

test("undo() touches nothing when newer work would be lost", async () => {
  await using fixture = await makeFixture((root) => {
    writeFileSync(`${root}/edited`, "before\n");
    writeFileSync(`${root}/chmodded`, "before\n");
  });
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("edited", "landed\n");
  await draft.files.writeFile("chmodded", "landed\n");
  await draft.files.writeFile("new/file", "landed\n");
  await draft.keep();
  await workspace.land();
  writeFileSync(`${fixture.root}/edited`, "newer\n");
  writeFileSync(`${fixture.root}/new/precious`, "newer\n");
  chmodSync(`${fixture.root}/chmodded`, 0o600);
  const before = readTree(fixture.root, { times: true });

  await expect(workspace.undo()).rejects.toMatchObject({
    message:
      'Cannot undo the landing: newer work at "chmodded" (changed since it was landed), "edited" (changed since it was landed), "new" (holds "precious", which is not part of the changes); nothing was undone; move that work away first',
    conflicts: [
      { path: "chmodded", reason: "changed since it was landed" },
      { path: "edited", reason: "changed since it was landed" },
      { path: "new", reason: 'holds "precious", which is not part of the changes' },
    ],
  });
  expect(readTree(fixture.root, { times: true })).toEqual(before);
});

test("undo() refuses while a pending change builds on what was landed", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open();
  for (const path of ["directory/file", "directory/later"]) {
    const draft = await workspace.beginLayer({ callId: path });
    await draft.files.writeFile(path, "content\n");
    await draft.keep();
    if (path === "directory/file") await workspace.land();
  }

  await expect(workspace.undo()).rejects.toMatchObject({
    conflicts: [{ path: "directory", reason: "a pending change touches it; land or discard that first" }],
  });
  await workspace.discard();
  await workspace.undo();
  expect(readdirSync(fixture.root)).toEqual([]);
});

test("undo() refuses to restore a saved content that was tampered with, and leaves the landing as it is", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/file`, "before\n"));
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("file", "landed\n");
  await draft.keep();
  const { id } = await workspace.land();
  writeFileSync(`${workspace.stateDirectory}/landings/${id}/0`, "tampered\n");

  await expect(workspace.undo()).rejects.toThrow(
    new StateError('Cannot restore "file": its saved content is missing or was changed; restore it from another copy'),
  );
  expect(readFileSync(`${fixture.root}/file`, "utf8")).toBe("landed\n");
  expect(workspace.landings().map(({ state }) => state)).toEqual(["landed"]);
});

test("undo() brings back a deleted directory that holds nothing else", async () => {
  await using fixture = await makeFixture((root) => mkdirSync(`${root}/empty`, { mode: 0o750 }));
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.remove("empty");
  await draft.keep();
  await workspace.land();
  expect(readdirSync(fixture.root)).toEqual([]);
  await workspace.undo();
  expect(readTree(fixture.root)).toEqual({ "": "directory 755", empty: "directory 750" });
});
