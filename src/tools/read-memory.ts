/**
 * What the agent has seen of which file. An edit is a statement about a file as the agent knows it; when a person, a
 * command or another call has changed the file since, the edit may undo what nobody showed the agent. So reading
 * remembers a print of the whole content, the agent's own writes renew it, and a tool that is about to overwrite compares.
 *
 * It is kept in the state that the tools of one engine share, by the file's resolved path. A print by size and time
 * stands in where the whole content was not read: for enormous files and for binary ones. The oldest files are forgotten
 * first when there are very many; a forgotten file counts as never read, which is the careful side.
 */
import { createHash } from "node:crypto";
import type { EntryStat } from "../contract/workspace.ts";

/** Something that differs when a file's content does. */
export type FilePrint =
  | { readonly by: "content"; readonly digest: string }
  | { readonly by: "stat"; readonly sizeBytes: number; readonly mtimeMs: number };

/** The prints of the files that the agent has seen, by their resolved paths. */
export class ReadMemory {
  readonly #prints = new Map<string, FilePrint>();

  /** The agent knows the file as it is with this print. */
  remember(realPath: string, print: FilePrint): void {
    this.#prints.delete(realPath);
    this.#prints.set(realPath, print);
    const [oldest] = this.#prints.keys();
    if (this.#prints.size > MAX_REMEMBERED && oldest !== undefined) this.#prints.delete(oldest);
  }

  /** The print that the agent knows, if it knows any. */
  recall(realPath: string): FilePrint | undefined {
    return this.#prints.get(realPath);
  }

  /** A file, or a directory with what is in it, has another path now. */
  move(from: string, to: string): void {
    const moved = [...this.#prints].filter(([path]) => path === from || path.startsWith(`${from}/`));
    for (const [path, print] of moved) {
      this.#prints.delete(path);
      this.#prints.set(`${to}${path.slice(from.length)}`, print);
    }
  }
}

const MAX_REMEMBERED = 10_000;

/** The memory in the state that an engine's tools share; made when it is first asked for. */
export function readMemoryOf(state: Map<string, unknown>): ReadMemory {
  const known = state.get(STATE_KEY);
  if (known instanceof ReadMemory) return known;
  const memory = new ReadMemory();
  state.set(STATE_KEY, memory);
  return memory;
}

const STATE_KEY = "cofferdam:read-files";

/** Makes the print of a content that comes in pieces. */
export class ContentPrinter {
  readonly #hash = createHash("sha256");

  add(piece: Uint8Array | string): void {
    this.#hash.update(piece);
  }

  finish(): FilePrint {
    return { by: "content", digest: this.#hash.digest("base64") };
  }
}

/** The print of a content that is in hand. */
export function contentPrint(content: Uint8Array | string): FilePrint {
  const printer = new ContentPrinter();
  printer.add(content);
  return printer.finish();
}

/** The print of a file whose content is not read whole. */
export function statPrint({ sizeBytes, mtimeMs }: EntryStat): FilePrint {
  return { by: "stat", sizeBytes, mtimeMs };
}
