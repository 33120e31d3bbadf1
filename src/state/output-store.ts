/**
 * Outputs that are too long for a result are kept whole, one file each. A file holds UTF-16LE behind a byte order mark:
 * a character's place in the text is then its place in the file, so that reading from an offset costs what is read and
 * not what lies before it, and every string comes back exactly, lone surrogates included. Editors know the mark.
 *
 * An id is 128 random bits. It is the only thing that leads to a file, and it is checked before it becomes part of a
 * path; what a model writes instead of one leads nowhere.
 */
import { constants } from "node:fs";
import { lstat, open, readdir, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";

/** A part of an output. */
export interface OutputSlice {
  readonly text: string;
  /** Characters of the whole output. */
  readonly characters: number;
}

/** Where outputs are kept, and for how long. */
export interface OutputStoreOptions {
  readonly directory: string;
  /** @default Date.now */
  readonly clock?: () => number;
  /** Age at which an output is removed. @default 604_800_000 (7 days) */
  readonly maxAgeMs?: number;
  /** Bytes that all outputs together may take. @default 500_000_000 */
  readonly maxBytes?: number;
}

/** Opens the store and removes what is too old, and the oldest of what is too much. */
export async function openOutputStore(options: OutputStoreOptions): Promise<OutputStore> {
  await removeOldOutputs(options);
  return new OutputStore(options.directory);
}

/** The outputs of one root. Characters are counted as JavaScript does, in UTF-16 units. */
export class OutputStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes an output and gives its id. */
  async keep(text: string): Promise<string> {
    const id = randomBytes(16).toString("hex");
    await using file = await open(this.#fileOf(id), "wx", 0o600);
    await file.writeFile(Buffer.from(`\uFEFF${text}`, "utf16le"));
    return id;
  }

  /** Reads a part of an output; `undefined` when there is none of this id. */
  async read(id: string, range: { readonly offset: number; readonly limit: number }): Promise<OutputSlice | undefined> {
    await using file = await this.#open(id);
    if (file === undefined) return undefined;
    const characters = Math.max(0, Math.floor((await file.stat()).size / 2) - 1);
    const length = Math.max(0, Math.min(range.limit, characters - range.offset)) * 2;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, (range.offset + 1) * 2);
    return { text: buffer.toString("utf16le", 0, bytesRead), characters };
  }

  async #open(id: string): Promise<FileHandle | undefined> {
    if (!ID.test(id)) return undefined;
    try {
      return await open(this.#fileOf(id), constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  #fileOf(id: string): string {
    return join(this.#directory, `${id}.txt`);
  }
}

/** What an id looks like. */
const ID = /^[0-9a-f]{32}$/;
const FILE_NAME = /^[0-9a-f]{32}\.txt$/;

async function removeOldOutputs(options: OutputStoreOptions): Promise<void> {
  const { directory, clock = Date.now, maxAgeMs = 604_800_000, maxBytes = 500_000_000 } = options;
  const files: { readonly path: string; readonly writtenAtMs: number; readonly bytes: number }[] = [];
  for (const name of await readdir(directory)) {
    if (!FILE_NAME.test(name)) continue;
    const path = join(directory, name);
    // Another process may remove the same outputs now.
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined) files.push({ path, writtenAtMs: found.mtimeMs, bytes: found.size });
  }
  let total = 0;
  for (const { path, writtenAtMs, bytes } of files.toSorted((one, other) => other.writtenAtMs - one.writtenAtMs)) {
    total += bytes;
    if (total > maxBytes || clock() - writtenAtMs > maxAgeMs) await rm(path, { force: true });
  }
}
