import { posix } from "node:path";

import { unsafeBytesFromLatin1, type BufferEncoding, type ByteString, type FsStat, type IFileSystem } from "just-bash";

import type { EntryStat } from "../../contract/workspace.ts";
import type { WorkspaceClient } from "./workspace-client.ts";
import { MAX_FILE_BYTES, READ_PIECE_BYTES } from "./workspace-protocol.ts";

/*
 * The workspace as just-bash sees it: every method is one or a few requests to the engine. `readdirWithFileTypes` is what
 * keeps `grep -r` and `find` from asking for each file once more just to learn its type.
 *
 * What a layer does not hold is not pretended: hard links are refused, and `touch` on an existing file changes nothing,
 * since times are no part of a change.
 */

/** One name in a directory, in just-bash's form. */
export interface TypedName {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
}

type EncodingOption = BufferEncoding | { readonly encoding?: BufferEncoding | null } | undefined;

/** A file system that asks the engine; paths are absolute, with the workspace as `/`. */
export class RemoteFileSystem implements IFileSystem {
  readonly #client: WorkspaceClient;

  constructor(client: WorkspaceClient) {
    this.#client = client;
  }

  async readFile(path: string, options?: EncodingOption): Promise<string> {
    return (await this.#read(path)).toString(encodingOf(options));
  }

  async readFileBytes(path: string): Promise<ByteString> {
    return unsafeBytesFromLatin1((await this.#read(path)).toString("latin1"));
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return await this.#read(path);
  }

  async writeFile(path: string, content: string | Uint8Array, options?: EncodingOption): Promise<void> {
    await this.#client.ask({ op: "write", path: relative(path) }, toBytes(path, content, options));
  }

  async appendFile(path: string, content: string | Uint8Array, options?: EncodingOption): Promise<void> {
    await this.#client.ask({ op: "append", path: relative(path) }, toBytes(path, content, options));
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this.stat(path);
      return true;
    } catch {
      // Whatever keeps a path from being looked at, a shell's `-e` says no.
      return false;
    }
  }

  async stat(path: string): Promise<FsStat> {
    return await this.#stat("stat", path);
  }

  async lstat(path: string): Promise<FsStat> {
    return await this.#stat("lstat", path);
  }

  async mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<void> {
    await this.#client.ask({ op: "mkdir", path: relative(path), recursive: options?.recursive ?? false });
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string): Promise<TypedName[]> {
    const { answer } = await this.#client.ask({ op: "list", path: relative(path) });
    return (answer.entries ?? []).map(({ name, type }) => ({ name, ...typeFlags(type) }));
  }

  async rm(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }): Promise<void> {
    try {
      await this.#client.ask({ op: "remove", path: relative(path), recursive: options?.recursive ?? false });
    } catch (error) {
      const isMissing = error instanceof Error && error.message.startsWith("ENOENT");
      if (options?.force !== true || !isMissing) throw error;
    }
  }

  async cp(source: string, target: string, options?: { readonly recursive?: boolean }): Promise<void> {
    const recursive = options?.recursive ?? false;
    await this.#client.ask({ op: "copy", path: relative(source), to: relative(target), recursive });
  }

  async mv(source: string, target: string): Promise<void> {
    await this.#client.ask({ op: "move", path: relative(source), to: relative(target) });
  }

  resolvePath(base: string, path: string): string {
    return posix.resolve(base, path);
  }

  /** Only a hint for globs, which list directories without it. */
  getAllPaths(): string[] {
    return [];
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.#client.ask({ op: "chmod", path: relative(path), mode });
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.#client.ask({ op: "symlink", path: relative(path), target });
  }

  async link(existing: string, path: string): Promise<void> {
    throw new Error(`EPERM: operation not permitted, link '${existing}' -> '${path}'`);
  }

  async readlink(path: string): Promise<string> {
    return (await this.#client.ask({ op: "readlink", path: relative(path) })).answer.text ?? "";
  }

  async realpath(path: string): Promise<string> {
    return `/${(await this.#client.ask({ op: "realpath", path: relative(path) })).answer.text ?? ""}`;
  }

  async utimes(path: string): Promise<void> {
    await this.stat(path);
  }

  async #stat(op: "stat" | "lstat", path: string): Promise<FsStat> {
    const { stat } = (await this.#client.ask({ op, path: relative(path) })).answer;
    if (stat === undefined) throw new Error(`EIO: no answer, ${op} '${path}'`);
    return toFsStat(stat);
  }

  async #read(path: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for (let offsetBytes = 0; offsetBytes <= MAX_FILE_BYTES; offsetBytes += READ_PIECE_BYTES) {
      const { body } = await this.#client.ask({ op: "read", path: relative(path), offsetBytes });
      pieces.push(body);
      if (body.byteLength < READ_PIECE_BYTES) return Buffer.concat(pieces);
    }
    throw new Error(`EFBIG: file too large, read '${path}'`);
  }
}

function relative(path: string): string {
  return posix.normalize(path).replace(/^\/+|\/+$/g, "");
}

function encodingOf(options: EncodingOption): NodeJS.BufferEncoding {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8";
}

function toBytes(path: string, content: string | Uint8Array, options: EncodingOption): Uint8Array {
  const bytes = typeof content === "string" ? Buffer.from(content, encodingOf(options)) : content;
  if (bytes.byteLength > MAX_FILE_BYTES) throw new Error(`EFBIG: file too large, write '${path}'`);
  return bytes;
}

function toFsStat(stat: EntryStat): FsStat {
  return { ...typeFlags(stat.type), mode: stat.mode, size: stat.sizeBytes, mtime: new Date(stat.mtimeMs) };
}

function typeFlags(type: EntryStat["type"]): Omit<TypedName, "name"> {
  return { isFile: type === "file", isDirectory: type === "directory", isSymbolicLink: type === "symlink" };
}
