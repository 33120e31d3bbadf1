import type { EntryStat } from "../contract/workspace.ts";
import { childPath } from "./normalize-path.ts";
import { isDirectory, type FoundDirectory, type FoundEntry } from "./path-walk.ts";
import type { DraftSettler, FileSource } from "./draft-settler.ts";
import type { OpenFile, UnionReader } from "./union-reader.ts";

/*
 * Moves an entry of a draft. What lies below cannot be moved, so that a move is a copy and a deletion, as it is for
 * overlayfs; only what the draft holds itself is really moved. A tree is walked with a list and not by recursion: its
 * depth is whatever somebody made it.
 */

/** What a move works with. */
export interface MovingDraft {
  readonly reader: UnionReader;
  readonly settle: DraftSettler;
  /** A file of the draft as the content for another path. */
  readonly asSource: (file: OpenFile) => FileSource;
}

/** Moves an entry to a resolved path where there is nothing, or a file or symlink to be replaced. */
export async function moveEntry(draft: MovingDraft, entry: FoundEntry | FoundDirectory, to: string): Promise<void> {
  if (isDirectory(entry)) await copyTree(draft, entry, to);
  else await copyLeaf(draft, entry, to);
  await draft.settle.removal(entry.path);
}

async function copyTree(draft: MovingDraft, directory: FoundDirectory, to: string): Promise<void> {
  const { reader, settle } = draft;
  const closed: { readonly path: string; readonly mode: number }[] = [];
  const pending = [{ from: directory.path, to }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { mode } = await reader.workspace.lstat(next.from);
    await settle.directory(next.to, mode | OWNER_ACCESS);
    if ((mode & OWNER_ACCESS) !== OWNER_ACCESS) closed.push({ path: next.to, mode });
    for (const { name, type } of await reader.workspace.readDirectory(next.from)) {
      const way = { from: childPath(next.from, name), to: childPath(next.to, name) };
      if (type === "directory") pending.push(way);
      else await copyLeaf(draft, await find(reader, way.from), way.to);
    }
  }
  for (const { path, mode } of closed.toReversed()) await settle.directoryMode(path, mode);
}

/** A directory stays open to its owner until everything is in it. */
const OWNER_ACCESS: EntryStat["mode"] = 0o700;

async function find(reader: UnionReader, path: string): Promise<FoundEntry> {
  return reader.find({ action: "rename", path, follow: false });
}

async function copyLeaf(draft: MovingDraft, entry: FoundEntry, to: string): Promise<void> {
  const { reader, settle } = draft;
  if (entry.type === "symlink") return settle.symlink(to, await reader.workspace.readLink(entry.path));
  const { mode } = await reader.statEntry(entry);
  await reader.withFile({ action: "rename", path: entry.path }, (file) => settle.file(to, draft.asSource(file), mode));
}
