import { spawnSync } from "node:child_process";
import { chmod, link, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { Layer, ManifestEntry } from "../../src/contract/layer.ts";
import { scanUpper } from "../../src/union/scan-upper.ts";
import { openUnionDraft } from "../../src/union/union-draft.ts";
import { openUnionView, type UnionView } from "../../src/union/union-view.ts";
import { createWhiteoutMaker } from "../../src/union/whiteouts.ts";
import { noKernelMounts, readKernelTree, runInOverlay } from "./overlay-mount.ts";
import { readPlainTree, readWorkspaceTree } from "./plain-tree.ts";

const noWhiteouts = { place: () => Promise.resolve(false) };

let base: string;
let root: string;
let upper: string;
let below: UnionView;

beforeEach(async () => {
  base = await mkdtemp(`${tmpdir()}/scan-upper-`);
  root = `${base}/root`;
  upper = `${base}/upper`;
  await mkdir(`${root}/d/sub/deep`, { recursive: true });
  await mkdir(`${root}/empty`);
  await mkdir(upper);
  await writeFile(`${root}/file`, "file\n");
  await writeFile(`${root}/d/one`, "one\n");
  await writeFile(`${root}/d/two`, "two\n");
  await writeFile(`${root}/d/sub/three`, "three\n");
  await writeFile(`${root}/d/sub/deep/four`, "four\n");
  await symlink("file", `${root}/link`);
  below = openUnionView({ root, layers: [] });
});

afterEach(() => rm(base, { recursive: true, force: true }));

describe.skipIf(noKernelMounts !== undefined)("scanUpper() of what the kernel wrote", () => {
  /** Each change that a command makes, and the whole manifest of it. */
  const cases: readonly { readonly script: string; readonly entries: readonly ManifestEntry[] }[] = [
    { script: "rm file", entries: [{ op: "delete", path: "file" }] },
    { script: "rm -r d", entries: [{ op: "delete", path: "d" }] },
    { script: "printf more >> file", entries: [{ op: "put", path: "file", type: "file" }] },
    { script: "exec 3<>file", entries: [] },
    { script: "touch file d/one; chown 1:1 d/two", entries: [] },
    { script: "chmod 600 file", entries: [{ op: "put", path: "file", type: "file" }] },
    { script: "chmod 700 d", entries: [{ op: "put", path: "d", type: "directory" }] },
    { script: "chmod 700 d; chmod 755 d", entries: [] },
    { script: "chmod 000 d/one", entries: [{ op: "put", path: "d/one", type: "file" }] },
    { script: "rm file; printf 'file\\n' > file", entries: [] },
    { script: "rm link; ln -s file link", entries: [] },
    { script: "ln -sfn d link", entries: [{ op: "put", path: "link", type: "symlink" }] },
    { script: "mkdir new; touch new/x", entries: [put("new", "directory"), put("new/x")] },
    { script: "mkdir -p d/sub/new", entries: [put("d/sub/new", "directory")] },
    { script: "rm file; mkdir file", entries: [{ op: "put", path: "file", type: "directory", opaque: true }] },
    { script: "rm -r d; touch d", entries: [put("d")] },
    { script: "rm -r d; ln -s file d", entries: [put("d", "symlink")] },
    { script: "mv file moved", entries: [{ op: "delete", path: "file" }, put("moved")] },
    { script: "mv file d/one", entries: [put("d/one"), { op: "delete", path: "file" }] },
    { script: "rmdir empty; mkdir empty", entries: [] },
    {
      script: "rm -r d; mkdir d",
      entries: ["d/one", "d/sub", "d/two"].map((path) => ({ op: "delete", path })),
    },
    {
      script: "rm -r d; mkdir -m 700 d; mkdir -p d/sub/deep; printf 'one\\n' > d/one; printf new > d/sub/three",
      entries: [
        put("d", "directory"),
        { op: "delete", path: "d/sub/deep/four" },
        put("d/sub/three"),
        { op: "delete", path: "d/two" },
      ],
    },
    {
      script: "cp -r d copy; rm -r d; mv copy d",
      entries: [],
    },
    { script: "ln file hard; printf x >> hard", entries: [put("file"), put("hard")] },
    {
      script: "touch \"$(printf 'a\\nb')\" \"$(printf '\\377')\" '\\n\\101'",
      entries: [put("\\n\\101"), put("a\nb"), put("\udcff")],
    },
    {
      script: "mkdir 'd\\x'; mkdir -- -v '*' ' '",
      entries: [put(" ", "directory"), put("*", "directory"), put("-v", "directory"), put("d\\x", "directory")],
    },
  ];

  test.each(cases)("gives the exact manifest when the command was: $script", async ({ script, entries }) => {
    await runInOverlay({ root, layers: [], upper }, script);
    const shown = await readKernelTree({ root, layers: [], upper });

    expect(await scanUpper({ below, upper })).toEqual({ entries, refused: [] });

    const layer: Layer = { id: 1, upper, entries };
    expect(await readWorkspaceTree(below.withLayer(layer))).toEqual(shown);
    expect(await readKernelTree({ root, layers: [layer] })).toEqual(shown);
    expect(await scanUpper({ below, upper })).toEqual({ entries, refused: [] });
  });

  test("takes unchanged copies and empty scaffolding out of the upper directory", async () => {
    await runInOverlay(
      { root, layers: [], upper },
      "touch d/sub/three; chmod 600 file; chmod 644 file; mkdir d/t; rmdir d/t",
    );
    await scanUpper({ below, upper });
    expect(await readdir(upper)).toEqual([]);
  });

  test("removes a FIFO, a socket and a device, and says that what they covered is deleted", async () => {
    const script =
      "rm file d/one; mkfifo file d/pipe; mknod d/one c 1 3; perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local=>\"sock\",Listen=>1)'";
    await runInOverlay({ root, layers: [], upper }, script);
    expect(await scanUpper({ below, upper })).toEqual({
      entries: [
        { op: "delete", path: "d/one" },
        { op: "delete", path: "file" },
      ],
      refused: [
        { path: "d/one", reason: "it is a device; only files, directories and symlinks are kept" },
        { path: "d/pipe", reason: "it is a FIFO; only files, directories and symlinks are kept" },
        { path: "file", reason: "it is a FIFO; only files, directories and symlinks are kept" },
        { path: "sock", reason: "it is a socket; only files, directories and symlinks are kept" },
      ],
    });
    const shown = await readKernelTree({ root, layers: [{ upper }] });
    expect(shown.filter((line) => /^\["(?:file|d\/one|d\/pipe|sock)"/.test(line))).toEqual([]);
  });

  test("takes set-id and sticky bits away and says so", async () => {
    await runInOverlay(
      { root, layers: [], upper },
      "chmod 4755 file; mkdir new; chmod 3777 new; touch x; chmod 2644 x",
    );
    const reason = "its set-user-id, set-group-id or sticky bit was taken away; only the permission bits are kept";
    expect(await scanUpper({ below, upper })).toEqual({
      entries: [put("file"), put("new", "directory"), put("x")],
      refused: [
        { path: "file", reason },
        { path: "new", reason },
        { path: "x", reason },
      ],
    });
    const modes = await Promise.all(
      ["file", "new", "x"].map(async (name) => (await lstat(`${upper}/${name}`)).mode & 0o7777),
    );
    expect(modes).toEqual([0o755, 0o777, 0o644]);
  });

  test("leaves alone the set-group-id bit of a directory that has it in the root", async () => {
    await chmod(`${root}/d`, 0o2755);
    await runInOverlay({ root, layers: [], upper }, "printf x > d/one");
    expect(await scanUpper({ below, upper })).toEqual({ entries: [put("d/one")], refused: [] });
  });

  test("scans a layer on top of layers", async () => {
    const first = `${base}/first`;
    await mkdir(first);
    await runInOverlay({ root, layers: [], upper: first }, "rm -r d/sub; printf changed > d/one");
    const { entries } = await scanUpper({ below, upper: first });
    const layers = [{ id: 1, upper: first, entries }];
    const above = openUnionView({ root, layers });

    await runInOverlay({ root, layers, upper }, "mkdir d/sub; touch d/sub/new; printf 'one\\n' > d/one; rm d/two");
    const shown = await readKernelTree({ root, layers, upper });
    const scanned = await scanUpper({ below: above, upper });

    expect(scanned).toEqual({
      entries: [put("d/one"), put("d/sub", "directory"), put("d/sub/new"), { op: "delete", path: "d/two" }],
      refused: [],
    });
    expect(await readWorkspaceTree(above.withLayer({ id: 2, upper, entries: scanned.entries }))).toEqual(shown);
  });

  test("keeps a hiding mark, and all below it, where no whiteout can be placed", async () => {
    await runInOverlay({ root, layers: [], upper }, "rm -r d; mkdir -p d/sub; printf 'one\\n' > d/one");
    const shown = await readKernelTree({ root, layers: [], upper });
    const { entries } = await scanUpper({ below, upper, whiteouts: noWhiteouts });
    expect(entries).toEqual([
      { op: "put", path: "d", type: "directory", opaque: true },
      put("d/one"),
      { op: "put", path: "d/sub", type: "directory", opaque: true },
      { op: "delete", path: "d/sub/deep" },
      { op: "delete", path: "d/sub/three" },
      { op: "delete", path: "d/two" },
    ]);
    const layer = { id: 1, upper, entries };
    expect(await readWorkspaceTree(below.withLayer(layer))).toEqual(shown);
    expect(await readKernelTree({ root, layers: [layer] })).toEqual(shown);
  });
});

describe("scanUpper()", () => {
  test("adds reported deletions of what lies below, and whiteouts for them", async () => {
    await mkdir(`${upper}/d`);
    await writeFile(`${upper}/d/two`, "new");
    const reported: readonly ManifestEntry[] = [
      { op: "delete", path: "d/sub/deep" },
      { op: "delete", path: "d/sub" },
      { op: "delete", path: "file" },
      // None of these says anything that is true and can be said.
      { op: "delete", path: "d/two" },
      { op: "delete", path: "nowhere" },
      { op: "delete", path: "../root/file" },
      { op: "delete", path: "./link" },
      { op: "delete", path: "" },
      { op: "delete", path: "link/x" },
      { op: "put", path: "link", type: "file" },
    ];
    const { entries } = await scanUpper({ below, upper, reported });
    expect(entries).toEqual([{ op: "delete", path: "d/sub" }, put("d/two"), { op: "delete", path: "file" }]);
    expect((await lstat(`${upper}/file`)).isCharacterDevice()).toBe(true);
    expect(await scanUpper({ below, upper })).toEqual({ entries, refused: [] });
  });

  test("takes reported deletions as they are where no whiteout can be placed", async () => {
    const reported: readonly ManifestEntry[] = [{ op: "delete", path: "d/one" }];
    expect(await scanUpper({ below, upper, reported, whiteouts: noWhiteouts })).toEqual({
      entries: reported,
      refused: [],
    });
  });

  test("gives a draft's own manifest when the draft reports what it could not mark", async () => {
    const draft = openUnionDraft({ below, upper, whiteouts: noWhiteouts });
    await draft.remove("d", { recursive: true });
    await draft.writeFile("d/one", "other");
    await draft.remove("file");
    const entries = draft.entries();
    const scanned = await scanUpper({ below, upper, reported: entries });
    expect(scanned).toEqual({ entries, refused: [] });
  });

  test("removes what a killed writer left behind", async () => {
    const rest = `.cofferdam-${"0".repeat(32)}`;
    await writeFile(`${upper}/${rest}`, "half");
    expect(await scanUpper({ below, upper })).toEqual({
      entries: [],
      refused: [{ path: rest, reason: "its name is kept for files that are being written; choose another name" }],
    });
    expect(await readdir(upper)).toEqual([]);
  });

  test("walks a tree that is deeper than a path can be, and cuts it off", async () => {
    expect(
      spawnSync("perl", ["-e", "for (1..60) { mkdir $ARGV[0]; chdir $ARGV[0] }", "n".repeat(200)], { cwd: upper })
        .status,
    ).toBe(0);
    const { entries, refused } = await scanUpper({ below, upper });
    expect(entries).toEqual(
      Array.from({ length: 15 }, (_, index) =>
        put(
          Array<string>(index + 1)
            .fill("n".repeat(200))
            .join("/"),
          "directory",
        ),
      ),
    );
    expect(refused).toEqual([
      {
        path: Array<string>(16).fill("n".repeat(200)).join("/"),
        reason: "its path is longer than 3072 bytes, so it was left out with all below it; shorten the path",
      },
    ]);
    expect(await readdir(upper)).toEqual(["n".repeat(200)]);
  });

  test("cuts off a deep tree of short names", async () => {
    expect(spawnSync("perl", ["-e", "for (1..1400) { mkdir q(x); chdir q(x) }"], { cwd: upper }).status).toBe(0);
    const { entries, refused } = await scanUpper({ below, upper });
    expect(entries).toHaveLength(256);
    expect(refused).toEqual([
      {
        path: Array<string>(257).fill("x").join("/"),
        reason: "its path has more than 256 parts, so it was left out with all below it; shorten the path",
      },
    ]);
  });

  test("takes a guest's symlinks and hard links for what they are", async () => {
    await mkdir(`${upper}/d`);
    await symlink("/etc", `${upper}/d/sub`);
    await symlink("/etc/passwd", `${upper}/file`);
    await writeFile(`${upper}/a`, "linked");
    await link(`${upper}/a`, `${upper}/b`);
    const { entries } = await scanUpper({ below, upper });
    expect(entries).toEqual([put("a"), put("b"), put("d/sub", "symlink"), put("file", "symlink")]);
    const view = below.withLayer({ id: 1, upper, entries });
    await expect(view.readFile("file")).rejects.toThrow('Cannot read "file": it leads out of the workspace');
    await expect(view.readDirectory("d/sub")).rejects.toThrow('Cannot list "d/sub": it leads out of the workspace');
  });

  test.each(["redirect", "metacopy"])(
    "refuses a layer that keeps its content elsewhere by overlay.%s",
    async (mark) => {
      await mkdir(`${upper}/renamed`);
      const archive = spawnSync("sh", ["-ec", SET_MARK, "sh", upper, `user.overlay.${mark}`, "d"], {
        encoding: "utf8",
      });
      expect(archive.stderr).toBe("");
      await expect(scanUpper({ below, upper })).rejects.toMatchObject({
        name: "StateError",
        message:
          'Cannot read the layer back: "renamed" is only a reference to content elsewhere; mount overlayfs with redirect_dir=off and metacopy=off',
      });
    },
  );

  test("does not take the mark x for a hiding one", async () => {
    await mkdir(`${upper}/renamed`);
    await mkdir(`${root}/renamed`);
    await writeFile(`${root}/renamed/x`, "");
    expect(spawnSync("sh", ["-ec", SET_MARK, "sh", upper, "user.overlay.opaque", "x"]).status).toBe(0);
    expect(await scanUpper({ below, upper })).toEqual({ entries: [], refused: [] });
  });

  test("keeps what it scanned readable in its own tree", async () => {
    await mkdir(`${upper}/new`);
    await writeFile(`${upper}/new/x`, "x");
    const { entries } = await scanUpper({ below, upper });
    expect(await readPlainTree(`${upper}/new`)).toHaveLength(1);
    expect(Buffer.from(await below.withLayer({ id: 1, upper, entries }).readFile("new/x")).toString()).toBe("x");
  });
});

/** Sets an extended attribute with tar, which is everywhere: archives the directory and renames the attribute's header. */
const SET_MARK = `
cd "$1"
perl -e '
  my ($name, $value) = @ARGV;
  my $record = "SCHILY.xattr.$name=$value\\n"; my $length = length($record) + 3;
  $length = length("$length $record"); $record = "$length $record";
  sub header { my ($n, $t, $s) = @_; my $h = pack("a100a8a8a8a12a12a8a1a100a6a2a32a32a8a8a155x12", $n, "0000755", "0000000", "0000000", sprintf("%011o", $s), "00000000000", " " x 8, $t, "", "ustar", "00", "", "", "", "", "");
    substr($h, 148, 8) = sprintf("%06o\\0 ", unpack("%32C*", $h)); $h }
  print header("pax", "x", length $record), $record, "\\0" x (512 - length $record), header("renamed/", "5", 0), "\\0" x 1024;
' "$2" "$3" | tar --extract --xattrs --xattrs-include='*' --file=-
`;

function put(path: string, type: "file" | "directory" | "symlink" = "file"): ManifestEntry {
  return { op: "put", path, type };
}

test("createWhiteoutMaker() gives whiteouts that the kernel takes", async () => {
  const maker = createWhiteoutMaker({ directory: base });
  expect(await maker.place(`${upper}/file`)).toBe(true);
  expect(await scanUpper({ below, upper })).toEqual({ entries: [{ op: "delete", path: "file" }], refused: [] });
});
