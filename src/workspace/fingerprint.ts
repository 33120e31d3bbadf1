import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

import { isErrno } from "../union/host-entry.ts";
import { MAX_FILE_BYTES } from "../union/read-limits.ts";
import type { AnchoredRoot } from "./landing/anchored-root.ts";

/**
 * What is at a path of the root, precisely enough to know later whether it is still the same, and to put it back.
 * Nanoseconds and inode numbers are strings, because they do not fit a JSON number.
 */
export type Fingerprint =
  | { readonly type: "absent" }
  /** A socket, FIFO or device, or a file that the engine may not read or that is too large: never landed on. */
  | { readonly type: "other" }
  | ({ readonly type: "directory" } & EntryMetadata)
  | SavedFingerprint;

/** The fingerprint of what has content that landing saves. */
export type SavedFingerprint =
  FileFingerprint | ({ readonly type: "symlink"; readonly target: string } & EntryMetadata);

/** The fingerprint of a file. */
export type FileFingerprint = {
  readonly type: "file";
  readonly sizeBytes: number;
  readonly mtimeNs: string;
  readonly inode: string;
  readonly sha256: string;
} & EntryMetadata;

interface EntryMetadata {
  /** Permission bits, with set-id and sticky bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly ctimeNs: string;
}

const CHUNK_BYTES = 1 << 20;

/** Reads what is at a path now. */
export async function takeFingerprint(root: AnchoredRoot, path: string): Promise<Fingerprint> {
  const stats = await root.inspect(path);
  if (stats === undefined) return { type: "absent" };
  const metadata = describe(stats);
  if (stats.isDirectory()) return { type: "directory", ...metadata };
  if (stats.isSymbolicLink()) return { type: "symlink", target: await root.readLink(path), ...metadata };
  if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return { type: "other" };
  try {
    return await fingerprintFile(root, path);
  } catch (error) {
    if (isErrno(error, "EACCES")) return { type: "other" };
    throw error;
  }
}

/** Whether the root still has at `path` what `expected` says. */
export async function isUnchanged(root: AnchoredRoot, path: string, expected: Fingerprint): Promise<boolean> {
  return (await confirmFingerprint(root, path, expected)) !== undefined;
}

/**
 * The present fingerprint of a path that is still as `expected` says, else `undefined`. A file whose inode, size and
 * times are the same is not read again.
 */
export async function confirmFingerprint(
  root: AnchoredRoot,
  path: string,
  expected: Fingerprint,
): Promise<Fingerprint | undefined> {
  const stats = await root.inspect(path);
  if (stats?.isFile() && expected.type === "file") {
    if (modeOf(stats) !== expected.mode || Number(stats.size) !== expected.sizeBytes) return undefined;
    if (hasSameTimes(stats, expected)) return expected;
  }
  const present = await takeFingerprint(root, path);
  return isSameState(present, expected) ? present : undefined;
}

/** Whether two fingerprints describe the same thing: type, mode, content; not when it was written or under which inode. */
export function isSameState(left: Fingerprint, right: Fingerprint): boolean {
  if (left.type !== right.type) return false;
  if (left.type === "absent") return true;
  if (left.type === "symlink") return right.type === "symlink" && left.target === right.target;
  if (left.type === "directory") return right.type === "directory" && left.mode === right.mode;
  if (left.type === "file") return right.type === "file" && left.mode === right.mode && left.sha256 === right.sha256;
  return false;
}

async function fingerprintFile(root: AnchoredRoot, path: string): Promise<FileFingerprint> {
  await using handle = await root.openFile(path);
  const stats = await handle.stat({ bigint: true });
  return describeFile(stats, await hashContent(handle, Number(stats.size)));
}

/** The fingerprint of an open file whose content is known. */
export function describeFile(stats: BigIntStats, sha256: string): FileFingerprint {
  return {
    type: "file",
    sizeBytes: Number(stats.size),
    mtimeNs: String(stats.mtimeNs),
    inode: String(stats.ino),
    sha256,
    ...describe(stats),
  };
}

/** What was appended since the size was taken shows in the size that the file has later. */
async function hashContent(handle: FileHandle, sizeBytes: number): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(Math.min(sizeBytes, CHUNK_BYTES));
  for (let position = 0; position < sizeBytes;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, position);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return hash.digest("hex");
}

function describe(stats: BigIntStats): EntryMetadata {
  return { mode: modeOf(stats), uid: Number(stats.uid), gid: Number(stats.gid), ctimeNs: String(stats.ctimeNs) };
}

function modeOf(stats: BigIntStats): number {
  return Number(stats.mode & 0o7777n);
}

/** The change time cannot be set by a program, so an edit cannot hide behind a modification time that was put back. */
function hasSameTimes(stats: BigIntStats, expected: FileFingerprint): boolean {
  return (
    String(stats.ino) === expected.inode &&
    String(stats.mtimeNs) === expected.mtimeNs &&
    String(stats.ctimeNs) === expected.ctimeNs
  );
}
