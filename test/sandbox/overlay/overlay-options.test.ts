import { mkdir, mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createOverlayOptions } from "../../../src/sandbox/overlay/overlay-options.ts";

describe("createOverlayOptions()", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-test-"));
  });

  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  it("createOverlayOptions() names short links instead of the directories themselves", async () => {
    const lowers = ["/layers/2,userxattr", "/layers/1:/etc", "/root\\\n"];
    const options = await createOverlayOptions(
      { lowers, upper: "/layers/3,x", work: "/work:y" },
      { temporaryDirectory: directory },
    );
    const links = options?.linksDirectory ?? "";
    expect(options?.text).toBe(
      `lowerdir=${links}/0:${links}/1:${links}/2,upperdir=${links}/upper,workdir=${links}/work,userxattr,redirect_dir=nofollow,metacopy=off,index=off`,
    );
    const targets = await Promise.all(["0", "1", "2", "upper", "work"].map((name) => readlink(join(links, name))));
    expect(targets).toStrictEqual([...lowers, "/layers/3,x", "/work:y"]);
    await options?.[Symbol.asyncDispose]();
    expect(await readdir(directory)).toStrictEqual([]);
  });

  it("createOverlayOptions() names nothing but the links when the mounter works in their directory", async () => {
    const odd = join(directory, "odd,:\\ name");
    await mkdir(odd);
    const lowers = Array.from({ length: 400 }, (_, index) => `/layers/${index}`);
    const naming = { relative: true, temporaryDirectory: odd };
    const options = await createOverlayOptions({ lowers, upper: "/u", work: "/w" }, naming);
    expect(options?.text).toMatch(/^lowerdir=0:1:2:.*:b3,upperdir=upper,workdir=work,userxattr,/);
    expect(await readlink(join(options?.linksDirectory ?? "", "b3"))).toBe("/layers/399");
    await options?.[Symbol.asyncDispose]();
    expect(await readdir(odd)).toStrictEqual([]);
  });

  it("createOverlayOptions() gives nothing when the options would not fit into a page", async () => {
    const lowers = Array.from({ length: 400 }, (_, index) => `/layers/${index}`);
    expect(
      await createOverlayOptions({ lowers, upper: "/u", work: "/w" }, { temporaryDirectory: directory }),
    ).toBeUndefined();
    expect(await readdir(directory)).toStrictEqual([]);
  });

  it.each([",", ":", "\\", "\n", " "])(
    "createOverlayOptions() gives nothing when the links themselves would lie below %j",
    async (character) => {
      const odd = join(directory, `odd${character}name`);
      await mkdir(odd);
      expect(
        await createOverlayOptions({ lowers: ["/l"], upper: "/u", work: "/w" }, { temporaryDirectory: odd }),
      ).toBeUndefined();
      expect(await readdir(odd)).toStrictEqual([]);
    },
  );
});
