import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import type { Extract } from "tar-stream";
import { extract } from "tar-stream";

import type { EntryStat, WritableWorkspace } from "../../contract/workspace.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { WorkspacePathError } from "../../errors/workspace-path-error.ts";
import { pathFromBytes } from "../../union/path-bytes.ts";
import type { RawNames } from "./raw-name-tap.ts";
import { createRawNameTap } from "./raw-name-tap.ts";

/*
 * Makes a workspace equal to the archive of a tree that a command has worked on. The tree was made by a hostile guest:
 *
 * - All writes go through the workspace, which follows no symlink out of itself, and whatever stands where a directory
 *   belongs has become a directory before anything is written below it.
 * - Sockets, FIFOs and devices are left out, set-id bits cut off.
 * - Sizes in an archive are claims. What must be held is bounded, and a sparse file of a terabyte is refused by its header.
 * - A path that is not in the archive was deleted; so the archive must have come to its end.
 */

/** One entry on its way: a header, and a stream of its content. */
type Entry = Extract extends AsyncIterable<infer T> ? T : never;

/** The largest file that is taken out changed: it is held in memory once. */
const LARGEST_FILE_BYTES = 1024 ** 3;
/** All changed content together. */
const LARGEST_CHANGE_BYTES = 4 * 1024 ** 3;

/** Applies an archive of the whole tree, whose paths begin with `prefix/`, to a workspace. */
export async function unpackWorkspace(
  archive: Readable,
  options: { readonly workspace: WritableWorkspace; readonly prefix: string },
): Promise<void> {
  const tap = createRawNameTap();
  const entries = extract();
  const reading = pipeline(archive, tap.stream, entries);
  const apply = createApplier(options.workspace);
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
  await apply.finish();
}

interface Applier {
  entry(path: string, options: { readonly entry: Entry; readonly linkPath: () => string }): Promise<void>;
  finish(): Promise<void>;
}

function createApplier(workspace: WritableWorkspace): Applier {
  const seen = new Set<string>([""]);
  const directoryModes: { readonly path: string; readonly mode: number }[] = [];
  let changedBytes = 0;
  const write = async (path: string, options: { readonly content: Buffer; readonly mode: number }): Promise<void> => {
    changedBytes += options.content.byteLength;
    if (changedBytes > LARGEST_CHANGE_BYTES) {
      throw new SandboxUnavailableError(dockerMessages.copyTooLarge(LARGEST_CHANGE_BYTES));
    }
    await workspace.writeFile(path, options.content, { mode: options.mode });
  };
  return {
    async entry(path, { entry, linkPath }) {
      const mode = (entry.header.mode ?? 0) & 0o777;
      const type = entry.header.type;
      if (type !== "directory" && type !== "file" && type !== "symlink" && type !== "link") return;
      if (path === "") return;
      seen.add(path);
      const before = await makeRoom(workspace, { path, type: type === "link" ? "file" : type });
      if (type === "directory") {
        if (before === undefined) await workspace.makeDirectory(path);
        directoryModes.push({ path, mode });
      } else if (type === "symlink") {
        await applySymlink(workspace, { path, target: linkPath(), before });
      } else if (type === "link") {
        const content = await workspace.readFile(linkPath(), { maxBytes: LARGEST_FILE_BYTES });
        if (!(await holds(workspace, { path, before, content })))
          await write(path, { content: Buffer.from(content), mode });
        else await alignMode(workspace, { path, before, mode });
      } else {
        const content = await readIfChanged(workspace, { path, before, entry });
        if (content !== undefined) await write(path, { content, mode });
        else await alignMode(workspace, { path, before, mode });
      }
    },
    async finish() {
      await removeUnseen(workspace, seen);
      // Innermost first: a directory that forbids writing does so only when nothing is left to write.
      for (const { path, mode } of directoryModes.toReversed()) {
        await alignMode(workspace, { path, before: await workspace.lstat(path), mode });
      }
    },
  };
}

/** Removes what is of another type; says what is there if it is of the right one. */
async function makeRoom(
  workspace: WritableWorkspace,
  options: { readonly path: string; readonly type: EntryStat["type"] },
): Promise<EntryStat | undefined> {
  const before = await lstatIfAny(workspace, options.path);
  if (before === undefined || before.type === options.type) return before;
  await workspace.remove(options.path, { recursive: true });
  return undefined;
}

async function applySymlink(
  workspace: WritableWorkspace,
  options: { readonly path: string; readonly target: string; readonly before: EntryStat | undefined },
): Promise<void> {
  const { path, target, before } = options;
  if (before !== undefined) {
    if ((await workspace.readLink(path)) === target) return;
    await workspace.remove(path);
  }
  await workspace.makeSymlink(target, path);
}

/** The content of a file entry, unless the workspace has the same: then nothing but a piece of it is ever held. */
async function readIfChanged(
  workspace: WritableWorkspace,
  options: { readonly path: string; readonly before: EntryStat | undefined; readonly entry: Entry },
): Promise<Buffer | undefined> {
  const { path, before, entry } = options;
  const sizeBytes = entry.header.size ?? 0;
  let isSame = before?.sizeBytes === sizeBytes;
  if (!isSame) assertHoldable(sizeBytes);
  const pieces: Uint8Array[] = [];
  let offsetBytes = 0;
  for await (const piece of entry as AsyncIterable<Uint8Array>) {
    if (isSame) {
      const known = await workspace.readFile(path, { offsetBytes, lengthBytes: piece.byteLength });
      if (Buffer.compare(known, piece) !== 0) {
        isSame = false;
        assertHoldable(sizeBytes);
        pieces.push(await workspace.readFile(path, { lengthBytes: offsetBytes }));
      }
    }
    if (!isSame) pieces.push(piece);
    offsetBytes += piece.byteLength;
  }
  return isSame ? undefined : Buffer.concat(pieces);
}

function assertHoldable(sizeBytes: number): void {
  if (sizeBytes > LARGEST_FILE_BYTES) {
    throw new SandboxUnavailableError(dockerMessages.fileTooLarge(LARGEST_FILE_BYTES));
  }
}

async function holds(
  workspace: WritableWorkspace,
  options: { readonly path: string; readonly before: EntryStat | undefined; readonly content: Uint8Array },
): Promise<boolean> {
  if (options.before?.sizeBytes !== options.content.byteLength) return false;
  return Buffer.compare(await workspace.readFile(options.path), options.content) === 0;
}

async function alignMode(
  workspace: WritableWorkspace,
  options: { readonly path: string; readonly before: EntryStat | undefined; readonly mode: number },
): Promise<void> {
  if (options.before?.mode !== options.mode) await workspace.setMode(options.path, options.mode);
}

/** Walks what the workspace has now; below something that goes there is nothing to look for. */
async function removeUnseen(workspace: WritableWorkspace, seen: ReadonlySet<string>): Promise<void> {
  const pending = [""];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const { name, type } of await workspace.readDirectory(directory)) {
      const path = directory === "" ? name : `${directory}/${name}`;
      if (!seen.has(path)) await workspace.remove(path, { recursive: true });
      else if (type === "directory") pending.push(path);
    }
  }
}

async function lstatIfAny(workspace: WritableWorkspace, path: string): Promise<EntryStat | undefined> {
  try {
    return await workspace.lstat(path);
  } catch (error) {
    if (error instanceof WorkspacePathError && error.reason === "not-found") return undefined;
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
