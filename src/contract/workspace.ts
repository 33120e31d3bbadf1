import type { EntryType } from "./change.ts";

/** What `lstat` of a path in a workspace says. */
export interface EntryStat {
  readonly type: EntryType;
  /** Permission bits only (`0o777` and below). */
  readonly mode: number;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

/** One name in a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly type: EntryType;
}

/**
 * The read-only view of a workspace: the root with every kept layer on top, as one tree.
 *
 * Paths are relative to the root with `/` between parts; `.` and `""` are the root itself, and a leading `/workspace/`
 * (where every sandbox mounts the tree) is accepted. Symlinks are followed inside the tree only.
 * A name that is not UTF-8 is held as a string in which each stray byte `0x80`–`0xff` is the lone surrogate
 * `U+DC80`–`U+DCFF`.
 *
 * Every method throws `WorkspacePathError` for what POSIX would answer with an error number (`not-found`,
 * `is-a-directory`, `outside-root`, …). No message holds a path of the host.
 */
export interface ReadableWorkspace {
  /** The entry itself; a symlink is not followed. */
  lstat(path: string): Promise<EntryStat>;
  /** The entry that the path leads to. */
  stat(path: string): Promise<EntryStat>;
  /**
   * The bytes of a file, whole or in part.
   * @throws WorkspacePathError `too-large` when more than `maxBytes` would have to be read.
   */
  readFile(path: string, options?: ReadFileOptions): Promise<Uint8Array>;
  /** The names in a directory, sorted by their bytes. Devices, sockets and FIFOs are left out. */
  readDirectory(path: string): Promise<readonly DirectoryEntry[]>;
  /** Where a symlink points, as written in it. */
  readLink(path: string): Promise<string>;
  /** The path with every symlink resolved, relative to the root (`""` for the root). */
  realPath(path: string): Promise<string>;
}

/** Which part of a file to read. */
export interface ReadFileOptions {
  /** @default 0 */
  readonly offsetBytes?: number;
  /** How many bytes at most; reading stops there without an error. */
  readonly lengthBytes?: number;
  /** Refuse a file that is larger than this. */
  readonly maxBytes?: number;
}

/** A workspace that takes changes; they go to one layer and never to the root. */
export interface WritableWorkspace extends ReadableWorkspace {
  /**
   * Writes a whole file, following a symlink that stays inside the tree. Missing parent directories are made. An
   * existing file keeps its mode unless `mode` is given; a new one gets `0o644`.
   */
  writeFile(path: string, content: Uint8Array | string, options?: WriteFileOptions): Promise<void>;
  /** Makes a directory and its missing parents; an existing one is left as it is. */
  makeDirectory(path: string): Promise<void>;
  /** Removes a file, a symlink or an empty directory; with `recursive` a directory and all below it. */
  remove(path: string, options?: { readonly recursive?: boolean }): Promise<void>;
  /** Moves a file, symlink or directory; the target must not exist unless `overwrite` is set (files and symlinks). */
  rename(from: string, to: string, options?: { readonly overwrite?: boolean }): Promise<void>;
  /** Sets the permission bits (`0o777` and below) of a file or directory. */
  setMode(path: string, mode: number): Promise<void>;
  /** Makes a symlink that points to `target`, kept as written. */
  makeSymlink(target: string, path: string): Promise<void>;
}

/** How to write a file. */
export interface WriteFileOptions {
  /** Permission bits; set-id and sticky bits are cut off. */
  readonly mode?: number;
  /** Fail with `exists` when there is something already. */
  readonly exclusive?: boolean;
}
