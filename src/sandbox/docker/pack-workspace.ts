import { once } from "node:events";

import type { Header, Pack } from "tar-stream";

import type { EntryStat, ReadableWorkspace } from "../../contract/workspace.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { pathToBytes } from "../../union/path-bytes.ts";
import { encodePaxBlock } from "./pax-block.ts";
import type { EntryRecord, TreeRecord } from "./tree-record.ts";
import { contentHash } from "./tree-record.ts";

/** Files up to this size are read at once, larger ones in pieces of it. */
const PIECE_BYTES = 4 * 1024 ** 2;
/** The largest number that the fields for users hold. */
const LARGEST_OCTAL_ID = 0o777_777;

const NOTHING = Buffer.alloc(0);

/** What is packed, and as what. */
export interface PackOptions {
  readonly workspace: ReadableWorkspace;
  /** The directory that the tree is put under, without slashes. */
  readonly prefix: string;
  readonly owner: { readonly uid: number; readonly gid: number };
}

/**
 * Writes a whole workspace into an archive, as fast as it is taken, and ends the archive. Names, modes and symlinks are
 * exact; everything belongs to `owner`.
 * @returns what was written
 */
export async function packWorkspace(archive: Pack, options: PackOptions): Promise<TreeRecord> {
  const { workspace } = options;
  const record = new Map<string, EntryRecord>();
  await packDirectory(archive, { options, path: "" });
  const pending = [""];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const { name, type } of await workspace.readDirectory(directory)) {
      const path = directory === "" ? name : `${directory}/${name}`;
      if (type === "directory") {
        record.set(path, await packDirectory(archive, { options, path }));
        pending.push(path);
      } else if (type === "symlink") {
        record.set(path, await packSymlink(archive, { options, path }));
      } else {
        record.set(path, await packFile(archive, { options, path }));
      }
    }
  }
  archive.finalize();
  return record;
}

type EntryHeader = Partial<Header> & Pick<Header, "name">;

interface Item {
  readonly options: PackOptions;
  readonly path: string;
}

async function packDirectory(archive: Pack, item: Item): Promise<EntryRecord> {
  const stat = await item.options.workspace.lstat(item.path);
  writeAttributes(archive, { item, stat });
  await writeEntry(archive, header(item, stat), NOTHING);
  return { type: "directory", mode: stat.mode };
}

async function packSymlink(archive: Pack, item: Item): Promise<EntryRecord> {
  const stat = await item.options.workspace.lstat(item.path);
  const target = await item.options.workspace.readLink(item.path);
  writeAttributes(archive, { item, stat, target });
  await writeEntry(archive, { ...header(item, stat), linkname: "target" }, NOTHING);
  return { type: "symlink", target };
}

async function packFile(archive: Pack, item: Item): Promise<EntryRecord> {
  const { workspace } = item.options;
  const stat = await workspace.lstat(item.path);
  const hash = contentHash();
  if (stat.sizeBytes <= PIECE_BYTES) {
    const content = await workspace.readFile(item.path);
    writeAttributes(archive, { item, stat });
    await writeEntry(archive, header(item, stat), Buffer.from(content.buffer, content.byteOffset, content.byteLength));
    const digest = hash.update(content).digest("hex");
    return { type: "file", mode: stat.mode, sizeBytes: content.byteLength, digest };
  }
  writeAttributes(archive, { item, stat });
  const entry = archive.entry({ ...header(item, stat), size: stat.sizeBytes });
  const finished = once(entry, "finish");
  // It is awaited at the end; a failure before that is reported by the write that meets it.
  finished.catch(() => undefined);
  for (let offset = 0; offset < stat.sizeBytes;) {
    const lengthBytes = Math.min(PIECE_BYTES, stat.sizeBytes - offset);
    const piece = await workspace.readFile(item.path, { offsetBytes: offset, lengthBytes });
    if (piece.byteLength !== lengthBytes) throw new SandboxUnavailableError(dockerMessages.rootMoved);
    hash.update(piece);
    if (!entry.write(piece)) await once(entry, "drain");
    offset += lengthBytes;
  }
  entry.end(undefined);
  await finished;
  return { type: "file", mode: stat.mode, sizeBytes: stat.sizeBytes, digest: hash.digest("hex") };
}

function header(item: Item, stat: EntryStat): EntryHeader {
  const { uid, gid } = item.options.owner;
  return {
    // The extended header has the real name.
    name: "entry",
    type: stat.type,
    // tar-stream takes 0 for "not given" and cuts off what is above the permission bits.
    mode: 0o100_000 | stat.mode,
    uid: Math.min(uid, LARGEST_OCTAL_ID),
    gid: Math.min(gid, LARGEST_OCTAL_ID),
    mtime: new Date(stat.mtimeMs),
  };
}

function writeAttributes(
  archive: Pack,
  options: { readonly item: Item; readonly stat: EntryStat; readonly target?: string },
): void {
  const { item, stat, target } = options;
  const { prefix, owner } = item.options;
  const path = item.path === "" ? prefix : `${prefix}/${item.path}`;
  archive.push(
    encodePaxBlock({
      path: pathToBytes(stat.type === "directory" ? `${path}/` : path),
      mtime: (stat.mtimeMs / 1000).toFixed(3),
      ...(target === undefined ? {} : { linkpath: pathToBytes(target) }),
      ...(owner.uid > LARGEST_OCTAL_ID ? { uid: String(owner.uid) } : {}),
      ...(owner.gid > LARGEST_OCTAL_ID ? { gid: String(owner.gid) } : {}),
    }),
  );
}

/** Settles when the archive's reader wants more. */
function writeEntry(archive: Pack, header: EntryHeader, content: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const done = (error?: Error | null): void => {
    if (error) reject(error);
    else resolve();
  };
  if (header.type === "file") archive.entry(header, content, done);
  else archive.entry(header, done);
  return promise;
}
