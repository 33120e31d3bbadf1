import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";

import { pack } from "tar-stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { packWorkspace } from "../../../src/sandbox/docker/pack-workspace.ts";
import type { TreeRecord } from "../../../src/sandbox/docker/tree-record.ts";
import { unpackWorkspace } from "../../../src/sandbox/docker/unpack-workspace.ts";
import type { UnionDraft } from "../../../src/union/union-draft.ts";
import { openUnionDraft } from "../../../src/union/union-draft.ts";
import { openUnionView } from "../../../src/union/union-view.ts";
import { createWhiteoutMaker } from "../../../src/union/whiteouts.ts";

const run = promisify(execFile);

describe("unpackWorkspace()", () => {
  let directory: string;
  let root: string;
  let guest: string;
  let draft: UnionDraft;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-unpack-"));
    root = join(directory, "root");
    guest = join(directory, "workspace");
    for (const each of [root, guest, join(directory, "upper"), join(directory, "work")]) await mkdir(each);
    await writeFile(join(root, "kept.txt"), "kept\n");
    await writeFile(join(root, "gone.txt"), "gone\n");
    await mkdir(join(root, "dir"));
    await writeFile(join(root, "dir/one"), "1\n");
    draft = openUnionDraft({
      below: openUnionView({ root, layers: [] }),
      upper: join(directory, "upper"),
      whiteouts: createWhiteoutMaker({ directory: join(directory, "work") }),
    });
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  it("finds nothing when the guest left its copy as it was, whatever happened to the root meanwhile", async () => {
    const known = await copyIn();
    await writeFile(join(root, "kept.txt"), "edited by the user\n");
    await rename(join(root, "gone.txt"), join(root, "renamed by the user.txt"));
    await mkdir(join(root, "thesis"));
    await writeFile(join(root, "thesis/chapter.txt"), "years of work\n");
    await copyOut(known);
    expect(draft.entries()).toEqual([]);
  });

  it("carries over what the guest did and nothing that the user did meanwhile", async () => {
    const known = await copyIn();
    await rm(join(guest, "gone.txt"));
    await writeFile(join(guest, "new.txt"), "new\n");
    await chmod(join(guest, "kept.txt"), 0o755);
    await rm(join(guest, "dir"), { recursive: true });
    await writeFile(join(root, "dir/two"), "of the user\n");
    await copyOut(known);
    expect(draft.entries().map((entry) => `${entry.op} ${entry.path}`)).toEqual([
      "delete dir/one",
      "delete gone.txt",
      "put kept.txt",
      "put new.txt",
    ]);
    expect(Buffer.from(await draft.readFile("dir/two")).toString()).toBe("of the user\n");
  });

  it("compares a second time with what the guest had the first time", async () => {
    const known = await copyIn();
    await writeFile(join(guest, "new.txt"), "first\n");
    const after = await copyOut(known);
    await rm(join(guest, "new.txt"));
    await writeFile(join(guest, "kept.txt"), "second\n");
    await copyOut(after);
    expect(draft.entries().map((entry) => `${entry.op} ${entry.path}`)).toEqual(["put kept.txt"]);
    expect(await readFile(join(directory, "upper/kept.txt"), "utf8")).toBe("second\n");
  });

  /** Gives the guest its copy, as the Engine would unpack it. */
  async function copyIn(): Promise<TreeRecord> {
    const archive = pack();
    const bytes = buffer(archive);
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const known = await packWorkspace(archive, { workspace: draft, prefix: "workspace", owner });
    await writeFile(join(directory, "in.tar"), await bytes);
    await run("tar", ["-xpf", join(directory, "in.tar"), "-C", directory]);
    return known;
  }

  async function copyOut(known: TreeRecord): Promise<TreeRecord> {
    await run("tar", ["--format=posix", "-cf", join(directory, "out.tar"), "-C", directory, "workspace"]);
    const archive = Readable.from([await readFile(join(directory, "out.tar"))]);
    return await unpackWorkspace(archive, { workspace: draft, prefix: "workspace", known });
  }
});
