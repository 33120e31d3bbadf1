import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { ManifestEntry } from "../../src/contract/layer.ts";
import type { WritableWorkspace } from "../../src/contract/workspace.ts";
import { openUnionDraft } from "../../src/union/union-draft.ts";
import { openUnionView, type UnionView } from "../../src/union/union-view.ts";
import { createWhiteoutMaker } from "../../src/union/whiteouts.ts";
import { readPlainTree, type TreeLines } from "../union/plain-tree.ts";

/*
 * Every way out of the workspace that a path can take, against every method. The secret beside the root must not be read,
 * listed, changed or deleted, whether the way out lies in the root or in a layer that a guest has written.
 */

interface Escape {
  readonly name: string;
  readonly path: string;
  readonly reason: "outside-root" | "too-many-links";
}

const escapes: readonly Escape[] = [
  { name: "a path that climbs out", path: "../outside/secret", reason: "outside-root" },
  { name: "a path that climbs out from below", path: "d/../../outside/secret", reason: "outside-root" },
  { name: "a path that climbs out of the mount", path: "/workspace/../outside/secret", reason: "outside-root" },
  { name: "an absolute path", path: "/etc/passwd", reason: "outside-root" },
  { name: "an absolute path that begins like the mount", path: "/workspaces/secret", reason: "outside-root" },
  { name: "a symlink to an absolute path", path: "to-passwd", reason: "outside-root" },
  { name: "a symlink to the file outside", path: "to-secret", reason: "outside-root" },
  { name: "a symlink that climbs out", path: "d/up", reason: "outside-root" },
  { name: "a symlink to the directory above", path: "to-parent/outside/secret", reason: "outside-root" },
  { name: "a symlink among the ancestors", path: "to-outside/secret", reason: "outside-root" },
  { name: "a symlink among the ancestors to a new name", path: "to-outside/new", reason: "outside-root" },
  { name: "a chain of symlinks", path: "chain-1", reason: "outside-root" },
  { name: "a chain through a directory", path: "inner/chain/secret", reason: "outside-root" },
  { name: "a symlink that goes up through another", path: "deep/link/../../../outside/secret", reason: "outside-root" },
  { name: "a symlink through the mount and out", path: "through-mount", reason: "outside-root" },
  { name: "a symlink to nothing outside", path: "to-nothing", reason: "outside-root" },
  { name: "a symlink to itself", path: "loop", reason: "too-many-links" },
  { name: "two symlinks to each other", path: "ping/x", reason: "too-many-links" },
  { name: "a symlink whose target no path can have", path: "to-too-long", reason: "outside-root" },
];

const ways = ["as the end of the path", "where a trailing slash asks for a directory"] as const;

/** Each method, with a path that it follows to the end. */
const methods: Readonly<Record<string, (workspace: WritableWorkspace, path: string) => Promise<unknown>>> = {
  stat: (workspace, path) => workspace.stat(path),
  readFile: (workspace, path) => workspace.readFile(path),
  readDirectory: (workspace, path) => workspace.readDirectory(path),
  realPath: (workspace, path) => workspace.realPath(path),
  writeFile: (workspace, path) => workspace.writeFile(path, "overwritten"),
  setMode: (workspace, path) => workspace.setMode(path, 0o777),
  makeDirectory: (workspace, path) => workspace.makeDirectory(path),
  "lstat below": (workspace, path) => workspace.lstat(`${path}/x`),
  "readLink below": (workspace, path) => workspace.readLink(`${path}/x`),
  "writeFile below": (workspace, path) => workspace.writeFile(`${path}/x`, "written", { exclusive: true }),
  "remove below": (workspace, path) => workspace.remove(`${path}/x`, { recursive: true }),
  "rename from below": (workspace, path) => workspace.rename(`${path}/x`, "stolen"),
  "rename to below": (workspace, path) => workspace.rename("bait", `${path}/x`),
  "makeSymlink below": (workspace, path) => workspace.makeSymlink("bait", `${path}/x`),
};

const LINKS = `
  mkdir -p d inner deep/a
  ln -s /etc/passwd to-passwd
  ln -s "$1/outside/secret" to-secret
  ln -s ../../outside/secret d/up
  ln -s .. to-parent
  ln -s ../outside to-outside
  ln -s chain-2 chain-1; ln -s d/../chain-3 chain-2; ln -s ../outside/secret chain-3
  ln -s ../to-outside inner/chain
  ln -s a deep/link
  ln -s /workspace/../outside/secret through-mount
  ln -s ../outside/nothing to-nothing
  ln -s loop loop
  ln -s pong ping; ln -s ping pong
  ln -s "$(printf '%4000s' x)" to-too-long
`;
const LINK_PATHS =
  "to-passwd to-secret d/up to-parent to-outside chain-1 chain-2 chain-3 inner/chain deep/link through-mount to-nothing loop ping pong to-too-long";
const DIRECTORY_PATHS = "d inner deep deep/a";

let base: string;
let outsideBefore: TreeLines;
const views = new Map<string, UnionView>();

beforeAll(async () => {
  base = await mkdtemp(`${tmpdir()}/union-escape-`);
  await mkdir(`${base}/outside/x`, { recursive: true });
  await writeFile(`${base}/outside/secret`, "secret");
  await writeFile(`${base}/outside/only-outside`, "");
  for (const name of ["linked-root", "plain-root", "upper"]) await mkdir(`${base}/${name}`);
  for (const name of ["linked-root", "plain-root"]) await writeFile(`${base}/${name}/bait`, "bait");
  for (const name of ["linked-root", "upper"]) {
    const made = spawnSync("sh", ["-ec", LINKS, "sh", base], { cwd: `${base}/${name}` });
    if (made.status !== 0) throw new Error(made.stderr.toString());
  }
  const entries: readonly ManifestEntry[] = [
    ...DIRECTORY_PATHS.split(" ").map((path) => ({ op: "put", path, type: "directory" }) as const),
    ...LINK_PATHS.split(" ").map((path) => ({ op: "put", path, type: "symlink" }) as const),
  ];
  views.set("in the root", openUnionView({ root: `${base}/linked-root`, layers: [] }));
  views.set(
    "in a layer",
    openUnionView({ root: `${base}/plain-root`, layers: [{ id: 1, upper: `${base}/upper`, entries }] }),
  );
  outsideBefore = await readPlainTree(`${base}/outside`);
});

afterAll(() => rm(base, { recursive: true, force: true }));

describe.each(["in the root", "in a layer"])("a way out %s", (place) => {
  describe.each(escapes)("$name", ({ path, reason }) => {
    test.each(Object.keys(methods))("is refused by %s()", async (method) => {
      for (const way of ways) {
        const tried = way === ways[0] ? path : `${path}/`;
        const upper = await mkdtemp(`${base}/draft-`);
        const draft = openUnionDraft({
          below: views.get(place)!,
          upper,
          whiteouts: createWhiteoutMaker({ directory: base }),
        });
        await expect(methods[method]!(draft, tried)).rejects.toMatchObject({ name: "WorkspacePathError", reason });
        expect(draft.entries()).toEqual([]);
        expect(await readPlainTree(upper)).toEqual([]);
      }
      expect(await readPlainTree(`${base}/outside`)).toEqual(outsideBefore);
    });
  });
});

describe("a directory that becomes a symlink while it is used", () => {
  test("never shows what lies outside", async () => {
    const root = `${base}/racing-root`;
    await mkdir(`${root}/d/x`, { recursive: true });
    await writeFile(`${root}/d/secret`, "harmless");
    await symlink("../outside", `${root}/evil`);
    const view = openUnionView({ root, layers: [] });
    const race = { goesOn: true };
    const racer = (async () => {
      while (race.goesOn) {
        await rename(`${root}/d`, `${root}/parked`);
        await rename(`${root}/evil`, `${root}/d`);
        await rename(`${root}/d`, `${root}/evil`);
        await rename(`${root}/parked`, `${root}/d`);
      }
    })();
    const seen = new Set<string>();
    for (let attempt = 0; attempt < 1000; attempt += 1) {
      seen.add(await view.readFile("d/secret").then((bytes) => Buffer.from(bytes).toString(), reasonOf));
      seen.add(await view.readDirectory("d").then((names) => names.map(({ name }) => name).join(" "), reasonOf));
    }
    race.goesOn = false;
    await racer;
    expect(
      [...seen].filter(
        (one) => !["harmless", "secret x", "not-found", "outside-root", "not-a-directory"].includes(one),
      ),
    ).toEqual([]);
    expect(Buffer.from(await view.readFile("d/secret")).toString()).toBe("harmless");
    expect(await readFile(`${base}/outside/secret`, "utf8")).toBe("secret");
  });
});

function reasonOf(error: unknown): string {
  return error instanceof Error && "reason" in error ? String(error.reason) : String(error);
}
