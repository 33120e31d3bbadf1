import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Execution, RunOptions, SandboxRequest } from "../../../src/contract/sandbox.ts";
import { createVirtualBackend } from "../../../src/sandbox/virtual/virtual-backend.ts";
import { scanUpper } from "../../../src/union/scan-upper.ts";
import { openUnionView } from "../../../src/union/union-view.ts";

/** What a tree holds: a string is a file, `{ link }` a symlink; directories are implied, an empty one ends in `/`. */
export type Tree = Readonly<Record<string, string | { readonly link: string }>>;

/** A root with an empty layer on it, in a directory of its own. */
export interface VirtualWorkspace extends AsyncDisposable {
  readonly folder: string;
  readonly request: SandboxRequest;
  /** Runs one script in a session of its own, and reads back what it changed. */
  run(script: string, options?: Partial<RunOptions>): Promise<{ execution: Execution; entries: readonly string[] }>;
  /** What the root holds, to show that it is left alone. */
  root(): Promise<Tree>;
  /** The content of a file of the layer. */
  layerFile(path: string): Promise<string>;
}

export async function createVirtualWorkspace(tree: Tree): Promise<VirtualWorkspace> {
  const folder = await mkdtemp(join(tmpdir(), "cofferdam-virtual-"));
  const [root, upper, work] = ["root", "upper", "work"].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [root, upper, work]) await mkdir(each);
  await plant(root, tree);
  const mount = { root, lowers: [], upper, work };
  return {
    folder,
    request: { mount },
    async run(script, options = {}) {
      await using session = await createVirtualBackend().open({ mount });
      const execution = await session.run({ kind: "shell", script }, { timeoutMs: 30_000, ...options });
      const below = openUnionView({ root, layers: [] });
      const { entries } = await scanUpper({ below, upper, reported: session.reportedEntries?.() ?? [] });
      return {
        execution,
        entries: entries.map((entry) => (entry.op === "put" ? `${entry.type} ${entry.path}` : `delete ${entry.path}`)),
      };
    },
    root: async () => await list(root),
    layerFile: async (path) => await readFile(join(upper, path), "utf8"),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function plant(root: string, tree: Tree): Promise<void> {
  for (const [path, content] of Object.entries(tree)) {
    const full = join(root, path);
    await mkdir(path.endsWith("/") ? full : join(full, ".."), { recursive: true });
    if (path.endsWith("/")) continue;
    if (typeof content === "string") await writeFile(full, content);
    else await symlink(content.link, full);
  }
}

/** Node's own recursive listing follows symlinks, which lead out of a hostile tree. */
async function list(root: string, folder = "", tree: Record<string, string | { link: string }> = {}): Promise<Tree> {
  for (const name of (await readdir(join(root, folder))).sort()) {
    const path = join(folder, name);
    const full = join(root, path);
    const stat = await lstat(full);
    if (stat.isSymbolicLink()) tree[path] = { link: await readlink(full) };
    else if (stat.isDirectory()) await list(root, path, tree);
    else tree[path] = await readFile(full, "utf8");
  }
  return tree;
}
