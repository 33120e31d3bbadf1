import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import type { Extract } from "tar-stream";
import { extract } from "tar-stream";

import type { EntryStat, WritableWorkspace } from "../../contract/workspace.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { WorkspacePathError } from "../../errors/workspace-path-error.ts";
import { parentPath } from "../../union/normalize-path.ts";
import { pathFromBytes } from "../../union/path-bytes.ts";
import type { RawNames } from "./raw-name-tap.ts";
import { createRawNameTap } from "./raw-name-tap.ts";
import type { EntryRecord, TreeRecord } from "./tree-record.ts";
import { contentHash, isSameContent, isSameRecord } from "./tree-record.ts";

/*
 * Carries over into a workspace what a command has done to its copy of the tree. The tree was made by a hostile guest:
 *
 * - All writes go through the workspace, which follows no symlink out of itself, and whatever stands where a directory
 *   belongs has become a directory before anything is written below it.
 * - Sockets, FIFOs and devices are left out, set-id bits cut off.
 * - Sizes in an archive are claims. What must be held is bounded, and a sparse file of a terabyte is refused by its header.
 * - A path that the guest was given and that is not in the archive was deleted; so the archive must have come to its end.
 */

/** One entry on its way: a header, and a stream of its content. */
type Entry = Extract extends AsyncIterable<infer T> ? T : never;

/** The largest file that is taken out changed: it is held in memory. */
const LARGEST_FILE_BYTES = 256 * 1024 ** 2;
/** All changed content together. */
const LARGEST_CHANGE_BYTES = 4 * 1024 ** 3;

/** What an archive is compared with, and where the difference goes. */
export interface UnpackOptions {
  readonly workspace: WritableWorkspace;
  /** The directory that the archive's paths begin with, without slashes. */
  readonly prefix: string;
  /** What the guest had before. */
  readonly known: TreeRecord;
}

/**
 * Applies the difference between an archive of the whole tree and what the guest had before.
 * @returns what the guest has now
 */
export async function unpackWorkspace(archive: Readable, options: UnpackOptions): Promise<TreeRecord> {
  const tap = createRawNameTap();
  const entries = extract();
  const reading = pipeline(archive, tap.stream, entries);
  const apply = createApplier(options.workspace, options.known);
  const read = async (): Promise<void> => {
    for await (const entry of entries) {
      const names = tap.next();
      const path = relativePath(names.path ?? entry.header.name, options.prefix);
      await apply.entry(path, { entry, linkPath: () => linkedPath(entry, { names, prefix: options.prefix }) });
      entry.resume();
    }
  };
  await Promise.all([reading, read()]);
  if (!tap.isComplete()) throw new SandboxUnavailableError(dockerMessages.copyDamaged);
  return await apply.finish();
}

interface Applier {
  entry(path: string, options: { readonly entry: Entry; readonly linkPath: () => string }): Promise<void>;
  finish(): Promise<TreeRecord>;
}

function createApplier(workspace: WritableWorkspace, known: TreeRecord): Applier {
  const now = new Map<string, EntryRecord>();
  const directoryModes: { readonly path: string; readonly mode: number }[] = [];
  let changedBytes = 0;
  const write = async (path: string, options: { readonly content: Uint8Array; readonly mode: number }) => {
    changedBytes += options.content.byteLength;
    if (changedBytes > LARGEST_CHANGE_BYTES) {
      throw new SandboxUnavailableError(dockerMessages.copyTooLarge(LARGEST_CHANGE_BYTES));
    }
    await makeRoom(workspace, { path, type: "file" });
    await workspace.writeFile(path, options.content, { mode: options.mode });
  };
  /** A file is written when its content is new; else it gets its mode, if that is. */
  const applyFile = async (path: string, file: FileContent): Promise<void> => {
    now.set(path, file.record);
    if (file.content !== undefined) await write(path, { content: file.content, mode: file.record.mode });
    else if (!isSameRecord(known.get(path), file.record)) await workspace.setMode(path, file.record.mode);
  };
  return {
    async entry(path, { entry, linkPath }) {
      const mode = (entry.header.mode ?? 0) & 0o777;
      if (path === "") return;
      switch (entry.header.type) {
        case "directory":
          now.set(path, { type: "directory", mode });
          if (isSameRecord(known.get(path), { type: "directory", mode })) return;
          await makeRoom(workspace, { path, type: "directory" });
          await workspace.makeDirectory(path);
          directoryModes.push({ path, mode });
          return;
        case "symlink": {
          const record = { type: "symlink", target: linkPath() } as const;
          now.set(path, record);
          if (!isSameRecord(known.get(path), record)) await replaceSymlink(workspace, path, record.target);
          return;
        }
        case "link":
          return await applyFile(path, await readLinked({ workspace, now, known, path, linkPath: linkPath(), mode }));
        case "file":
          return await applyFile(path, await readFileEntry(entry, { known: known.get(path), mode }));
        default:
      }
    },
    async finish() {
      await removeMissing(workspace, { known, now });
      // Innermost first: a directory that forbids writing does so only when nothing is left to write.
      for (const { path, mode } of directoryModes.toReversed()) await workspace.setMode(path, mode);
      return now;
    },
  };
}

/** Removes what is of another type. */
async function makeRoom(
  workspace: WritableWorkspace,
  options: { readonly path: string; readonly type: EntryStat["type"] },
): Promise<void> {
  const before = await lstatIfAny(workspace, options.path);
  if (before !== undefined && before.type !== options.type) await workspace.remove(options.path, { recursive: true });
}

async function replaceSymlink(workspace: WritableWorkspace, path: string, target: string): Promise<void> {
  if ((await lstatIfAny(workspace, path)) !== undefined) await workspace.remove(path, { recursive: true });
  await workspace.makeSymlink(target, path);
}

/** A file, with its content when that is new. */
interface FileContent {
  readonly record: EntryRecord & { readonly type: "file" };
  readonly content?: Uint8Array;
}

/** Reads a file entry. One that is larger than can be held may pass only unchanged, by its digest. */
async function readFileEntry(
  entry: Entry,
  options: { readonly known: EntryRecord | undefined; readonly mode: number },
): Promise<FileContent> {
  const { known, mode } = options;
  const sizeBytes = entry.header.size ?? 0;
  const isHeld = sizeBytes <= LARGEST_FILE_BYTES;
  if (!isHeld && (known?.type !== "file" || known.sizeBytes !== sizeBytes)) throw fileTooLarge();
  const hash = contentHash();
  const pieces: Uint8Array[] = [];
  for await (const piece of entry as AsyncIterable<Uint8Array>) {
    hash.update(piece);
    if (isHeld) pieces.push(piece);
  }
  const record = { type: "file", mode, sizeBytes, digest: hash.digest("hex") } as const;
  if (isSameContent(known, record)) return { record };
  if (!isHeld) throw fileTooLarge();
  return { record, content: Buffer.concat(pieces) };
}

interface LinkedFile {
  readonly workspace: WritableWorkspace;
  readonly now: TreeRecord;
  readonly known: TreeRecord;
  readonly path: string;
  readonly linkPath: string;
  readonly mode: number;
}

/** A hard link to an entry that came before it: the workspace gets a copy of what that entry has. */
async function readLinked({ workspace, now, known, path, linkPath, mode }: LinkedFile): Promise<FileContent> {
  const linked = now.get(linkPath);
  if (linked?.type !== "file") throw new SandboxUnavailableError(dockerMessages.copyDamaged);
  const record = { ...linked, mode };
  if (isSameContent(known.get(path), record)) return { record };
  if (record.sizeBytes > LARGEST_FILE_BYTES) throw fileTooLarge();
  const content = await workspace.readFile(linkPath);
  // An entry that the guest left alone lies in the root, which may have changed since the guest got its copy.
  if (contentHash().update(content).digest("hex") !== record.digest) {
    throw new SandboxUnavailableError(dockerMessages.rootChanged);
  }
  return { record, content };
}

function fileTooLarge(): SandboxUnavailableError {
  return new SandboxUnavailableError(dockerMessages.fileTooLarge(LARGEST_FILE_BYTES));
}

/** Only what the guest had can have been deleted by it; what is below something that is no directory now went with that. */
async function removeMissing(
  workspace: WritableWorkspace,
  { known, now }: { readonly known: TreeRecord; readonly now: TreeRecord },
): Promise<void> {
  for (const path of known.keys()) {
    const parent = parentPath(path);
    if (now.has(path) || (parent !== "" && now.get(parent)?.type !== "directory")) continue;
    if ((await lstatIfAny(workspace, path)) === undefined) continue;
    if (known.get(path)?.type === "directory") await removeKnown(workspace, { path, known });
    else await workspace.remove(path);
  }
}

/** A directory goes as far as the guest knew it: what somebody else put there meanwhile stays, and it with that. */
async function removeKnown(
  workspace: WritableWorkspace,
  { path, known }: { readonly path: string; readonly known: TreeRecord },
): Promise<void> {
  const names = await workspace.readDirectory(path);
  const isAllKnown = names.every(({ name }) => known.has(`${path}/${name}`));
  if (isAllKnown && names.every(({ type }) => type !== "directory")) await workspace.remove(path, { recursive: true });
  else {
    for (const { name, type } of names) {
      const below = `${path}/${name}`;
      if (!known.has(below)) continue;
      if (type === "directory") await removeKnown(workspace, { path: below, known });
      else await workspace.remove(below);
    }
    if ((await workspace.readDirectory(path)).length === 0) await workspace.remove(path);
  }
}

async function lstatIfAny(workspace: WritableWorkspace, path: string): Promise<EntryStat | undefined> {
  try {
    return await workspace.lstat(path);
  } catch (error) {
    if (error instanceof WorkspacePathError && (error.reason === "not-found" || error.reason === "not-a-directory"))
      return undefined;
    throw error;
  }
}

/** Where a symlink points, as it is written; or which earlier entry a hard link names. */
function linkedPath(entry: Entry, options: { readonly names: RawNames; readonly prefix: string }): string {
  const target = options.names.linkPath ?? Buffer.from(entry.header.linkname ?? "");
  return entry.header.type === "symlink" ? pathFromBytes(target) : relativePath(target, options.prefix);
}

/** The path below the prefix; only what a file system can have in it passes. */
function relativePath(name: Buffer | string, prefix: string): string {
  const path = (typeof name === "string" ? name : pathFromBytes(name)).replace(/\/$/, "");
  if (path === prefix) return "";
  const relative = path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : "..";
  const isProper = relative.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!isProper || relative.includes("\0")) throw new SandboxUnavailableError(dockerMessages.copyDamaged);
  return relative;
}
