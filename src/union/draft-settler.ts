import type { EntryType } from "../contract/change.ts";
import { pathError } from "../errors/messages/path.ts";
import type { DraftChanges } from "./draft-changes.ts";
import type { DraftUpper } from "./draft-upper.ts";
import { findExactly, withLocatedFile } from "./exact-entry.ts";
import { lstatIfPresent } from "./host-entry.ts";
import { childPath } from "./normalize-path.ts";
import { toHostPath } from "./path-bytes.ts";
import { holdsContent, sameContent } from "./same-content.ts";
import type { OpenFile } from "./union-reader.ts";
import type { LocatedEntry, UnionView } from "./union-view.ts";

/*
 * Makes one path of a draft what it shall be, on disk and in the manifest, and sees to it that both say the difference to
 * what lies below and no more: whatever has come back to type, mode and content of before is taken out again.
 *
 * A directory over one that was removed must not show what was in there. overlayfs marks it with an extended attribute,
 * which Node cannot set; here every name that lies below is deleted on its own instead. It means the same to every
 * reader, needs no special case when the names come back, and the mark remains for a directory over something else.
 */

/** Where a file's content comes from. */
export type FileSource =
  | { readonly kind: "bytes"; readonly content: Uint8Array }
  | { readonly kind: "open-file"; readonly file: OpenFile }
  /** The upper directory has it already, at this path. */
  | { readonly kind: "own-file"; readonly path: string; readonly file: OpenFile };

/** What a draft's operations come down to. Every path is resolved: its ancestors are directories. */
export interface DraftSettler {
  file(path: string, source: FileSource, mode: number): Promise<void>;
  symlink(path: string, target: string): Promise<void>;
  /** A directory at a path where the draft has nothing. */
  directory(path: string, mode: number): Promise<void>;
  directoryMode(path: string, mode: number): Promise<void>;
  removal(path: string): Promise<void>;
}

/** What a settler works on. */
export interface DraftParts {
  readonly below: UnionView;
  readonly upper: string;
  readonly disk: DraftUpper;
  readonly changes: DraftChanges;
  /** Whether nothing may be made at a path, because it is hidden. */
  readonly refuses: (path: string) => boolean;
}

/** Settles the paths of one draft. */
export function createDraftSettler(parts: DraftParts): DraftSettler {
  const { below, disk, changes } = parts;
  return {
    async file(path, source, mode) {
      refuseHidden(parts, path);
      const lower = await findExactly(below, path);
      if (lower?.stat.type === "file" && lower.stat.mode === mode && (await equals(below, lower, source))) {
        return keepBelow(parts, path);
      }
      await writeSource(parts, path, { source, mode });
      changes.put({ op: "put", path, type: "file" });
    },
    async symlink(path, target) {
      refuseHidden(parts, path);
      const lower = await findExactly(below, path);
      if (lower?.stat.type === "symlink" && (await below.readLink(path)) === target) return keepBelow(parts, path);
      await disk.makeSymlink(path, target);
      changes.put({ op: "put", path, type: "symlink" });
    },
    directory: (path, mode) => makeDirectory(parts, path, mode),
    async directoryMode(path, mode) {
      const lower = await findExactly(below, path);
      await disk.scaffold(path);
      await disk.setMode(path, mode);
      // Over a file or symlink the directory is in the manifest already, with all that it hides.
      if (lower !== undefined && lower.stat.type !== "directory") return;
      if (lower?.stat.mode === mode) changes.keepDirectory(path);
      else putDirectory(changes, path, lower?.stat.type);
    },
    async removal(path) {
      const lower = await findExactly(below, path);
      if (lower === undefined) return keepBelow(parts, path);
      await disk.hide(path);
      changes.delete(path);
    },
  };
}

function refuseHidden({ refuses }: DraftParts, path: string): void {
  if (refuses(path)) throw pathError("hidden", { action: "write", path });
}

async function equals(below: UnionView, lower: LocatedEntry, source: FileSource): Promise<boolean> {
  const sizeBytes = source.kind === "bytes" ? source.content.length : source.file.stats.size;
  if (lower.stat.sizeBytes !== sizeBytes) return false;
  const same = await withLocatedFile(below, lower, (file) =>
    source.kind === "bytes" ? holdsContent(file, source.content) : sameContent(file, source.file.handle),
  );
  return same === true;
}

async function keepBelow({ disk, changes }: DraftParts, path: string): Promise<void> {
  await disk.clear(path);
  changes.keepBelow(path);
}

async function writeSource(
  { disk, upper }: DraftParts,
  path: string,
  { source, mode }: { readonly source: FileSource; readonly mode: number },
): Promise<void> {
  if (source.kind === "bytes") return disk.writeFile(path, source.content, mode);
  if (source.kind === "own-file") {
    const stats = await lstatIfPresent(toHostPath(upper, source.path));
    // A file with other names must be left to them: a guest's hard links are separate files in a workspace.
    if (stats?.nlink === 1) {
      if (source.path !== path) await disk.move(source.path, path);
      return disk.setMode(path, mode);
    }
  }
  return disk.copyFile(path, source.file.descriptorPath, mode);
}

async function makeDirectory(parts: DraftParts, path: string, mode: number): Promise<void> {
  refuseHidden(parts, path);
  const { below, disk, changes } = parts;
  const lower = await findExactly(below, path);
  await disk.clear(path);
  await disk.makeDirectory(path, mode);
  if (lower?.stat.type !== "directory") return putDirectory(changes, path, lower?.stat.type);
  changes.keepBelow(path);
  for (const { name } of await below.readDirectory(path)) {
    await disk.hide(childPath(path, name));
    changes.delete(childPath(path, name));
  }
  if (lower.stat.mode !== mode) putDirectory(changes, path, lower.stat.type);
}

function putDirectory(changes: DraftChanges, path: string, typeBelow: EntryType | undefined): void {
  const hidesOther = typeBelow !== undefined && typeBelow !== "directory";
  changes.put({ op: "put", path, type: "directory", ...(hidesOther ? { opaque: true } : {}) });
}
