import { createHash } from "node:crypto";
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";

import { backupDamaged } from "../../errors/messages/workspace.ts";
import { StateError } from "../../errors/state-error.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { isErrno } from "../../union/host-entry.ts";
import type { FileFingerprint, Fingerprint, SavedFingerprint } from "../fingerprint.ts";
import { describeFile, isSameState, takeFingerprint } from "../fingerprint.ts";
import type { AnchoredRoot, EntryOwner } from "./anchored-root.ts";
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
    case "copy": {
      await using source = await open(content.hostPath, READ_FLAGS);
      return await copyIn(root, source, { path: stagedPath, owner, mode: content.mode });
    }
    case "duplicate": {
      await using source = await root.openFile(path);
      return await copyLike(root, source, { stagedPath, like: { ...content.of, mode: content.mode } });
    }
  }
}

/**
 * Saves what is at a path outside the root, durably. A second name keeps the very file or symlink, with its times and
 * attributes. A file that has other names besides can be changed under one of them, so it is copied as well.
 */
export async function saveContent(root: AnchoredRoot, path: string, hostPath: string): Promise<void> {
  const stats = await root.inspect(path);
  const isLinked = await canLink(async () => root.linkOut(path, hostPath));
  if (!stats?.isFile() || (isLinked && stats.nlink === 1n)) return;
  await using source = await root.openFile(path);
  await using copy = await open(copyOf(hostPath), "wx", 0o600);
  await copyContent(source, copy);
  await copy.sync();
}

/**
 * Puts what was saved into the staging directory: the very file or symlink where there is a second name and it is still
 * the same, else a copy with its mode and modification time.
 * @throws StateError when the saved content is not what was saved.
 */
export async function restoreContent(
  root: AnchoredRoot,
  hostPath: string,
  target: { readonly stagedPath: string; readonly path: string; readonly expected: SavedFingerprint },
): Promise<Fingerprint> {
  const { stagedPath, path, expected } = target;
  if (await canLink(async () => root.linkIn(hostPath, stagedPath))) {
    const linked = await takeFingerprint(root, stagedPath);
    if (isSameState(linked, expected)) return linked;
    await root.unlink(stagedPath);
  }
  try {
    if (expected.type === "file") {
      await using source = await open(copyOf(hostPath), READ_FLAGS);
      await copyLike(root, source, { stagedPath, like: expected });
    } else {
      await relink(root, stagedPath, expected);
    }
  } catch (error) {
    if (!isErrno(error, "ENOENT", "ELOOP")) throw error;
    throw new StateError(backupDamaged(displayPath(path)), { cause: error });
  }
  const restored = await takeFingerprint(root, stagedPath);
  if (isSameState(restored, expected)) return restored;
  throw new StateError(backupDamaged(displayPath(path)));
}

/** A copy with the mode, the modification time and, where the engine may give files away, the owner of another file. */
async function copyLike(
  root: AnchoredRoot,
  source: FileHandle,
  { stagedPath, like }: { readonly stagedPath: string; readonly like: FileFingerprint },
): Promise<FileFingerprint> {
  const owner = process.getuid?.() === 0 ? like : undefined;
  return copyIn(root, source, { path: stagedPath, owner, mode: like.mode, mtimeNs: like.mtimeNs });
}

async function relink(
  root: AnchoredRoot,
  path: string,
  expected: SavedFingerprint & { readonly type: "symlink" },
): Promise<void> {
  await root.makeSymlink(expected.target, path);
  if (process.getuid?.() === 0) await root.setOwner(path, expected);
}

/** Where the copy of a saved file is that has other names besides. */
export function copyOf(hostPath: string): string {
  return `${hostPath}.copy`;
}

interface CopyTarget {
  readonly path: string;
  readonly owner: EntryOwner | undefined;
  readonly mode: number;
  readonly mtimeNs?: string;
}

/** Mode and owner are set on the open file, so that nobody can read it who may not, and the content is read once. */
async function copyIn(root: AnchoredRoot, source: FileHandle, to: CopyTarget): Promise<FileFingerprint> {
  await using target = await root.createFile(to.path);
  const sha256 = await copyContent(source, target);
  if (to.owner !== undefined) await target.chown(to.owner.uid, to.owner.gid);
  await target.chmod(to.mode);
  if (to.mtimeNs !== undefined) {
    // Node takes no nanoseconds.
    const mtimeSeconds = Number(BigInt(to.mtimeNs) / 1000n) / 1e6;
    await target.utimes(mtimeSeconds, mtimeSeconds);
  }
  await target.sync();
  return describeFile(await target.stat({ bigint: true }), sha256);
}

async function copyContent(source: FileHandle, target: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  const sizeBytes = (await source.stat()).size;
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(sizeBytes, CHUNK_BYTES)));
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, buffer.byteLength, null);
    if (bytesRead === 0) return hash.digest("hex");
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await target.writeFile(chunk);
  }
}

/** Refused across devices, for files of somebody else, and beyond the file system's limit; impossible when nothing was linked. */
async function canLink(link: () => Promise<void>): Promise<boolean> {
  try {
    await link();
    return true;
  } catch (error) {
    if (isErrno(error, "EXDEV", "EPERM", "EACCES", "EMLINK", "ENOTSUP", "ENOENT")) return false;
    throw error;
  }
}
