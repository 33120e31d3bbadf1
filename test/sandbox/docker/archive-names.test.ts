import { execFile } from "node:child_process";
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Readable } from "node:stream";
import { promisify } from "node:util";

import * as fc from "fast-check";
import { pack } from "tar-stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { SandboxUnavailableError } from "../../../src/errors/sandbox-unavailable-error.ts";
import { packWorkspace } from "../../../src/sandbox/docker/pack-workspace.ts";
import { decodePaxRecords, encodePaxBlock } from "../../../src/sandbox/docker/pax-block.ts";
import { unpackWorkspace } from "../../../src/sandbox/docker/unpack-workspace.ts";
import type { UnionDraft } from "../../../src/union/union-draft.ts";
import { openUnionDraft } from "../../../src/union/union-draft.ts";
import { openUnionView } from "../../../src/union/union-view.ts";
import { createWhiteoutMaker } from "../../../src/union/whiteouts.ts";

const run = promisify(execFile);

/** Names that no text can hold, or that a line or a field of an archive would be cut by. */
const NAMES = [
  Buffer.from("plain"),
  Buffer.from([0x72, 0x61, 0x77, 0xff, 0xfe, 0x80]),
  Buffer.from([0xff]),
  Buffer.from("new\nline path=evil"),
  Buffer.from("ünïcödé"),
  Buffer.from("n".repeat(255)),
  Buffer.from(" 12 =\t"),
];

describe("archives of a workspace", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-test-"));
    for (const name of ["root", "empty", "upper", "work", "out"]) await mkdir(join(directory, name));
  });

  afterEach(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  it("packWorkspace() gives GNU tar every name byte for byte, and every mode", async () => {
    await writeNames(join(directory, "root"));
    await chmod(Buffer.concat([Buffer.from(join(directory, "root/")), Buffer.from([0xff])]), 0);
    const archive = pack();
    const packed = buffer(archive);
    await packWorkspace(archive, {
      workspace: openUnionView({ root: join(directory, "root"), layers: [] }),
      prefix: "workspace",
      owner: { uid: 1000, gid: 4_000_000 },
    });
    await writeFile(join(directory, "archive.tar"), await packed);
    await run("tar", ["-xpf", join(directory, "archive.tar"), "-C", join(directory, "out")]);
    expect(await namesIn(join(directory, "out/workspace"))).toStrictEqual(sorted(NAMES));
    const { stdout } = await run("stat", [
      "-c",
      "%a %u:%g",
      Buffer.from(join(directory, "out/workspace/plain")).toString(),
    ]);
    expect(stdout).toBe("644 1000:4000000\n");
    const odd = await run("bash", ["-c", "stat -c %a $'\\xff'"], { cwd: join(directory, "out/workspace") });
    expect(odd.stdout).toBe("0\n");
  });

  it("unpackWorkspace() takes every name from a POSIX archive byte for byte, hard links included", async () => {
    await writeNames(join(directory, "root"));
    await link(join(directory, "root/plain"), join(directory, "root/zweiter"));
    const draft = await unpack();
    expect(await namesIn(join(directory, "upper"))).toStrictEqual(sorted([...NAMES, Buffer.from("zweiter")]));
    expect(draft.entries()).toHaveLength(NAMES.length + 1);
    expect(await readFile(join(directory, "upper/zweiter"), "utf8")).toBe("plain");
  });

  it("unpackWorkspace() takes no archive that ends too soon for one in which the rest was deleted", async () => {
    await writeNames(join(directory, "root"));
    await expect(unpack(withoutEnd)).rejects.toThrow(
      new SandboxUnavailableError("Cannot copy the workspace out of the sandbox: the archive is damaged; try again"),
    );
  });

  it.each(["workspace/../../etc/x", "elsewhere/x", "workspace//x", "/workspace/x", "workspace/./x"])(
    "unpackWorkspace() refuses the path %j",
    async (name) => {
      const archive = pack();
      archive.entry({ name }, "content");
      archive.finalize();
      await expect(
        unpackWorkspace(Readable.from(archive), { workspace: openDraft(), prefix: "workspace", known: new Map() }),
      ).rejects.toThrow(
        new SandboxUnavailableError("Cannot copy the workspace out of the sandbox: the archive is damaged; try again"),
      );
    },
  );

  it("decodePaxRecords() reads what encodePaxBlock() wrote, whatever the bytes", () => {
    const key = fc.stringMatching(/^[a-zA-Z.]{1,20}$/);
    const value = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(fc.dictionary(key, value, { noNullPrototype: true }), (records) => {
        const block = encodePaxBlock(records);
        expect(block.byteLength % 512).toBe(0);
        const sizeBytes = Number.parseInt(block.toString("latin1", 124, 135), 8);
        const decoded = decodePaxRecords(block.subarray(512, 512 + sizeBytes));
        const expected = Object.entries(records).map(([name, bytes]) => [name, Buffer.from(bytes)]);
        expect([...decoded]).toStrictEqual(expected);
      }),
    );
  });

  function openDraft(): UnionDraft {
    return openUnionDraft({
      below: openUnionView({ root: join(directory, "empty"), layers: [] }),
      upper: join(directory, "upper"),
      whiteouts: createWhiteoutMaker({ directory: join(directory, "work") }),
    });
  }

  async function unpack(damage: (archive: Buffer) => Buffer = (archive) => archive): Promise<UnionDraft> {
    const file = join(directory, "archive.tar");
    const transform = "--transform=s,^[.],workspace,S";
    await run("tar", ["--format=posix", transform, "-cf", file, "-C", join(directory, "root"), "."]);
    const draft = openDraft();
    const archive = damage(await readFile(file));
    await unpackWorkspace(Readable.from([archive]), { workspace: draft, prefix: "workspace", known: new Map() });
    return draft;
  }
});

/** Cuts off the blocks of zeros that mark the end, and nothing else. */
function withoutEnd(archive: Buffer): Buffer {
  const last = archive.findLastIndex((byte) => byte !== 0);
  return archive.subarray(0, Math.ceil((last + 1) / 512) * 512);
}

async function writeNames(directory: string): Promise<void> {
  for (const name of NAMES) await writeFile(Buffer.concat([Buffer.from(`${directory}/`), name]), name);
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return sorted(await readdir(directory, { encoding: "buffer" }));
}

function sorted(names: readonly Buffer[]): readonly string[] {
  return names.map((name) => name.toString("hex")).sort();
}
