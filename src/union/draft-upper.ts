import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, lchown, mkdir, open, rename, rm, stat, symlink } from "node:fs/promises";

import { damagedLayer, pathError } from "../errors/messages/path.ts";
import { StateError } from "../errors/state-error.ts";
import { isErrno, lstatIfPresent } from "./host-entry.ts";
import type { RoomCounter } from "./layer-room.ts";
import { parentPath } from "./normalize-path.ts";
import { pathToBytes, toHostPath } from "./path-bytes.ts";
import type { WhiteoutMaker } from "./whiteouts.ts";

/*
 * The upper directory of a draft. Whatever is written comes under its own name in one step (a temporary name at the top of
 * the upper directory, then rename), so that a killed writer leaves no half file. Paths come in normalised and with
 * every ancestor resolved; that the ancestors on disk are real directories is checked once each, because a guest may
 * have written this directory before.
 *
 * Modes are set by path and not by descriptor: a process under Node's permission model may not use `fchmod`. The name is
 * a fresh one of our own at that moment.
 */

/** Makes a symlink. A process under Node's permission model may not, and has its parent do it. */
export type MakeLink = (target: string | Buffer, hostPath: string | Buffer) => Promise<void>;

/** Writes an upper directory. */
export interface DraftUpper {
  /** Makes sure of the directory of a path; `modeOf` says the mode of those that only lie below so far. */
  scaffold(path: string): Promise<void>;
  writeFile(path: string, content: Uint8Array, mode: number): Promise<void>;
  /** Copies a file of the host. */
  copyFile(path: string, source: string | Buffer, mode: number): Promise<void>;
  makeSymlink(path: string, target: string): Promise<void>;
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Moves a file or symlink within the upper directory. */
  move(from: string, to: string): Promise<void>;
  /** Sets the mode of something that lies in the upper directory and is no symlink. */
  setMode(path: string, mode: number): Promise<void>;
  /** Removes whatever the upper directory has at a path. */
  clear(path: string): Promise<void>;
  /** Removes it and leaves a whiteout, where the file system can hold one. */
  hide(path: string): Promise<boolean>;
}

/** What to write, and how. */
export interface DraftUpperOptions {
  readonly root: string;
  readonly upper: string;
  readonly whiteouts: WhiteoutMaker;
  /** The mode of a directory that lies below. */
  readonly modeBelow: (path: string) => Promise<number | undefined>;
  /** @default `symlink` of node:fs */
  readonly makeLink?: MakeLink;
  /** Asked before anything is made. @default there is always room */
  readonly room?: RoomCounter | undefined;
}

/** A fresh name at the top of an upper directory. */
export function temporaryPath(upper: string): string {
  return `${upper}/.cofferdam-${randomBytes(16).toString("hex")}`;
}

/** Names at the top of an upper directory that a writer uses until the entry is complete. */
export const TEMPORARY_NAME = /^\.cofferdam-[0-9a-f]{32}$/;

/** The mode of a directory that nobody gave one. */
export const NEW_DIRECTORY_MODE = 0o755;

/** Opens the upper directory of a draft for writing. */
export function openDraftUpper(options: DraftUpperOptions): DraftUpper {
  const { upper, whiteouts, makeLink = symlink } = options;
  const at = (path: string): string | Buffer => toHostPath(upper, path);
  const owner = ownerFor(options.root);
  const scaffolding = createScaffolding(options, owner);
  const finish = async (temporary: string, path: string): Promise<void> => {
    await giveTo(await owner(), temporary);
    await rename(temporary, at(path));
  };
  const place = async (path: string, sizeBytes: number, write: (temporary: string) => Promise<void>): Promise<void> => {
    await takeRoom(options, path, sizeBytes);
    await scaffolding.ensure(parentPath(path));
    const temporary = temporaryPath(upper);
    try {
      await write(temporary);
      await finish(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  };
  const clear = async (path: string): Promise<void> => {
    scaffolding.forget(path);
    await rm(at(path), { recursive: true, force: true });
  };
  return {
    scaffold: (path) => scaffolding.ensure(path),
    writeFile: (path, content, mode) =>
      place(path, content.length, (temporary) => writeNewFile(temporary, content, mode)),
    async copyFile(path, source, mode) {
      await place(path, (await stat(source)).size, async (temporary) => {
        await copyFile(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await chmod(temporary, mode);
      });
    },
    makeSymlink: (path, target) =>
      place(path, 0, (temporary) => makeLink(target.isWellFormed() ? target : pathToBytes(target), temporary)),
    async makeDirectory(path, mode) {
      await takeRoom(options, path, 0);
      await scaffolding.ensure(parentPath(path));
      await makeOwnDirectory(at(path), mode, await owner());
      scaffolding.add(path);
    },
    async move(from, to) {
      await scaffolding.ensure(parentPath(to));
      await rename(at(from), at(to));
    },
    setMode: (path, mode) => chmod(at(path), mode),
    clear,
    async hide(path) {
      await scaffolding.ensure(parentPath(path));
      await clear(path);
      return whiteouts.place(at(path));
    },
  };
}

async function takeRoom({ room }: DraftUpperOptions, path: string, sizeBytes: number): Promise<void> {
  if ((await room?.claim(sizeBytes)) === false) throw pathError("no-room", { action: "write", path });
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Who gets what is written: the owner of the root, when this process may give things away and is somebody else. */
function ownerFor(root: string): () => Promise<Owner | undefined> {
  let answer: Promise<Owner | undefined> | undefined;
  return () => (answer ??= findOwner(root));
}

async function findOwner(root: string): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await stat(root);
  return uid === 0 && gid === process.getgid?.() ? undefined : { uid, gid };
}

async function giveTo(owner: Owner | undefined, hostPath: string | Buffer): Promise<void> {
  if (owner !== undefined) await lchown(hostPath, owner.uid, owner.gid);
}

async function writeNewFile(hostPath: string, content: Uint8Array, mode: number): Promise<void> {
  const handle = await open(
    hostPath,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
  await chmod(hostPath, mode);
}

async function makeOwnDirectory(hostPath: string | Buffer, mode: number, owner: Owner | undefined): Promise<void> {
  await mkdir(hostPath, { mode });
  // `mkdir` is subject to the umask, `chmod` is not.
  await chmod(hostPath, mode);
  await giveTo(owner, hostPath);
}

interface Scaffolding {
  /** Makes sure that a directory and its ancestors are there. */
  ensure(directory: string): Promise<void>;
  /** A directory has been made. */
  add(path: string): void;
  /** A path has been removed. */
  forget(path: string): void;
}

/** Directories that an upper directory needs only because something in them changed. */
function createScaffolding(options: DraftUpperOptions, owner: () => Promise<Owner | undefined>): Scaffolding {
  const known = new Set<string>([""]);
  const ensureOne = async (directory: string): Promise<void> => {
    const hostPath = toHostPath(options.upper, directory);
    const mode = (await options.modeBelow(directory)) ?? NEW_DIRECTORY_MODE;
    try {
      await makeOwnDirectory(hostPath, mode, await owner());
    } catch (error) {
      if (!isErrno(error, "EEXIST")) throw error;
      const stats = await lstatIfPresent(hostPath);
      if (stats?.isDirectory() !== true) throw new StateError(damagedLayer(directory), { cause: error });
    }
  };
  return {
    async ensure(directory) {
      const missing: string[] = [];
      for (let path = directory; !known.has(path); path = parentPath(path)) missing.push(path);
      for (const path of missing.toReversed()) {
        await ensureOne(path);
        known.add(path);
      }
    },
    add: (path) => void known.add(path),
    forget(path) {
      // Whoever is known has known ancestors, so that below an unknown directory nothing is known.
      if (!known.delete(path)) return;
      for (const other of known) if (other.startsWith(`${path}/`)) known.delete(other);
    },
  };
}
