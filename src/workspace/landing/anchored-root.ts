/**
 * Every access below the root that landing makes goes through here, because the tree is the attacker's target: a layer
 * may plant a symlink, and a process may swap a directory for one at any moment. A path is never handed to the kernel
 * as a whole. Each directory on the way is opened with O_NOFOLLOW from the one above it, and the last name is used
 * relative to that open directory, so no symlink is followed in any component and none can be slipped in between
 * looking and acting. Node has no `openat`; on Linux `/proc/self/fd/<fd>/<name>` says the same.
 *
 * Elsewhere each component is looked at just before use, which leaves a gap of microseconds that Node cannot close.
 *
 * Not meant for concurrent use: a directory that stays open may be closed by the next operation.
 */
import type { BigIntStats } from "node:fs";
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import {
  chmod,
  lchown,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
} from "node:fs/promises";

import { pathFromBytes, pathToBytes, toHostPath } from "../../union/path-bytes.ts";
import { isErrno } from "../../union/host-entry.ts";
import { nameOf, parentOf } from "../path-relations.ts";

const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** A FIFO must not hang the open. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Linux's O_PATH, which Node does not name: refers to an entry without needing permission to read it. */
const PATH_FLAGS = 0o10000000 | constants.O_NOFOLLOW;
/** Directories that stay open, because the next path is mostly a neighbour. Two are in use at a time at most. */
const MAX_OPEN_DIRECTORIES = 8;

/** Whom an entry belongs to. */
export interface EntryOwner {
  readonly uid: number;
  readonly gid: number;
}

/** A directory whose entries can be reached without ever following a symlink. */
export class AnchoredRoot implements AsyncDisposable {
  readonly #root: string;
  readonly #isLinux: boolean;
  readonly #open = new Map<string, FileHandle>();

  constructor(root: string, options: { readonly platform?: NodeJS.Platform } = {}) {
    this.#root = root;
    this.#isLinux = (options.platform ?? process.platform) === "linux";
  }

  /** What `lstat` says; `undefined` when nothing is there, or when something above it is no directory. */
  async inspect(path: string): Promise<BigIntStats | undefined> {
    try {
      // The link in /proc that stands for the root is not the root.
      if (path === "" && this.#isLinux) return await (await this.#openDirectory("")).stat({ bigint: true });
      return await lstat(await this.#locate(path), { bigint: true });
    } catch (error) {
      if (isErrno(error, "ENOENT", "ENOTDIR", "ELOOP")) return undefined;
      throw error;
    }
  }

  /** The target of a symlink, as written. */
  async readLink(path: string): Promise<string> {
    return pathFromBytes(await readlink(await this.#locate(path), { encoding: "buffer" }));
  }

  /** The names in a directory, of any type. */
  async list(path: string): Promise<readonly string[]> {
    const names = await readdir(await this.#directory(path), { encoding: "buffer" });
    return names.map((name) => pathFromBytes(name));
  }

  /** Opens a file for reading. */
  async openFile(path: string): Promise<FileHandle> {
    return open(await this.#locate(path), READ_FLAGS);
  }

  /** Makes a file that must not be there yet, and opens it for writing. */
  async createFile(path: string): Promise<FileHandle> {
    return open(await this.#locate(path), CREATE_FLAGS, 0o600);
  }

  /** Makes a directory that only its owner can enter, until `setMode`. */
  async makeDirectory(path: string): Promise<void> {
    await mkdir(await this.#locate(path), { mode: 0o700 });
  }

  /** Makes a symlink that must not be there yet. */
  async makeSymlink(target: string, path: string): Promise<void> {
    await symlink(pathToBytes(target), await this.#locate(path));
  }

  /** Moves `from` over `to`. */
  async rename(from: string, to: string): Promise<void> {
    await rename(await this.#locate(from), await this.#locate(to));
  }

  /** Gives `from` a second name, which must not be there yet. */
  async link(from: string, to: string): Promise<void> {
    await link(await this.#locate(from), await this.#locate(to));
  }

  /** Gives an entry a second name outside the root. */
  async linkOut(path: string, hostPath: string): Promise<void> {
    await link(await this.#locate(path), hostPath);
  }

  /** Gives a file outside the root a second name in it. */
  async linkIn(hostPath: string, path: string): Promise<void> {
    await link(hostPath, await this.#locate(path));
  }

  /** Removes a file or symlink. */
  async unlink(path: string): Promise<void> {
    await unlink(await this.#locate(path));
  }

  /** Removes an empty directory. */
  async removeDirectory(path: string): Promise<void> {
    const opened = this.#open.get(path);
    this.#open.delete(path);
    await opened?.close();
    await rmdir(await this.#locate(path));
  }

  /** Sets the mode of a file or directory; never that of what a symlink points to. */
  async setMode(path: string, mode: number): Promise<void> {
    const located = await this.#locate(path);
    if (!this.#isLinux) {
      if ((await lstat(located)).isSymbolicLink()) throw refusal("ELOOP");
      return chmod(located, mode);
    }
    await using handle = await open(located, PATH_FLAGS);
    if ((await handle.stat()).isSymbolicLink()) throw refusal("ELOOP");
    await chmod(`/proc/self/fd/${handle.fd}`, mode);
  }

  /** Sets the owner of the entry itself. */
  async setOwner(path: string, owner: EntryOwner): Promise<void> {
    await lchown(await this.#locate(path), owner.uid, owner.gid);
  }

  /** Makes what happened to the names in a directory durable. */
  async syncDirectory(path: string): Promise<void> {
    await using handle = await open(await this.#directory(path), constants.O_RDONLY | constants.O_DIRECTORY);
    await handle.sync();
  }

  /** Closes every directory, so that the next access looks at each component anew. */
  async forget(): Promise<void> {
    const handles = [...this.#open.values()];
    this.#open.clear();
    for (const handle of handles) await handle.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.forget();
  }

  async #locate(path: string): Promise<string | Buffer> {
    if (path === "") return this.#directory("");
    return toHostPath(toText(await this.#directory(parentOf(path))), nameOf(path));
  }

  async #directory(path: string): Promise<string | Buffer> {
    if (!this.#isLinux) return this.#checkedDirectory(path);
    return `/proc/self/fd/${(await this.#openDirectory(path)).fd}`;
  }

  async #openDirectory(path: string): Promise<FileHandle> {
    const known = this.#open.get(path);
    if (known !== undefined) {
      this.#open.delete(path);
      this.#open.set(path, known);
      return known;
    }
    const handle =
      path === ""
        ? await open(this.#root, DIRECTORY_FLAGS)
        : await open(
            toHostPath(`/proc/self/fd/${(await this.#openDirectory(parentOf(path))).fd}`, nameOf(path)),
            DIRECTORY_FLAGS,
          );
    this.#open.set(path, handle);
    await this.#closeLeastRecent();
    return handle;
  }

  async #closeLeastRecent(): Promise<void> {
    for (const [path, handle] of this.#open) {
      if (this.#open.size <= MAX_OPEN_DIRECTORIES) return;
      this.#open.delete(path);
      await handle.close();
    }
  }

  async #checkedDirectory(path: string): Promise<string> {
    let checked = "";
    for (const part of path.split("/")) {
      checked = checked === "" ? part : `${checked}/${part}`;
      const stats = await lstat(toHostPath(this.#root, checked));
      if (!stats.isDirectory()) throw refusal("ENOTDIR");
    }
    return toText(toHostPath(this.#root, path));
  }
}

/** Only a platform without `/proc` can get a Buffer here, and there file names are UTF-8. */
function toText(path: string | Buffer): string {
  return typeof path === "string" ? path : path.toString();
}

/** What the system says when it is asked not to follow a symlink, said where it cannot be asked. */
function refusal(code: "ELOOP" | "ENOTDIR"): Error {
  return Object.assign(new Error(code), { code });
}
