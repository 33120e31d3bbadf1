import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";

import { backupDamaged } from "../../errors/messages/workspace.ts";
import { StateError } from "../../errors/state-error.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { isErrno } from "../../union/host-entry.ts";
import type { FileFingerprint, Fingerprint } from "../fingerprint.ts";
import { takeFingerprint } from "../fingerprint.ts";
import type { AnchoredRoot } from "./anchored-root.ts";
import type { PlannedStep } from "./landing-step.ts";

/** A FIFO must not hang the open. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 1 << 20;

/** Puts what a step brings into the staging directory, durably; gives what will be at its path. */
export async function stageContent(root: AnchoredRoot, step: PlannedStep, stagedPath: string): Promise<Fingerprint> {
  const { content, owner, path } = step;
  switch (content.kind) {
    case "none":
      return content.after;
    case "restore":
      return restoreContent(root, content.hostPath, { stagedPath, path, expected: content.expected });
    case "symlink":
      await root.makeSymlink(content.target, stagedPath);
      if (owner !== undefined) await root.setOwner(stagedPath, owner);
      return takeFingerprint(root, stagedPath);
    case "copy":
      await copyIn(root, content.hostPath, stagedPath);
      if (owner !== undefined) await root.setOwner(stagedPath, owner);
      await root.setMode(stagedPath, content.mode);
      return takeFingerprint(root, stagedPath);
  }
}

/** Saves the present content of a file outside the root, durably: a second name where that will do, else a copy. */
export async function saveContent(root: AnchoredRoot, path: string, hostPath: string): Promise<void> {
  const stats = await root.inspect(path);
  // A file with other names can be changed under one of them, and what is saved must not change.
  if (stats?.nlink === 1n && (await canLink(async () => root.linkOut(path, hostPath)))) return;
  await using source = await root.openFile(path);
  await using copy = await open(hostPath, "wx", 0o600);
  await copyContent(source, copy);
}

/**
 * Puts a saved file into the staging directory: the very file where it was saved by a second name, so that its times and
 * attributes are what they were, else a copy with its mode and modification time.
 * @throws StateError when the saved content is not what was saved.
 */
export async function restoreContent(
  root: AnchoredRoot,
  hostPath: string,
  target: { readonly stagedPath: string; readonly path: string; readonly expected: FileFingerprint },
): Promise<Fingerprint> {
  const { stagedPath, path, expected } = target;
  try {
    if (!(await isSameInode(hostPath, expected)) || !(await canLink(async () => root.linkIn(hostPath, stagedPath)))) {
      await copyBack(root, hostPath, { stagedPath, expected });
    }
  } catch (error) {
    if (!isErrno(error, "ENOENT", "ELOOP")) throw error;
    throw new StateError(backupDamaged(displayPath(path)), { cause: error });
  }
  const restored = await takeFingerprint(root, stagedPath);
  if (restored.type === "file" && restored.sha256 === expected.sha256) return restored;
  throw new StateError(backupDamaged(displayPath(path)));
}

async function copyBack(
  root: AnchoredRoot,
  hostPath: string,
  { stagedPath, expected }: { readonly stagedPath: string; readonly expected: FileFingerprint },
): Promise<void> {
  await copyIn(root, hostPath, stagedPath);
  if (process.getuid?.() === 0) await root.setOwner(stagedPath, expected);
  await using handle = await root.openFile(stagedPath);
  // Node takes no nanoseconds.
  const mtimeSeconds = Number(BigInt(expected.mtimeNs) / 1000n) / 1e6;
  await handle.utimes(mtimeSeconds, mtimeSeconds);
  await root.setMode(stagedPath, expected.mode);
}

async function isSameInode(hostPath: string, expected: FileFingerprint): Promise<boolean> {
  await using handle = await open(hostPath, READ_FLAGS);
  return String((await handle.stat({ bigint: true })).ino) === expected.inode;
}

async function copyIn(root: AnchoredRoot, hostPath: string | Buffer, path: string): Promise<void> {
  await using source = await open(hostPath, READ_FLAGS);
  await using target = await root.createFile(path);
  await copyContent(source, target);
}

async function copyContent(source: FileHandle, target: FileHandle): Promise<void> {
  await target.writeFile(source.createReadStream({ autoClose: false, highWaterMark: CHUNK_BYTES }));
  await target.sync();
}

/** Refused across devices, for files of somebody else, and beyond the file system's limit. */
async function canLink(link: () => Promise<void>): Promise<boolean> {
  try {
    await link();
    return true;
  } catch (error) {
    if (isErrno(error, "EXDEV", "EPERM", "EACCES", "EMLINK", "ENOTSUP")) return false;
    throw error;
  }
}
