import { spawnSync } from "node:child_process";
import { chmod, chown, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { prepareWhiteouts } from "../../src/union/whiteouts.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = fileURLToPath(new URL("work-on-draft.ts", import.meta.url));

const USER = { uid: 1234, gid: 1234 };

/** Only root can become another user, and the other user must be able to read the program. */
function isReadableByUser(): boolean {
  return spawnSync(process.execPath, ["-e", "fs.readFileSync(process.argv[1])", PROGRAM], USER).status === 0;
}

let base: string;
let root: string;
let upper: string;

beforeEach(async () => {
  base = await mkdtemp(`${tmpdir()}/other-process-`);
  root = `${base}/root`;
  upper = `${base}/upper`;
  await mkdir(`${root}/d`, { recursive: true });
  await mkdir(upper);
  await writeFile(`${root}/d/one`, "one");
  await writeFile(`${root}/file`, "file");
  await symlink("/etc/passwd", `${root}/out`);
});

afterEach(() => rm(base, { recursive: true, force: true }));

function run(nodeArguments: readonly string[], task: string, identity: { uid?: number; gid?: number } = {}): unknown {
  const run = spawnSync(process.execPath, [...nodeArguments, PROGRAM, root, upper, base, task], {
    encoding: "utf8",
    env: {},
    ...identity,
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}

describe("openUnionDraft() under Node's permission model", () => {
  test("reads and writes with the upper directory and /proc/self/fd alone, and asks for links", async () => {
    await prepareWhiteouts({ directory: base });
    const result = run(
      [
        "--permission",
        ...[PROJECT, `${root}/`, `${upper}/`, `${base}/whiteout`, "/proc/self/fd/"].map(
          (path) => `--allow-fs-read=${path}`,
        ),
        `--allow-fs-write=${upper}/`,
        `--allow-fs-write=${base}/whiteout`,
      ],
      "draft",
    );
    expect(result).toEqual({
      outcomes: [
        "one",
        '[{"name":"d","type":"directory"},{"name":"file","type":"file"},{"name":"out","type":"symlink"}]',
        'Cannot read "out": it leads out of the workspace; name a path inside it, relative to its root',
        '"done"',
        '"done"',
        '"done"',
        '"done"',
        "asked for a link",
      ],
      entries: [
        { op: "delete", path: "d" },
        { op: "delete", path: "file" },
        { op: "put", path: "moved", type: "directory" },
        { op: "put", path: "moved/new", type: "file" },
        { op: "put", path: "moved/one", type: "file" },
      ],
      tree: [
        { name: "new", type: "file" },
        { name: "one", type: "file" },
      ],
    });
    expect((await lstat(`${upper}/file`)).isCharacterDevice()).toBe(true);
    expect((await lstat(`${upper}/moved/one`)).mode & 0o777).toBe(0o700);
  });
});

describe.skipIf(!isReadableByUser())("scanUpper() as an ordinary user", () => {
  test("looks into what the guest has closed, and leaves it open to its owner, which it says", async () => {
    await mkdir(`${upper}/closed/sub`, { recursive: true });
    await mkdir(`${upper}/d`);
    await writeFile(`${upper}/closed/sub/x`, "x");
    await writeFile(`${upper}/d/one`, "one");
    for (const path of [
      base,
      root,
      `${root}/d`,
      `${root}/d/one`,
      upper,
      `${upper}/closed`,
      `${upper}/closed/sub`,
      `${upper}/closed/sub/x`,
      `${upper}/d`,
      `${upper}/d/one`,
    ]) {
      await chown(path, USER.uid, USER.gid);
    }
    await chmod(`${upper}/closed/sub/x`, 0o000);
    await chmod(`${upper}/closed/sub`, 0o000);
    await chmod(`${upper}/closed`, 0o300);
    await chmod(`${upper}/d/one`, 0o000);
    expect(run([], "scan", USER)).toEqual({
      entries: [
        { op: "put", path: "closed", type: "directory" },
        { op: "put", path: "closed/sub", type: "directory" },
        { op: "put", path: "closed/sub/x", type: "file" },
        { op: "put", path: "d/one", type: "file" },
      ],
      refused: ["closed", "closed/sub", "closed/sub/x", "d/one"].map((path) => ({
        path,
        reason:
          "its owner could not read it; the owner's read permission (and search permission of a directory) was added",
      })),
    });
    const modes = await Promise.all(
      ["closed", "closed/sub", "closed/sub/x", "d/one"].map(
        async (path) => (await lstat(`${upper}/${path}`)).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o500, 0o400, 0o400]);
  });
});
