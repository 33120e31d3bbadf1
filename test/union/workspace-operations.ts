import { chmod, lstat, mkdir, readdir, rename, rm, rmdir, stat, symlink, writeFile, unlink } from "node:fs/promises";

import * as fc from "fast-check";

import type { WritableWorkspace } from "../../src/contract/workspace.ts";
import { parentPath } from "../../src/union/normalize-path.ts";
import { toHostPath } from "../../src/union/path-bytes.ts";

/** One change of a workspace, as data. */
export type WorkspaceOperation =
  | { readonly op: "write"; readonly path: string; readonly content: string; readonly mode: number | undefined }
  | { readonly op: "create"; readonly path: string }
  | { readonly op: "makeDirectory"; readonly path: string }
  | { readonly op: "remove"; readonly path: string; readonly recursive: boolean }
  | { readonly op: "rename"; readonly path: string; readonly to: string; readonly overwrite: boolean }
  | { readonly op: "setMode"; readonly path: string; readonly mode: number }
  | { readonly op: "symlink"; readonly path: string; readonly target: string };

/** Few names, so that the operations meet: an ordinary one, one with a newline, one that is not UTF-8. */
const name = fc.constantFrom("a", "b", "c", "d\ne", "\udcff");
const path = fc.oneof(
  name,
  fc.array(name, { minLength: 2, maxLength: 2 }).map((names) => names.join("/")),
  fc.array(name, { minLength: 3, maxLength: 3 }).map((names) => names.join("/")),
);
const content = fc.constantFrom("", "one", "two\r\n", "\u0000\u00ff");
const mode = fc.constantFrom(0o644, 0o755, 0o700);
const target = fc.constantFrom("a", "b/c", "nowhere", "./c", "b");

/** Any operation on a small tree. */
export const anyOperation: fc.Arbitrary<WorkspaceOperation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant("write" as const),
      path,
      content,
      mode: fc.option(mode, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("create" as const), path }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("makeDirectory" as const), path }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("remove" as const), path, recursive: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("rename" as const), path, to: path, overwrite: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("setMode" as const), path, mode }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("symlink" as const), path, target }) },
);

/** Does it to a workspace. */
export async function applyToWorkspace(workspace: WritableWorkspace, change: WorkspaceOperation): Promise<void> {
  switch (change.op) {
    case "write":
      return workspace.writeFile(
        change.path,
        Buffer.from(change.content, "latin1"),
        change.mode === undefined ? {} : { mode: change.mode },
      );
    case "create":
      return workspace.writeFile(change.path, "new", { exclusive: true });
    case "makeDirectory":
      return workspace.makeDirectory(change.path);
    case "remove":
      return workspace.remove(change.path, { recursive: change.recursive });
    case "rename":
      return workspace.rename(change.path, change.to, { overwrite: change.overwrite });
    case "setMode":
      return workspace.setMode(change.path, change.mode);
    case "symlink":
      return workspace.makeSymlink(change.target, change.path);
  }
}

/** Does the same to a plain directory, by the kernel's own calls. Refuses what a workspace refuses. */
export async function applyToDirectory(root: string, change: WorkspaceOperation): Promise<void> {
  const at = (path: string): string | Buffer => toHostPath(root, path);
  switch (change.op) {
    case "write":
      return write(root, change.path, { content: change.content, mode: change.mode });
    case "create":
      if (await exists(at(change.path))) throw new Error("exists");
      return write(root, change.path, { content: "new", mode: undefined });
    case "makeDirectory":
      return makeDirectories(root, change.path);
    case "remove": {
      const isDirectory = (await lstat(at(change.path))).isDirectory();
      if (!isDirectory) return unlink(at(change.path));
      return change.recursive ? rm(at(change.path), { recursive: true }) : rmdir(at(change.path));
    }
    case "rename":
      return move(root, change);
    case "setMode":
      return chmod(at(change.path), change.mode);
    case "symlink":
      return symlink(change.target, at(change.path));
  }
}

async function exists(hostPath: string | Buffer): Promise<boolean> {
  return lstat(hostPath).then(
    () => true,
    () => false,
  );
}

async function write(
  root: string,
  path: string,
  how: { readonly content: string; readonly mode: number | undefined },
): Promise<void> {
  const hostPath = toHostPath(root, path);
  const wasThere = await stat(hostPath).then(
    (stats) => stats,
    () => undefined,
  );
  if (!(await exists(hostPath))) await makeDirectories(root, parentPath(path));
  await writeFile(hostPath, Buffer.from(how.content, "latin1"));
  const mode = how.mode ?? (wasThere === undefined ? 0o644 : undefined);
  if (mode !== undefined) await chmod(hostPath, mode);
}

async function makeDirectories(root: string, path: string): Promise<void> {
  if (path === "") return;
  const hostPath = toHostPath(root, path);
  if (await exists(hostPath)) {
    // Fails for a file and for a symlink to one.
    await readdir(hostPath);
    return;
  }
  await makeDirectories(root, parentPath(path));
  await mkdir(hostPath);
  await chmod(hostPath, 0o755);
}

async function move(root: string, change: Extract<WorkspaceOperation, { op: "rename" }>): Promise<void> {
  const [from, to] = [toHostPath(root, change.path), toHostPath(root, change.to)];
  const source = await lstat(from);
  if (await exists(to)) {
    const target = await lstat(to);
    if (target.ino === source.ino) return;
    if (!change.overwrite || target.isDirectory()) throw new Error("exists");
  }
  await rename(from, to);
}
