import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findRipgrep } from "../../../src/tools/ripgrep/find-ripgrep.ts";

let base: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "cofferdam-ripgrep-")));
});

afterEach(() => rm(base, { recursive: true, force: true }));

async function place(path: string, mode: number): Promise<void> {
  await mkdir(join(base, path, ".."), { recursive: true });
  await writeFile(join(base, path), "#!/bin/sh\n");
  await chmod(join(base, path), mode);
}

describe("findRipgrep()", () => {
  it("takes the first program on the path, by its real path", async () => {
    await place("first/rg", 0o644);
    await mkdir(join(base, "second/rg"), { recursive: true });
    await place("programs/ripgrep", 0o755);
    await mkdir(join(base, "third"));
    await symlink("../programs/ripgrep", join(base, "third/rg"));
    await place("fourth/rg", 0o755);
    const searchPath = ["first", "second", "missing", "third", "fourth"].map((name) => join(base, name)).join(":");
    expect(await findRipgrep({ searchPath, root: "/nowhere" })).toBe(join(base, "programs/ripgrep"));
  });

  it("takes nothing that lies in the root, and looks in no relative directory", async () => {
    await place("root/node_modules/.bin/rg", 0o755);
    await mkdir(join(base, "linked"));
    await symlink(join(base, "root/node_modules/.bin/rg"), join(base, "linked/rg"));
    await place("root-beside/rg", 0o755);
    const root = join(base, "root");
    const inRoot = `${root}/node_modules/.bin:${base}/linked:.::node_modules/.bin`;
    expect(await findRipgrep({ searchPath: inRoot, root })).toBeUndefined();
    expect(await findRipgrep({ searchPath: `${inRoot}:${base}/root-beside`, root })).toBe(`${base}/root-beside/rg`);
    expect(await findRipgrep({ searchPath: undefined, root })).toBeUndefined();
  });
});
