import { chmod, copyFile, lchown, link, lstat, mkdir, readlink, symlink } from "node:fs/promises";

import type { ManifestEntry } from "../contract/layer.ts";
import { isErrno } from "../union/host-entry.ts";
import { toHostPath } from "../union/path-bytes.ts";
import type { UnionView } from "../union/union-view.ts";
import type { WhiteoutMaker } from "../union/whiteouts.ts";
import { lookUp } from "./compare-views.ts";
import { ancestorsOf } from "./path-relations.ts";

/** What an upper directory is built from. */
export interface UpperPlan {
  /** Has the content and the directories that the entries name. */
  readonly view: UnionView;
  readonly whiteouts: WhiteoutMaker;
  /** Whose owner and mode the new directory takes over. */
  readonly source: string;
  readonly upper: string;
}

/** Makes an upper directory that says what `entries` say, with hard links to the content that is there. */
export async function buildUpper(entries: readonly ManifestEntry[], plan: UpperPlan): Promise<void> {
  const directories = new Map<string, string | Buffer>();
  await mkdir(plan.upper, { mode: 0o700 });
  directories.set("", plan.source);
  for (const entry of entries) {
    for (const above of ancestorsOf(entry.path)) await makeDirectory(above, { plan, directories });
    if (entry.op === "delete") await plan.whiteouts.place(toHostPath(plan.upper, entry.path));
    else if (entry.type === "directory") await makeDirectory(entry.path, { plan, directories });
    else await carryOver(entry.path, plan);
  }
  // Last and from the inside out, because a directory may be closed to writing.
  for (const [path, like] of [...directories].toReversed()) {
    await takeOver(like, path === "" ? plan.upper : toHostPath(plan.upper, path));
  }
}

async function makeDirectory(
  path: string,
  { plan, directories }: { readonly plan: UpperPlan; readonly directories: Map<string, string | Buffer> },
): Promise<void> {
  if (directories.has(path)) return;
  const located = await lookUp(plan.view, path);
  await mkdir(toHostPath(plan.upper, path), { mode: 0o700 });
  directories.set(path, located?.hostPath ?? plan.source);
}

async function carryOver(path: string, plan: UpperPlan): Promise<void> {
  const located = await lookUp(plan.view, path);
  if (located === undefined) return;
  const target = toHostPath(plan.upper, path);
  if (located.stat.type === "symlink") {
    await symlink(await readlink(located.hostPath, { encoding: "buffer" }), target);
    return copyOwner(located.hostPath, target);
  }
  try {
    await link(located.hostPath, target);
  } catch (error) {
    // Linking is refused for files of somebody else, and beyond the file system's limit.
    if (!isErrno(error, "EPERM", "EACCES", "EMLINK", "EXDEV")) throw error;
    await copyFile(located.hostPath, target);
    await takeOver(located.hostPath, target);
  }
}

async function takeOver(from: string | Buffer, to: string | Buffer): Promise<void> {
  await copyOwner(from, to);
  await chmod(to, (await lstat(from)).mode & 0o777);
}

async function copyOwner(from: string | Buffer, to: string | Buffer): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const stats = await lstat(from);
  await lchown(to, stats.uid, stats.gid);
}
