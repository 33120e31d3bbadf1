import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { UnionView } from "../../../src/union/union-view.ts";
import { pathFromBytes } from "../../../src/union/path-bytes.ts";
import { walkBelow } from "../../../src/workspace/compare-views.ts";
import type { Workspace, WorkspaceOptions } from "../../../src/workspace/workspace.ts";
import { openWorkspace } from "../../../src/workspace/workspace.ts";

/** A root and a place for state, in a temporary directory of their own. */
export interface WorkspaceFixture extends AsyncDisposable {
  readonly base: string;
  readonly root: string;
  readonly stateHome: string;
  open(options?: Omit<WorkspaceOptions, "root" | "stateHome">): Promise<Workspace>;
}

/** Makes a root that `fill` may fill. */
export async function makeFixture(fill: (root: string) => void = () => undefined): Promise<WorkspaceFixture> {
  const base = await mkdtemp(join(tmpdir(), "cofferdam-workspace-"));
  const root = join(base, "root");
  const stateHome = join(base, "state");
  mkdirSync(root);
  fill(root);
  return {
    base,
    root,
    stateHome,
    open: async (options = {}) => openWorkspace({ root, stateHome, ...options }),
    [Symbol.asyncDispose]: async () => rm(base, { recursive: true, force: true }),
  };
}

/** Every entry of a tree by its path: type, permission bits, and content or target. */
export type Tree = Readonly<Record<string, string>>;

/** Reads a real directory. */
export function readTree(directory: string, options: { readonly times?: boolean } = {}): Tree {
  const tree: Record<string, string> = {};
  const visit = (relative: Buffer): void => {
    const path =
      relative.length === 0 ? Buffer.from(directory) : Buffer.concat([Buffer.from(`${directory}/`), relative]);
    const stats = lstatSync(path, { bigint: true });
    const mode = Number(stats.mode & 0o7777n).toString(8);
    const time = options.times && !stats.isDirectory() ? ` ${stats.mtimeNs}` : "";
    const key = pathFromBytes(relative);
    if (stats.isSymbolicLink())
      tree[key] = `symlink ${pathFromBytes(readlinkSync(path, { encoding: "buffer" }))}${time}`;
    else if (stats.isFile()) tree[key] = `file ${mode} ${digest(readFileSync(path))}${time}`;
    else tree[key] = stats.isDirectory() ? `directory ${mode}` : "other";
    if (!stats.isDirectory()) return;
    for (const name of readdirSync(path, { encoding: "buffer" })) {
      visit(relative.length === 0 ? name : Buffer.concat([relative, Buffer.from("/"), name]));
    }
  };
  visit(Buffer.alloc(0));
  return tree;
}

/** Reads a view the same way. */
export async function readView(view: UnionView): Promise<Tree> {
  const tree: Record<string, string> = { "": `directory ${(await view.lstat("")).mode.toString(8)}` };
  for await (const path of walkBelow(view, "")) {
    const { type, mode } = await view.lstat(path);
    if (type === "symlink") tree[path] = `symlink ${await view.readLink(path)}`;
    else if (type === "directory") tree[path] = `directory ${mode.toString(8)}`;
    else tree[path] = `file ${mode.toString(8)} ${digest(await view.readFile(path))}`;
  }
  return tree;
}

function digest(content: Uint8Array): string {
  if (content.byteLength <= 40 && content.every((byte) => byte >= 0x20 && byte < 0x7f)) {
    return JSON.stringify(Buffer.from(content).toString());
  }
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}
