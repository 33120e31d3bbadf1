import { mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, asyncProperty, constant, nat, oneof, string } from "fast-check";
import { expect, it } from "vitest";
import { openOutputStore } from "../../src/state/output-store.ts";
import type { OutputStoreOptions } from "../../src/state/output-store.ts";

const DAY_MS = 86_400_000;

async function scratch(options: Partial<OutputStoreOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-outputs-"));
  return {
    directory,
    open: async () => await openOutputStore({ directory, ...options }),
    [Symbol.asyncDispose]: async () => await rm(directory, { recursive: true }),
  };
}

it("OutputStore.keep() writes a file that only its owner reads, under a random id", async () => {
  await using place = await scratch();
  const store = await place.open();
  const ids = [await store.keep("one"), await store.keep("one")];
  expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)]);
  expect(new Set(await readdir(place.directory))).toEqual(new Set(ids.map((id) => `${id}.txt`)));
  expect((await stat(join(place.directory, `${ids[0]}.txt`))).mode & 0o777).toBe(0o600);
});

it("OutputStore.read() gives any part of any text exactly as it was kept", async () => {
  await using place = await scratch();
  const store = await place.open();
  const text = oneof(string({ unit: "binary" }), string({ unit: "grapheme" }), constant("\uD83D half \uDE00"));
  await assert(
    asyncProperty(text, nat(40), nat(40), async (whole, offset, limit) => {
      const slice = await store.read(await store.keep(whole), { offset, limit });
      expect(slice).toEqual({ text: whole.slice(offset, offset + limit), characters: whole.length });
    }),
    { numRuns: 100 },
  );
});

it.each(["../state", "0".repeat(31), "A".repeat(32), "", `${"0".repeat(32)}/..`, "0".repeat(32)])(
  "OutputStore.read() finds nothing when the id is %j",
  async (id) => {
    await using place = await scratch();
    expect(await (await place.open()).read(id, { offset: 0, limit: 10 })).toBeUndefined();
  },
);

it("OutputStore.read() does not follow a symlink that lies where an output would", async () => {
  await using place = await scratch();
  const store = await place.open();
  await symlink("/etc/passwd", join(place.directory, `${"0".repeat(32)}.txt`));
  await expect(store.read("0".repeat(32), { offset: 0, limit: 10 })).rejects.toMatchObject({ code: "ELOOP" });
});

it("openOutputStore() removes what is older than seven days, and nothing that is not its own", async () => {
  await using place = await scratch();
  const store = await place.open();
  const [old, young] = [await store.keep("old"), await store.keep("young")];
  await writeFile(join(place.directory, "notes.txt"), "");
  const at = (ageMs: number): Date => new Date(Date.now() - ageMs);
  await utimes(join(place.directory, `${old}.txt`), at(7 * DAY_MS + 60_000), at(7 * DAY_MS + 60_000));
  await utimes(join(place.directory, `${young}.txt`), at(7 * DAY_MS - 60_000), at(7 * DAY_MS - 60_000));
  await utimes(join(place.directory, "notes.txt"), at(30 * DAY_MS), at(30 * DAY_MS));
  await place.open();
  expect((await readdir(place.directory)).toSorted()).toEqual([`${young}.txt`, "notes.txt"].toSorted());
});

it("openOutputStore() removes the oldest when all of them take too much", async () => {
  // Each of the outputs takes 22 bytes: ten characters and the mark.
  await using place = await scratch({ maxBytes: 44 });
  const store = await place.open();
  const ids: string[] = [];
  for (const ageMs of [3_000, 1_000, 2_000]) {
    const id = await store.keep("0123456789");
    const writtenAt = new Date(Date.now() - ageMs);
    await utimes(join(place.directory, `${id}.txt`), writtenAt, writtenAt);
    ids.push(id);
  }
  await place.open();
  expect((await readdir(place.directory)).toSorted()).toEqual([`${ids[1]}.txt`, `${ids[2]}.txt`].toSorted());
});
