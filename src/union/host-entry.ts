import { readdirSync, type Dirent, type Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";

import type { EntryType } from "../contract/change.ts";
import type { EntryStat } from "../contract/workspace.ts";
import { CofferdamError } from "../errors/cofferdam-error.ts";
import { fileSystemFailure, pathError, type PathRequest } from "../errors/messages/path.ts";
import { StateError } from "../errors/state-error.ts";
import type { PathErrorReason } from "../errors/workspace-path-error.ts";
import { pathFromBytes } from "./path-bytes.ts";

/** Permission bits; set-id and sticky bits are no part of a workspace. */
export const PERMISSION_BITS = 0o777;

/** What lies at a path of the host; `special` is everything that no workspace holds. */
export type HostEntry = EntryStat | "special" | undefined;

/** Looks at one entry of the host itself. `undefined` when there is none, or no directory that could hold it. */
export async function inspectEntry(hostPath: string | Buffer): Promise<HostEntry> {
  const stats = await lstatIfPresent(hostPath);
  return stats === undefined ? undefined : toEntryStat(stats);
}

/** `lstat`, with `undefined` for what is not there. */
export async function lstatIfPresent(hostPath: string | Buffer): Promise<Stats | undefined> {
  try {
    return await lstat(hostPath);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** What a workspace shows of an entry of the host. */
export function toEntryStat(stats: Stats): EntryStat | "special" {
  const type = entryTypeOf(stats);
  if (type === undefined) return "special";
  return { type, mode: stats.mode & PERMISSION_BITS, sizeBytes: stats.size, mtimeMs: stats.mtimeMs };
}

/** The type of an entry of the host; `undefined` for devices, sockets and FIFOs. */
export function entryTypeOf(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): EntryType | undefined {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : undefined;
}

/** One directory of the host, names as paths have them; `atOnce` reads a small one without Node's thread pool. */
export async function readHostDirectory(
  hostPath: string | Buffer,
  { atOnce = false }: { readonly atOnce?: boolean } = {},
): Promise<readonly { readonly name: string; readonly dirent: Dirent | Dirent<Buffer> }[]> {
  const dirents = atOnce
    ? readdirSync(hostPath, { withFileTypes: true })
    : await readdir(hostPath, { withFileTypes: true });
  // The replacement character says that a name may not be UTF-8; only then the slower reading of bytes is worth it.
  if (!dirents.some(({ name }) => name.includes("\ufffd")))
    return dirents.map((dirent) => ({ name: dirent.name, dirent }));
  const exact = await readdir(hostPath, { withFileTypes: true, encoding: "buffer" });
  return exact.map((dirent) => ({ name: pathFromBytes(dirent.name), dirent }));
}

/** Whether an error is one of the file system's, with one of these codes. */
export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/**
 * Runs one operation on the host's file system and turns its errors into those of the path that was asked for, so that
 * no path of the host reaches a model.
 */
export async function answering<T>(request: PathRequest, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof CofferdamError || !(error instanceof Error) || !("code" in error)) throw error;
    const reason = REASONS.get(String(error.code));
    if (reason !== undefined) throw pathError(reason, request);
    throw new StateError(fileSystemFailure(request, String(error.code)), { cause: error });
  }
}

const REASONS: ReadonlyMap<string, PathErrorReason> = new Map([
  ["ENOENT", "not-found"],
  ["ENOTDIR", "not-a-directory"],
  ["EISDIR", "is-a-directory"],
  ["EEXIST", "exists"],
  ["ENOTEMPTY", "not-empty"],
  ["ENAMETOOLONG", "invalid-path"],
  ["EACCES", "permission-denied"],
  ["EPERM", "permission-denied"],
  ["ERR_ACCESS_DENIED", "permission-denied"],
]);
