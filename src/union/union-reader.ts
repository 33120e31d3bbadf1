import type { FileHandle } from "node:fs/promises";
import { read, readSync, type Stats } from "node:fs";
import { promisify } from "node:util";

import type { EntryType } from "../contract/change.ts";
import type { DirectoryEntry, EntryStat, ReadableWorkspace, ReadFileOptions } from "../contract/workspace.ts";
import { damagedLayer, pathError, tooLargeError, type PathRequest } from "../errors/messages/path.ts";
import { StateError } from "../errors/state-error.ts";
import { answering, entryTypeOf, inspectEntry, readHostDirectory } from "./host-entry.ts";
import { childPath } from "./normalize-path.ts";
import { descriptorPath, openEntry, withOpenEntry, type OpenedDescriptor } from "./open-entry.ts";
import { comparePaths, toHostPath } from "./path-bytes.ts";
import {
  isDirectory,
  readTarget,
  walkPath,
  type FoundDirectory,
  type FoundEntry,
  type WalkOutcome,
  type WalkRequest,
  type WalkSource,
} from "./path-walk.ts";
import { createWalkMemory, type WalkMemory } from "./seen-entries.ts";

/** Reads a union; a view and a draft give it to their callers. */
export interface UnionReader {
  /** The part that tools see. */
  readonly workspace: ReadableWorkspace;
  walk(request: WalkRequest): Promise<WalkOutcome>;
  /** What a path leads to; it must be there. */
  find(request: WalkRequest): Promise<FoundEntry | FoundDirectory>;
  /** What `lstat` says about an entry that a walk found. */
  statEntry(entry: FoundEntry): Promise<EntryStat>;
  /** Runs `use` on an open file of the union, and closes it. */
  withFile<T>(request: PathRequest, use: (file: OpenFile) => Promise<T>): Promise<T>;
}

/** A file of the union, open for reading. */
export interface OpenFile {
  readonly entry: FoundEntry;
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** A path by which the kernel reaches exactly this file. */
  readonly descriptorPath: string | Buffer;
}

/** Reads the union that `source` says, as it is at each call. */
export function createUnionReader(source: () => WalkSource): UnionReader {
  const walk = (request: WalkRequest): Promise<WalkOutcome> => walkPath(source(), request);
  const find = (request: WalkRequest): Promise<FoundEntry | FoundDirectory> => findEntry(source(), request);
  const withMemory = createWalkMemory();
  const findBy = async <T>(request: PathRequest, attempt: (from: WalkSource) => Promise<T | undefined>): Promise<T> => {
    const found = await withMemory((memory) => attempt({ ...source(), memory }));
    if (found === undefined) throw pathError("not-found", request);
    return found;
  };
  const withFile = async <T>(request: PathRequest, use: (file: OpenFile) => Promise<T>): Promise<T> => {
    const file = await findBy(request, (from) => openFile(from, request));
    try {
      return await use(file);
    } finally {
      await file.handle.close();
    }
  };
  const workspace: ReadableWorkspace = {
    lstat: (path) => {
      const request = { action: "look up", path, follow: false };
      return answering(request, async () => statEntry(await find(request)));
    },
    stat: (path) => {
      const request = { action: "look up", path, follow: true };
      return answering(request, async () => statEntry(await find(request)));
    },
    readFile: (path, options = {}) => {
      const request = { action: "read", path };
      return answering(request, () => findBy(request, (from) => readFile(from, { ...options, request })));
    },
    readDirectory: (path) => {
      const request = { action: "list", path };
      return answering(request, () => findBy(request, (from) => listDirectory(from, request)));
    },
    readLink: (path) => {
      const request = { action: "read the symlink", path, follow: false };
      return answering(request, async () => {
        const entry = await find(request);
        const target = entry.type === "symlink" ? await readTarget(entry) : undefined;
        if (target === undefined) throw pathError("not-a-symlink", request);
        return target;
      });
    },
    realPath: (path) => {
      const request = { action: "look up", path, follow: true };
      return answering(request, async () => (await find(request)).path);
    },
  };
  return { workspace, walk, find, statEntry, withFile };
}

async function findEntry(source: WalkSource, request: WalkRequest): Promise<FoundEntry | FoundDirectory> {
  const outcome = await walkPath(source, request);
  if (outcome.kind === "absent") throw pathError("not-found", request);
  return outcome.entry;
}

async function statEntry(entry: FoundEntry): Promise<EntryStat> {
  const stat = entry.stat ?? (await inspectEntry(entry.hostPath));
  if (stat === "special" || (stat !== undefined && stat.type !== entry.type)) {
    throw new StateError(damagedLayer(entry.path));
  }
  if (stat === undefined) throw pathError("not-found", { action: "look up", path: entry.path });
  return stat;
}

async function openFile(source: WalkSource, request: PathRequest): Promise<OpenFile | undefined> {
  const entry = await findFile(source, request);
  const opened = await openEntry(source.root, entry);
  return opened && { entry, ...opened, descriptorPath: descriptorPath(opened.handle.fd, entry) };
}

async function findFile(source: WalkSource, request: PathRequest): Promise<FoundEntry> {
  const entry = await findEntry(source, { ...request, follow: true });
  if (entry.type === "directory") throw pathError("is-a-directory", request);
  return entry;
}

async function readFile(source: WalkSource, options: ReadRequest): Promise<Uint8Array | undefined> {
  const entry = await findFile(source, options.request);
  return await withOpenEntry({ root: source.root, entry }, (opened) => readPart(opened, options));
}

interface ReadRequest extends ReadFileOptions {
  readonly request: PathRequest;
}

/** What is no larger is read at once: that takes less time than handing it to Node's thread pool. */
const SMALL_BYTES = 65_536;

async function readPart({ descriptor, stats: { size } }: OpenedDescriptor, options: ReadRequest): Promise<Uint8Array> {
  const offset = Math.min(options.offsetBytes ?? 0, size);
  const length = Math.min(options.lengthBytes ?? Infinity, size - offset);
  if (options.maxBytes !== undefined && length > options.maxBytes) {
    throw tooLargeError(options.request, { sizeBytes: length, maxBytes: options.maxBytes });
  }
  const buffer = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const part = { offset: filled, length: Math.min(length - filled, MAX_READ_BYTES), position: offset + filled };
    const bytesRead =
      part.length <= SMALL_BYTES
        ? readSync(descriptor, buffer, part)
        : (await readAsync(descriptor, { buffer, ...part })).bytesRead;
    // It was cut short meanwhile.
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

const readAsync = promisify(read);

/** The kernel reads no more than 2 GiB at once. */
const MAX_READ_BYTES = 1024 * 1024 * 1024;

async function listDirectory(source: WalkSource, request: PathRequest): Promise<readonly DirectoryEntry[] | undefined> {
  const entry = await findEntry(source, { ...request, follow: true });
  if (!isDirectory(entry)) throw pathError("not-a-directory", request);
  const names = await mergeNames(source, entry);
  return names && sortByBytes(names);
}

/** The names in a directory with their types; `undefined` when the directory moved away meanwhile. */
async function mergeNames(
  source: WalkSource,
  directory: FoundDirectory,
): Promise<ReadonlyMap<string, EntryType> | undefined> {
  const names = (await directory.showsRoot())
    ? await listRoot(source.root, directory.path)
    : new Map<string, EntryType>();
  if (names === undefined) return undefined;
  remember(source.memory, directory.path, names);
  for (const [name, { change, scaffold }] of directory.node?.children ?? []) {
    if (change.kind === "deleted") names.delete(name);
    else if (change.kind === "put") names.set(name, change.type);
    else if (scaffold !== undefined && names.get(name) !== "directory") {
      const own = await inspectEntry(toHostPath(scaffold.upper, childPath(directory.path, name)));
      if (own !== undefined && own !== "special" && own.type === "directory") names.set(name, own.type);
      else names.delete(name);
    }
  }
  for (const name of names.keys()) {
    const change = directory.node?.children.get(name)?.change;
    const layer = change?.kind === "put" ? change.layer : undefined;
    if (source.hides(childPath(directory.path, name), layer)) names.delete(name);
  }
  return names;
}

async function listRoot(root: string, path: string): Promise<Map<string, EntryType> | undefined> {
  const hostPath = toHostPath(root, path);
  const entry: FoundEntry = { path, type: "directory", hostPath, layer: undefined, stat: undefined };
  return await withOpenEntry({ root, entry }, ({ descriptor, stats }) =>
    readNames(descriptorPath(descriptor, entry), { atOnce: stats.size <= SMALL_BYTES }),
  );
}

async function readNames(
  hostPath: string | Buffer,
  options: { readonly atOnce: boolean },
): Promise<Map<string, EntryType>> {
  const names = new Map<string, EntryType>();
  for (const entry of await readHostDirectory(hostPath, options)) {
    const type = entryTypeOf(entry.dirent);
    if (type !== undefined) names.set(entry.name, type);
  }
  return names;
}

function remember(memory: WalkMemory | undefined, path: string, names: ReadonlyMap<string, EntryType>): void {
  for (const [name, type] of names) if (type !== "symlink") memory?.seen.add(childPath(path, name), type);
}

function sortByBytes(names: ReadonlyMap<string, EntryType>): DirectoryEntry[] {
  return [...names].map(([name, type]) => ({ name, type })).sort((left, right) => comparePaths(left.name, right.name));
}
