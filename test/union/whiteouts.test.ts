import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { createWhiteoutMaker, isWhiteout, prepareWhiteouts } from "../../src/union/whiteouts.ts";

let base: string;

beforeEach(async () => {
  base = await mkdtemp(`${tmpdir()}/whiteouts-`);
  await mkdir(`${base}/upper`);
});

afterEach(() => rm(base, { recursive: true, force: true }));

describe("WhiteoutMaker.place()", () => {
  test("makes one device and gives it a name per deletion", async () => {
    const maker = createWhiteoutMaker({ directory: base });
    const placed = await Promise.all(["a", "b", "c"].map((name) => maker.place(`${base}/upper/${name}`)));
    expect(placed).toEqual([true, true, true]);
    const stats = await Promise.all(["a", "b", "c"].map((name) => lstat(`${base}/upper/${name}`)));
    expect(stats.map(isWhiteout)).toEqual([true, true, true]);
    expect(new Set(stats.map(({ ino }) => ino)).size).toBe(1);
  });

  test("takes a name that is not UTF-8", async () => {
    const hostPath = Buffer.concat([Buffer.from(`${base}/upper/`), Buffer.of(0xff)]);
    expect(await createWhiteoutMaker({ directory: base }).place(hostPath)).toBe(true);
    expect(isWhiteout(await lstat(hostPath))).toBe(true);
  });

  test("gives false, and leaves nothing, when no device can be made", async () => {
    const maker = createWhiteoutMaker({ directory: base, spawnMknod: () => Promise.resolve(false) });
    expect(await maker.place(`${base}/upper/a`)).toBe(false);
    expect(await readdir(base, { recursive: true })).toEqual(["upper"]);
  });

  test("gives false when something else has the device's name", async () => {
    await writeFile(`${base}/whiteout`, "no device");
    const maker = createWhiteoutMaker({ directory: base });
    expect(await maker.place(`${base}/upper/a`)).toBe(false);
    expect(await readdir(`${base}/upper`)).toEqual([]);
  });

  test("makes a new device when the old one has no more names to give", async () => {
    const maker = createWhiteoutMaker({ directory: base });
    expect(await maker.place(`${base}/upper/a`)).toBe(true);
    await rm(`${base}/whiteout`);
    expect(await maker.place(`${base}/upper/b`)).toBe(true);
    expect((await lstat(`${base}/upper/b`)).ino).not.toBe((await lstat(`${base}/upper/a`)).ino);
  });

  test("throws when the path is not free", async () => {
    const maker = createWhiteoutMaker({ directory: base });
    await writeFile(`${base}/upper/a`, "");
    await expect(maker.place(`${base}/upper/a`)).rejects.toMatchObject({ code: "EEXIST" });
  });

  test("throws when the directory is not there, and does not blame the device", async () => {
    const maker = createWhiteoutMaker({ directory: base });
    await expect(maker.place(`${base}/nowhere/a`)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("prepareWhiteouts()", () => {
  test("makes the device for a maker that may start no program", async () => {
    expect(await prepareWhiteouts({ directory: base })).toBe(true);
    expect(await prepareWhiteouts({ directory: base })).toBe(true);
    const maker = createWhiteoutMaker({ directory: base, spawnMknod: () => Promise.reject(new Error("not allowed")) });
    expect(await maker.place(`${base}/upper/a`)).toBe(true);
  });
});
