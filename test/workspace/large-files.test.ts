import { openSync, closeSync, ftruncateSync, mkdirSync, writeFileSync } from "node:fs";

import { expect, test } from "vitest";

import { makeFixture } from "./support/workspace-fixture.ts";

/** A guest makes a file of terabytes at no cost; the engine must not pay for it. */

const TERABYTE = 2 ** 40;
const GIB = 2 ** 30;

function makeSparse(path: string, sizeBytes: number): void {
  const file = openSync(path, "w");
  ftruncateSync(file, sizeBytes);
  closeSync(file);
}

test("rescan() refuses a file that is too large, and what was there before shows", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/grown`, "small\n"));
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  makeSparse(`${draft.directories.upper}/big`, 4 * TERABYTE);
  makeSparse(`${draft.directories.upper}/grown`, 8 * GIB + 1);
  writeFileSync(`${draft.directories.upper}/kept`, "kept\n");

  const reason = "it is larger than 8 GiB, so this version of it was left out; keep such a file elsewhere";
  expect(await draft.rescan()).toEqual([
    { path: "big", reason },
    { path: "grown", reason },
  ]);
  await draft.keep();
  expect((await workspace.changes()).map(({ path }) => path)).toEqual(["kept"]);
  expect(Buffer.from(await (await workspace.view()).readFile("grown")).toString()).toBe("small\n");
});

test("keep(), changes() and diff() read no more of large files than a bounded part", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open();
  const first = await workspace.beginLayer({ callId: "first" });
  const { upper } = first.directories;
  mkdirSync(`${upper}/d`);
  for (let index = 0; index < 64; index += 1) makeSparse(`${upper}/d/${index}`, 8 * GIB);
  await first.rescan();
  await first.keep();
  const second = await workspace.beginLayer({ callId: "second" });
  for (let index = 0; index < 64; index += 1) {
    await second.files.remove(`d/${index}`);
    makeSparse(`${second.directories.upper}/moved-${index}`, 8 * GIB);
  }
  const entries = second.files.entries();
  await second.rescan(entries);
  await second.keep();

  expect(await workspace.changes()).toHaveLength(65);
  expect((await workspace.diff()).match(/Binary files \/dev\/null and b\/moved-\d+ differ/g)).toHaveLength(64);
}, 60_000);

test("rescan() takes a large file that may be the same for a changed one instead of reading on", async () => {
  const sizeBytes = 256 * 2 ** 20;
  await using fixture = await makeFixture((root) => {
    for (let index = 0; index < 32; index += 1) makeSparse(`${root}/${index}`, sizeBytes);
  });
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  for (let index = 0; index < 32; index += 1) makeSparse(`${draft.directories.upper}/${index}`, sizeBytes);
  await draft.rescan();
  // Two of them were compared, and found to be the same.
  expect(draft.files.entries()).toHaveLength(30);
}, 60_000);

test("diff() names files beyond what it reads in all, and changes() lists them", async () => {
  await using fixture = await makeFixture();
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  for (const name of ["a", "b", "c"]) makeSparse(`${draft.directories.upper}/${name}`, 30 * 2 ** 20);
  await draft.rescan();
  await draft.keep();

  const lines = (await workspace.diff()).split("\n");
  expect(lines.filter((line) => line.startsWith("index "))).toHaveLength(2);
  expect(lines.slice(-4)).toEqual([
    "diff --git a/c b/c",
    "new file mode 100644",
    "Binary files /dev/null and b/c differ",
    "",
  ]);
  expect(await workspace.changes()).toHaveLength(3);
});
