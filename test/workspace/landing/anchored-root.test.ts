import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { AnchoredRoot } from "../../../src/workspace/landing/anchored-root.ts";
import { makeFixture, readTree } from "../support/workspace-fixture.ts";

describe.each(["linux", "darwin"] as const)("on %s", (platform) => {
  test("AnchoredRoot reaches every entry, also with names that are not UTF-8", async () => {
    await using fixture = await makeFixture();
    await using root = new AnchoredRoot(fixture.root, { platform });
    await root.makeDirectory("directory");
    await root.makeDirectory("directory/deep");
    await root.setMode("directory/deep", 0o750);
    await using file = await root.createFile("directory/deep/\u{dcff}");
    await file.writeFile("content");
    await root.setMode("directory/deep/\u{dcff}", 0o640);
    await root.makeSymlink("\u{dcfe}", "directory/link");
    await root.link("directory/deep/\u{dcff}", "linked");
    await root.rename("linked", "directory/moved");
    await root.syncDirectory("directory");

    expect(await root.readLink("directory/link")).toBe("\u{dcfe}");
    expect((await root.list("directory")).toSorted()).toEqual(["deep", "link", "moved"]);
    expect(readTree(fixture.root)).toEqual({
      "": "directory 755",
      directory: "directory 700",
      "directory/deep": "directory 750",
      "directory/deep/\u{dcff}": 'file 640 "content"',
      "directory/link": "symlink \u{dcfe}",
      "directory/moved": 'file 640 "content"',
    });
    await root.unlink("directory/deep/\u{dcff}");
    await root.removeDirectory("directory/deep");
    expect(await root.inspect("directory/deep")).toBeUndefined();
    expect((await root.inspect(""))?.isDirectory()).toBe(true);
  });

  test("AnchoredRoot follows no symlink, in no component and in no operation", async () => {
    await using fixture = await makeFixture((root) => {
      mkdirSync(`${root}/../outside`);
      writeFileSync(`${root}/../outside/file`, "canary");
      symlinkSync("../outside", `${root}/link`);
      symlinkSync("../outside/file", `${root}/file-link`);
      writeFileSync(`${root}/own`, "own");
    });
    const before = readTree(`${fixture.base}/outside`, { times: true });
    await using root = new AnchoredRoot(fixture.root, { platform });

    expect(await root.inspect("link/file")).toBeUndefined();
    const attempts: readonly (() => Promise<unknown>)[] = [
      async () => root.openFile("link/file"),
      async () => root.openFile("file-link"),
      async () => root.createFile("link/new"),
      async () => root.makeDirectory("link/new"),
      async () => root.makeSymlink("x", "link/new"),
      async () => root.rename("own", "link/file"),
      async () => root.link("own", "link/new"),
      async () => root.linkOut("link/file", `${fixture.base}/out`),
      async () => root.unlink("link/file"),
      async () => root.removeDirectory("link/file"),
      async () => root.setMode("link/file", 0o777),
      async () => root.setMode("file-link", 0o777),
      async () => root.setOwner("link/file", { uid: 1, gid: 1 }),
      async () => root.list("link"),
    ];
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({ code: expect.stringMatching(/^(?:ENOTDIR|ELOOP)$/) });
    }
    expect(readTree(`${fixture.base}/outside`, { times: true })).toEqual(before);
  });
});

test.runIf(process.platform === "linux")(
  "AnchoredRoot keeps to the directory that it opened when a symlink takes its place",
  async () => {
    await using fixture = await makeFixture((root) => {
      mkdirSync(`${root}/directory`);
      mkdirSync(`${root}/../outside`);
    });
    await using root = new AnchoredRoot(fixture.root);
    expect(await root.list("directory")).toEqual([]);
    renameSync(`${fixture.root}/directory`, `${fixture.root}/moved`);
    symlinkSync("../outside", `${fixture.root}/directory`);
    await using file = await root.createFile("directory/file");
    await file.writeFile("content");

    expect(readFileSync(`${fixture.root}/moved/file`, "utf8")).toBe("content");
    await root.forget();
    expect(await root.inspect("directory/file")).toBeUndefined();
  },
);

test("AnchoredRoot sets the mode of what nobody may read", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/closed`, ""));
  chmodSync(`${fixture.root}/closed`, 0o000);
  await using root = new AnchoredRoot(fixture.root);
  await root.setMode("closed", 0o600);
  expect(statSync(`${fixture.root}/closed`).mode & 0o777).toBe(0o600);
});
