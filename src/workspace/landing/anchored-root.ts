/**
 * Every access below the root that landing makes goes through here, because the tree is the attacker's target: a layer
 * may plant a symlink, and a process may swap a directory for one at any moment. A path is never handed to the kernel
 * as a whole. Each directory on the way is opened with O_NOFOLLOW from the one above it, and the last name is used
 * relative to that open directory, so no symlink is followed in any component and none can be slipped in between
 * looking and acting. Node has no `openat`; on Linux `/proc/self/fd/<fd>/<name>` says the same.
 *
 * Elsewhere each component is looked at just before use, which leaves a gap of microseconds that Node cannot close.
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
import { parentPath } from "../../union/normalize-path.ts";
import { nameOf } from "../path-relations.ts";

const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** A FIFO must not hang the open. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Linux's O_PATH, which Node does not name: refers to an entry without needing permission to read it. */
const PATH_FLAGS = 0o10000000 | constants.O_NOFOLLOW;
/** Directories that stay open while nobody uses them, because the next path is mostly a neighbour. */
const MAX_IDLE_DIRECTORIES = 8;

/** Whom an entry belongs to. */
export interface EntryOwner {
  readonly uid: number;
  readonly gid: number;
}

/** A directory that is open, and how many operations use it now. */
interface OpenDirectory {
  readonly handle: Promise<FileHandle>;
  users: number;
}

/** A directory whose entries can be reached without ever following a symlink. */
export class AnchoredRoot implements AsyncDisposable {
  readonly #root: string;
  readonly #isLinux: boolean;
  /** The one that was used longest ago comes first. */
  readonly #open = new Map<string, OpenDirectory>();

  constructor(root: string, options: { readonly platform?: NodeJS.Platform } = {}) {
    this.#root = root;
    this.#isLinux = (options.platform ?? process.platform) === "linux";
  }

  /** What `lstat` says; `undefined` when nothing is there, or when something above it is no directory. */
  async inspect(path: string): Promise<BigIntStats | undefined> {
    try {
      return await this.#at(path, async (located) => lstat(located, { bigint: true }));
    } catch (error) {
      if (isErrno(error, "ENOENT", "ENOTDIR", "ELOOP")) return undefined;
      throw error;
    }
  }

  /** The target of a symlink, as written. */
  async readLink(path: string): Promise<string> {
    return pathFromBytes(await this.#at(path, async (located) => readlink(located, { encoding: "buffer" })));
  }

  /** The names in a directory, of any type. */
  async list(path: string): Promise<readonly string[]> {
    const names = await this.#in(path, async (directory) => readdir(directory, { encoding: "buffer" }));
    return names.map((name) => pathFromBytes(name));
  }

  /** Opens a file for reading. */
  async openFile(path: string): Promise<FileHandle> {
    return this.#at(path, async (located) => open(located, READ_FLAGS));
  }

  /** Makes a file that must not be there yet, and opens it for writing. */
  async createFile(path: string): Promise<FileHandle> {
    return this.#at(path, async (located) => open(located, CREATE_FLAGS, 0o600));
  }

  /** Makes a directory that only its owner can enter, until `setMode`. */
  async makeDirectory(path: string): Promise<void> {
    await this.#at(path, async (located) => mkdir(located, { mode: 0o700 }));
  }

  /** Makes a symlink that must not be there yet. */
  async makeSymlink(target: string, path: string): Promise<void> {
    await this.#at(path, async (located) => symlink(pathToBytes(target), located));
  }

  /** Moves `from` over `to`. */
  async rename(from: string, to: string): Promise<void> {
    await this.#at(from, async (old) => this.#at(to, async (current) => rename(old, current)));
  }

  /** Gives `from` a second name, which must not be there yet. */
  async link(from: string, to: string): Promise<void> {
    await this.#at(from, async (old) => this.#at(to, async (current) => link(old, current)));
  }

  /** Gives an entry a second name outside the root. */
  async linkOut(path: string, hostPath: string): Promise<void> {
    await this.#at(path, async (located) => link(located, hostPath));
  }

  /** Gives a file outside the root a second name in it. */
  async linkIn(hostPath: string, path: string): Promise<void> {
    await this.#at(path, async (located) => link(hostPath, located));
  }

  /** Removes a file or symlink. */
  async unlink(path: string): Promise<void> {
    await this.#at(path, async (located) => unlink(located));
  }

  /** Removes an empty directory. */
  async removeDirectory(path: string): Promise<void> {
    const opened = this.#open.get(path);
    this.#open.delete(path);
    await (await opened?.handle)?.close();
    await this.#at(path, async (located) => rmdir(located));
  }

  /** Sets the mode of a file or directory; never that of what a symlink points to. */
  async setMode(path: string, mode: number): Promise<void> {
    await this.#at(path, async (located) => {
      if (!this.#isLinux) {
        if ((await lstat(located)).isSymbolicLink()) throw refusal("ELOOP");
        return chmod(located, mode);
      }
      await using handle = await open(located, PATH_FLAGS);
      if ((await handle.stat()).isSymbolicLink()) throw refusal("ELOOP");
      await chmod(`/proc/self/fd/${handle.fd}`, mode);
    });
  }

  /** Sets the owner of the entry itself. */
  async setOwner(path: string, owner: EntryOwner): Promise<void> {
    await this.#at(path, async (located) => lchown(located, owner.uid, owner.gid));
  }

  /** Makes what happened to the names in a directory durable. */
  async syncDirectory(path: string): Promise<void> {
    await this.#in(path, async (directory) => {
      await using handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
      await handle.sync();
    });
  }

  /** Closes every directory, so that the next access looks at each component anew. Nothing may be going on. */
  async forget(): Promise<void> {
    const directories = [...this.#open.values()];
    this.#open.clear();
    for (const { handle } of directories) await (await handle).close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.forget();
  }

  /** Gives `work` a path that leads to the entry itself. */
  async #at<T>(path: string, work: (located: string | Buffer) => Promise<T>): Promise<T> {
    // "." is the directory that was opened, and not the link in /proc that stands for it.
    return this.#in(parentPath(path), async (directory) =>
      work(toHostPath(directory, path === "" ? "." : nameOf(path))),
    );
  }

  /** Gives `work` a path that leads to the directory, which stays open meanwhile. */
  async #in<T>(path: string, work: (directory: string) => Promise<T>): Promise<T> {
    if (!this.#isLinux) return work(await this.#checkedDirectory(path));
    const directory = this.#open.get(path) ?? { handle: this.#openDirectory(path), users: 0 };
    this.#open.delete(path);
    this.#open.set(path, directory);
    directory.users += 1;
    try {
      return await work(`/proc/self/fd/${(await directory.handle).fd}`);
    } finally {
      directory.users -= 1;
      await this.#closeIdle();
    }
  }

  async #openDirectory(path: string): Promise<FileHandle> {
    try {
      if (path === "") return await open(this.#root, DIRECTORY_FLAGS);
      return await this.#at(path, async (located) => open(located, DIRECTORY_FLAGS));
    } catch (error) {
      this.#open.delete(path);
      throw error;
    }
  }

  async #closeIdle(): Promise<void> {
    const idle = [...this.#open].filter(([, directory]) => directory.users === 0);
    for (const [path, { handle }] of idle.slice(0, -MAX_IDLE_DIRECTORIES)) {
      this.#open.delete(path);
      await (await handle).close();
    }
  }

  async #checkedDirectory(path: string): Promise<string> {
    let checked = "";
    for (const part of path === "" ? [] : path.split("/")) {
      checked = checked === "" ? part : `${checked}/${part}`;
      if (!(await lstat(toHostPath(this.#root, checked))).isDirectory()) throw refusal("ENOTDIR");
    }
    // Only Linux has names that are not UTF-8.
    return toHostPath(this.#root, path).toString();
  }
}

/** What the system says when it is asked not to follow a symlink, said where it cannot be asked. */
function refusal(code: "ELOOP" | "ENOTDIR"): Error {
  return Object.assign(new Error(code), { code });
}
