import { mkdirSync, readdirSync, writeFileSync } from "node:fs";

import { expect, test } from "vitest";

import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { makeFixture, readTree, readView } from "./support/workspace-fixture.ts";

test("discard() without a selection drops everything and says what it was", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/file`, "before\n"));
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("file", "after\n");
  await draft.files.writeFile(".git/config", "hostile\n");
  await draft.keep();
  const pending = await workspace.changes();

  expect(await workspace.discard()).toEqual(pending);
  expect(await workspace.changes()).toEqual([]);
  expect(await workspace.diff()).toBe("");
  expect(await workspace.discard()).toEqual([]);
  expect(readdirSync(`${workspace.stateDirectory}/layers`)).toEqual([]);
});

test("discard() of a new directory takes all in it, and of a deletion brings back the directories above", async () => {
  await using fixture = await makeFixture((root) => {
    mkdirSync(`${root}/gone/deep`, { recursive: true });
    writeFileSync(`${root}/gone/deep/wanted`, "wanted\n");
    writeFileSync(`${root}/gone/unwanted`, "unwanted\n");
  });
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.remove("gone", { recursive: true });
  await draft.files.writeFile("new/deep/file", "new\n");
  await draft.keep();

  const restored = await workspace.discard({ paths: ["wanted"] });
  expect(restored.map(({ path }) => path)).toEqual(["gone", "gone/deep", "gone/deep/wanted"]);
  const dropped = await workspace.discard({ paths: ["/new/deep"] });
  expect(dropped.map(({ path }) => path)).toEqual(["new/deep", "new/deep/file"]);
  expect((await workspace.changes()).map(({ path, kind }) => [path, kind])).toEqual([
    ["gone/unwanted", "deleted"],
    ["new", "added"],
  ]);
  await workspace.land();
  expect(Object.keys(readTree(fixture.root)).toSorted()).toEqual(["", "gone", "gone/deep", "gone/deep/wanted", "new"]);
});

test("discard() takes a path out of all layers, not only the last", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/file`, "zero\n"));
  await using workspace = await fixture.open();
  const before = await readView(await workspace.view());
  for (const content of ["one\n", "two\n"]) {
    const draft = await workspace.beginLayer({ callId: content.trim() });
    await draft.files.writeFile("file", content);
    await draft.keep();
  }
  await workspace.discard({ paths: ["file"] });
  expect(await readView(await workspace.view())).toEqual(before);
});

test("discard() leaves layers that it does not touch where they are", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open();
  for (const name of ["large", "small"]) {
    const draft = await workspace.beginLayer({ callId: name });
    await draft.files.writeFile(`${name}/file`, `${name}\n`);
    await draft.files.writeFile(`${name}/other`, `${name}\n`);
    await draft.keep();
  }
  const [large] = (await workspace.view()).layers;
  await workspace.discard({ paths: ["small/file"] });

  const after = (await workspace.view()).layers;
  expect(after[0]).toEqual(large);
  expect(after[1]?.entries.map(({ path }) => path)).toEqual(["small", "small/other"]);
});

test("discard() rejects a selection that selects nothing", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.writeFile("file", "after\n");
  await draft.keep();
  await expect(workspace.discard({ paths: ["flie"] })).rejects.toThrow(
    new ConfigurationError('Cannot select "flie": no pending change matches; the nearest are "file"'),
  );
});
