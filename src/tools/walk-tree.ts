/**
 * Walks a workspace in the order of a sorted tree: a directory, then what is in it, then its next sibling. The walk keeps
 * its own stack, so that no depth that a guest has made can exhaust the engine's; it follows no symlink, so it ends; and
 * it reads the next few directories ahead, because waiting for one at a time is most of the cost of a walk.
 */
import type { EntryType } from "../contract/change.ts";
import type { DirectoryEntry, ReadableWorkspace } from "../contract/workspace.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";

/** Where and how far to walk. */
export interface WalkOptions {
  /** Relative to the root, resolved (`""` is the root). It is not an entry of the walk itself. */
  readonly start: string;
  /** Checked before each step; a walk that is aborted throws its reason. */
  readonly signal: AbortSignal;
  /** Entries after which the walk ends. */
  readonly maxEntries: number;
  /** Levels below `start`. @default no limit */
  readonly maxDepth?: number;
  /** Directories that are entries of the walk but are not entered. */
  readonly isLeftOut?: (entry: TreeEntry) => boolean;
  /** Chooses among the entries of a directory; a directory's parent is asked about before it. @default all */
  readonly select?: (directory: string, entries: readonly DirectoryEntry[]) => Promise<readonly DirectoryEntry[]>;
}

/** One thing that a walk finds. */
export interface TreeEntry {
  /** Relative to the workspace's root. */
  readonly path: string;
  readonly name: string;
  readonly type: EntryType;
  /** 1 for what lies directly in `start`. */
  readonly depth: number;
}

/** A step of a walk. */
export type TreeStep =
  | { readonly kind: "entry"; readonly entry: TreeEntry }
  /** A directory that `isLeftOut` named; its own entry came just before. */
  | { readonly kind: "left-out"; readonly entry: TreeEntry }
  /** A directory that could not be read, or is gone by now; its own entry came before. */
  | { readonly kind: "unreadable"; readonly entry: TreeEntry }
  /** There is more; the walk ends here. */
  | { readonly kind: "limit" };

/**
 * Walks everything below a directory.
 * @throws WorkspacePathError when `start` cannot be read.
 */
export async function* walkTree(workspace: ReadableWorkspace, options: WalkOptions): AsyncGenerator<TreeStep, void> {
  options.signal.throwIfAborted();
  const stack: PendingEntry[] = [];
  pushEntries(stack, { path: options.start, depth: 0 }, await readEntries(workspace, options.start, options));
  let visited = 0;
  for (let pending = stack.pop(); pending !== undefined; pending = stack.pop()) {
    options.signal.throwIfAborted();
    visited += 1;
    if (visited > options.maxEntries) {
      yield { kind: "limit" };
      return;
    }
    const { entry } = pending;
    yield { kind: "entry", entry };
    if (entry.type !== "directory" || entry.depth >= (options.maxDepth ?? Number.POSITIVE_INFINITY)) continue;
    if (options.isLeftOut?.(entry) === true) {
      yield { kind: "left-out", entry };
      continue;
    }
    pending.reading ??= startReading(workspace, entry.path, options);
    readNextAhead(stack, workspace, options);
    const reading = await pending.reading;
    if (reading.ok) pushEntries(stack, entry, reading.entries);
    else if (reading.error instanceof WorkspacePathError) yield { kind: "unreadable", entry };
    else throw reading.error;
  }
}

interface PendingEntry {
  readonly entry: TreeEntry;
  /** Set as soon as the directory is being read. It never rejects, as nobody may be waiting yet. */
  reading?: Promise<Reading>;
}

type Reading =
  { readonly ok: true; readonly entries: readonly DirectoryEntry[] } | { readonly ok: false; readonly error: unknown };

async function readEntries(
  workspace: ReadableWorkspace,
  path: string,
  { select }: WalkOptions,
): Promise<readonly DirectoryEntry[]> {
  const entries = await workspace.readDirectory(path);
  return select === undefined ? entries : await select(path, entries);
}

function startReading(workspace: ReadableWorkspace, path: string, options: WalkOptions): Promise<Reading> {
  return readEntries(workspace, path, options).then(
    (entries) => ({ ok: true, entries }),
    (error: unknown) => ({ ok: false, error }),
  );
}

/** The last in the stack comes next, so children are pushed the other way round. */
function pushEntries(
  stack: PendingEntry[],
  parent: Pick<TreeEntry, "path" | "depth">,
  entries: readonly DirectoryEntry[],
): void {
  for (const { name, type } of entries.toReversed()) {
    const path = parent.path === "" ? name : `${parent.path}/${name}`;
    stack.push({ entry: { path, name, type, depth: parent.depth + 1 } });
  }
}

const MAX_READ_AHEAD = 8;
/** How far to look for directories among the entries that come next. */
const LOOK_AHEAD_ENTRIES = 32;

function readNextAhead(stack: readonly PendingEntry[], workspace: ReadableWorkspace, options: WalkOptions): void {
  let started = 0;
  const last = Math.max(0, stack.length - LOOK_AHEAD_ENTRIES);
  for (let index = stack.length - 1; index >= last && started < MAX_READ_AHEAD; index -= 1) {
    const pending = stack[index];
    if (pending === undefined || pending.entry.type !== "directory") continue;
    if (pending.entry.depth >= (options.maxDepth ?? Number.POSITIVE_INFINITY)) continue;
    if (options.isLeftOut?.(pending.entry) === true) continue;
    pending.reading ??= startReading(workspace, pending.entry.path, options);
    started += 1;
  }
}
