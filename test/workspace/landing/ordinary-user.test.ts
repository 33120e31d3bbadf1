import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

const CHILD = fileURLToPath(new URL("../support/closed-child.ts", import.meta.url));
const LAYER_CHILD = fileURLToPath(new URL("../support/closed-layer-child.ts", import.meta.url));
const USER = { uid: 1234, gid: 1234 };

/** Only root can become somebody else, and only where others may read this checkout. */
const canBecomeUser =
  process.getuid?.() === 0 && spawnSync(process.execPath, ["--check", CHILD], { ...USER, cwd: "/" }).status === 0;

test.runIf(canBecomeUser)("land() and undo() change what is in closed directories, for an ordinary user", () => {
  const base = mkdtempSync(join(tmpdir(), "cofferdam-user-"));
  try {
    chownSync(base, USER.uid, USER.gid);
    const child = spawnSync(process.execPath, [CHILD, base], { ...USER, cwd: "/", encoding: "utf8" });
    expect(child.stderr).toBe("");
    const before = {
      "": "directory 755",
      opened: "directory 555",
      "opened/file": 'file 644 "before"',
      removed: "directory 500",
      "removed/file": 'file 644 "before"',
    };
    const landed = {
      "": "directory 755",
      closed: "directory 555",
      "closed/file": 'file 644 "new"',
      opened: "directory 755",
      "opened/file": 'file 644 "after"',
      other: 'file 644 "other"',
    };
    expect(JSON.parse(child.stdout)).toEqual([before, landed, { ...before, other: 'file 644 "other"' }]);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

test.runIf(canBecomeUser)("land() lands all that a guest closed to its owner, for an ordinary user", () => {
  const base = mkdtempSync(join(tmpdir(), "cofferdam-user-"));
  try {
    chownSync(base, USER.uid, USER.gid);
    const child = spawnSync(process.execPath, [LAYER_CHILD, base], { ...USER, cwd: "/", encoding: "utf8" });
    expect(child.stderr).toBe("");
    const paths = [
      "by-a-tool",
      "by-a-tool/file",
      "closed",
      "closed/file",
      "listed-only",
      "listed-only/below",
      "listed-only/below/file",
      "read-only",
      "read-only/file",
      "secret",
    ];
    const reason =
      "its owner could not read it; the owner's read permission (and search permission of a directory) was added";
    expect(JSON.parse(child.stdout)).toEqual({
      refused: ["closed", "listed-only", "secret"].map((path) => ({ path, reason })),
      changes: paths,
      tree: {
        "": "directory 755",
        "by-a-tool": "directory 500",
        "by-a-tool/file": 'file 400 "5"',
        closed: "directory 500",
        "closed/file": 'file 644 "2"',
        "listed-only": "directory 500",
        "listed-only/below": "directory 755",
        "listed-only/below/file": 'file 644 "1"',
        "read-only": "directory 555",
        "read-only/file": 'file 644 "3"',
        secret: 'file 400 "4"',
      },
    });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
