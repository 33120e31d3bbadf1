import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { openUnionView, type UnionView } from "../../src/union/union-view.ts";

let base: string;
let root: string;
let view: UnionView;

beforeEach(async () => {
  base = await mkdtemp(`${tmpdir()}/seen-directories-`);
  root = `${base}/root`;
  await mkdir(`${root}/a/b`, { recursive: true });
  await mkdir(`${base}/outside/b`, { recursive: true });
  await writeFile(`${root}/a/b/file`, "inside");
  await writeFile(`${root}/other`, "another file");
  await writeFile(`${base}/outside/b/file`, "outside");
  await writeFile(`${base}/outside/b/more`, "outside");
  await symlink("/workspace/other", `${base}/outside/b/link`);
  view = openUnionView({ root, layers: [] });
  // From here on the view remembers a and a/b.
  await view.readFile("a/b/file");
});

afterEach(() => rm(base, { recursive: true, force: true }));

async function answer(path: string): Promise<string> {
  return view.readFile(path).then((bytes) => Buffer.from(bytes).toString(), reasonOf);
}

async function list(path: string): Promise<string> {
  return view.readDirectory(path).then((names) => names.map(({ name }) => name).join(" "), reasonOf);
}

function reasonOf(error: unknown): string {
  return error instanceof Error && "reason" in error ? String(error.reason) : String(error);
}

describe("a view that has seen a directory", () => {
  test("refuses it when it has become a symlink that leads out", async () => {
    await rename(`${root}/a`, `${root}/moved`);
    await symlink("../outside", `${root}/a`);
    expect([await answer("a/b/file"), await answer("a/b/more"), await answer("a/b/link"), await list("a/b")]).toEqual(
      Array<string>(4).fill("outside-root"),
    );
  });

  test("follows it when it has become a symlink that stays inside", async () => {
    await rename(`${root}/a`, `${root}/moved`);
    await writeFile(`${root}/moved/b/new`, "new");
    await symlink("moved", `${root}/a`);
    expect([await answer("a/b/new"), await list("a/b"), await view.realPath("a/b")]).toEqual([
      "new",
      "file new",
      "moved/b",
    ]);
  });

  test("finds nothing when it is gone, and everything when it is back", async () => {
    await rename(`${root}/a`, `${base}/parked`);
    expect([await answer("a/b/file"), await list("a")]).toEqual(["not-found", "not-found"]);
    await rename(`${base}/parked`, `${root}/a`);
    expect([await answer("a/b/file"), await list("a")]).toEqual(["inside", "b"]);
  });

  test("finds a file that has taken its place", async () => {
    await rm(`${root}/a`, { recursive: true });
    await writeFile(`${root}/a`, "a file");
    expect([await answer("a"), await answer("a/b"), await list("a")]).toEqual([
      "a file",
      "not-a-directory",
      "not-a-directory",
    ]);
  });
});

describe("a view that has listed a file", () => {
  beforeEach(async () => {
    await view.readDirectory("a/b");
  });

  test("reads what it has become", async () => {
    await rm(`${root}/a/b/file`);
    await symlink("../../other", `${root}/a/b/file`);
    expect(await answer("a/b/file")).toBe("another file");
    await rm(`${root}/a/b/file`);
    await mkdir(`${root}/a/b/file`);
    expect(await answer("a/b/file")).toBe("is-a-directory");
    await rm(`${root}/a/b/file`, { recursive: true });
    expect(await answer("a/b/file")).toBe("not-found");
  });

  test("refuses it when a directory above has become a symlink that leads out", async () => {
    await rename(`${root}/a`, `${root}/moved`);
    await symlink("../outside", `${root}/a`);
    expect(await answer("a/b/file")).toBe("outside-root");
  });

  test("refuses it when it has become a FIFO", async () => {
    await rm(`${root}/a/b/file`);
    execFileSync("mkfifo", [`${root}/a/b/file`]);
    expect(await answer("a/b/file")).toBe("unsupported-type");
  });
});
