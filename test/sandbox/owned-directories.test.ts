import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { currentHost } from "../../src/sandbox/current-host.ts";
import { isOwnedName, makeOwnedDirectory, removeOwnedDirectories } from "../../src/sandbox/owned-directories.ts";
import { isOwnerAlive } from "../../src/state/owner.ts";

describe("removeOwnedDirectories()", () => {
  let parent: string;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), "cofferdam-owned-"));
  });
  afterEach(async () => await rm(parent, { recursive: true }));

  it("removes what dead processes left, and nothing else", async () => {
    const mine = basename(await makeOwnedDirectory("probe", parent));
    const dead = `cofferdam-links-${currentHost()}-${process.pid}-1-abcdef`;
    const elsewhere = `cofferdam-links-${"0".repeat(16)}-${process.pid}-1-abcdef`;
    const others = ["cofferdam-engine-x", `cofferdam-links-${currentHost()}-${process.pid}-1-abcdef-more`];
    for (const name of [dead, elsewhere, ...others]) await mkdir(join(parent, name));
    await writeFile(join(parent, "canary"), "untouched");
    await symlink(join(parent, "canary"), join(parent, dead, "0"));

    await removeOwnedDirectories((owner) => !isOwnerAlive(owner), parent);
    expect((await readdir(parent)).toSorted()).toEqual([mine, elsewhere, ...others, "canary"].toSorted());
    expect([mine, dead, elsewhere, ...others].map(isOwnedName)).toEqual([true, true, true, false, false]);
  });
});
