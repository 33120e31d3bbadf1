import type { ChangeKind, EntryType } from "../contract/change.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";
import type { ReadBudget } from "../union/read-limits.ts";
import type { LocatedEntry, UnionView } from "../union/union-view.ts";
import { childPath } from "../union/normalize-path.ts";

/** Compared at once; also what `readFile` holds in memory. */
const CHUNK_BYTES = 1 << 20;

/** One path that two views hold differently. */
export interface Difference {
  readonly path: string;
  readonly kind: ChangeKind;
  /** The type after the change; for `deleted`, the type before it. */
  readonly type: EntryType;
  readonly before: LocatedEntry | undefined;
  readonly after: LocatedEntry | undefined;
}

/**
 * How two views differ at a path; `undefined` when they do not. A file that may be the same, and is larger than what is
 * left of the budget, counts as modified.
 */
export async function comparePath(
  path: string,
  views: { readonly before: UnionView; readonly after: UnionView; readonly budget: ReadBudget },
): Promise<Difference | undefined> {
  const [before, after] = await Promise.all([lookUp(views.before, path), lookUp(views.after, path)]);
  if (after === undefined) {
    return before && { path, kind: "deleted", type: before.stat.type, before, after };
  }
  const { type } = after.stat;
  if (before === undefined) return { path, kind: "added", type, before, after };
  if (before.stat.type !== type) return { path, kind: "replaced", type, before, after };
  if (isSameEntry(before, after)) return undefined;
  if (!(await hasSameContent(before, after, views))) return { path, kind: "modified", type, before, after };
  // The mode of a symlink means nothing.
  if (type === "symlink" || before.stat.mode === after.stat.mode) return undefined;
  return { path, kind: "mode-changed", type, before, after };
}

/** What is at exactly this path, no symlink followed; `undefined` when nothing is, or nothing that a workspace holds. */
export async function lookUp(view: UnionView, path: string): Promise<LocatedEntry | undefined> {
  try {
    const located = await view.locate(path);
    // A path that leads through a symlink names another entry.
    return located?.path === path ? located : undefined;
  } catch (error) {
    // What cannot be looked at is not nothing: taking it for that would lose it without a word.
    if (error instanceof WorkspacePathError && NOTHING.has(error.reason)) return undefined;
    throw error;
  }
}

/** Why nothing that a workspace holds is at exactly a path. */
const NOTHING: ReadonlySet<WorkspacePathError["reason"]> = new Set([
  "not-found",
  "not-a-directory",
  "outside-root",
  "too-many-links",
  "unsupported-type",
]);

/** Every path below a directory, each directory before what it holds. Keeps its own stack: a guest chooses the depth. */
export async function* walkBelow(view: UnionView, directory: string): AsyncGenerator<string> {
  const waiting = [directory];
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    for (const entry of await view.readDirectory(current)) {
      const path = childPath(current, entry.name);
      yield path;
      if (entry.type === "directory") waiting.push(path);
    }
  }
}

function isSameEntry(before: LocatedEntry, after: LocatedEntry): boolean {
  return before.layerId === after.layerId && String(before.hostPath) === String(after.hostPath);
}

async function hasSameContent(
  before: LocatedEntry,
  after: LocatedEntry,
  views: { readonly before: UnionView; readonly after: UnionView; readonly budget: ReadBudget },
): Promise<boolean> {
  const { path } = after;
  if (after.stat.type === "directory") return true;
  if (after.stat.type === "symlink") return (await views.before.readLink(path)) === (await views.after.readLink(path));
  if (before.stat.sizeBytes !== after.stat.sizeBytes || !views.budget.take(after.stat.sizeBytes)) return false;
  for (let offsetBytes = 0; offsetBytes < after.stat.sizeBytes; offsetBytes += CHUNK_BYTES) {
    const part = { offsetBytes, lengthBytes: CHUNK_BYTES };
    const [old, current] = await Promise.all([views.before.readFile(path, part), views.after.readFile(path, part)]);
    if (Buffer.compare(old, current) !== 0) return false;
  }
  return true;
}
