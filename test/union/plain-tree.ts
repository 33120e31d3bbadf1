import { lstat, readFile, readlink } from "node:fs/promises";

import type { ReadableWorkspace } from "../../src/contract/workspace.ts";
import { readHostDirectory } from "../../src/union/host-entry.ts";
import { childPath } from "../../src/union/normalize-path.ts";
import { pathFromBytes, toHostPath } from "../../src/union/path-bytes.ts";

/** A whole tree, one line per path: type, mode, content or target. */
export type TreeLines = readonly string[];

/** Reads a directory of the host; devices, sockets and FIFOs are left out. */
export async function readPlainTree(root: string): Promise<TreeLines> {
  const lines: string[] = [];
  const pending = [""];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const { name } of await readHostDirectory(toHostPath(root, directory))) {
      const path = childPath(directory, name);
      const hostPath = toHostPath(root, path);
      const stats = await lstat(hostPath);
      const mode = (stats.mode & 0o777).toString(8);
      if (stats.isDirectory()) {
        lines.push(treeLine(path, "directory", mode));
        pending.push(path);
      } else if (stats.isSymbolicLink()) {
        lines.push(treeLine(path, "symlink", pathFromBytes(await readlink(hostPath, "buffer"))));
      } else if (stats.isFile()) {
        lines.push(treeLine(path, "file", mode, (await readFile(hostPath)).toString("latin1")));
      }
    }
  }
  return lines.sort();
}

/** Reads a workspace by its own methods. */
export async function readWorkspaceTree(workspace: ReadableWorkspace): Promise<TreeLines> {
  const lines: string[] = [];
  const pending = [""];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const { name, type } of await workspace.readDirectory(directory)) {
      const path = childPath(directory, name);
      const stat = await workspace.lstat(path);
      const mode = stat.mode.toString(8);
      if (stat.type !== type) throw new Error(`${path} is listed as a ${type} and is a ${stat.type}`);
      if (type === "directory") {
        lines.push(treeLine(path, type, mode));
        pending.push(path);
      } else if (type === "symlink") {
        lines.push(treeLine(path, type, await workspace.readLink(path)));
      } else {
        lines.push(treeLine(path, type, mode, Buffer.from(await workspace.readFile(path)).toString("latin1")));
      }
    }
  }
  return lines.sort();
}

/** One line of a tree. */
export function treeLine(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
