import type { ReadableWorkspace } from "../contract/workspace.ts";
import type { StartPrefilter } from "../contract/prefilter.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";
import { findBinaryKind } from "./binary-kind.ts";
import { openIgnoreRules } from "./ignore-rules.ts";
import { leaveOutUnless, leftOutGlobs } from "./left-out.ts";
import { readAhead } from "./read-ahead.ts";
import { walkTree, type WalkOptions } from "./walk-tree.ts";

/** Files larger than this are not searched. */
export const MAX_SEARCHED_BYTES = 16_777_216;

const MAX_VISITED = 1_000_000;
const CONCURRENT_READS = 16;

/** A file to search, or why it is not. */
export type SearchedFile =
  | { readonly kind: "text"; readonly path: string; readonly text: string }
  | { readonly kind: "binary" | "too-large" | "unreadable"; readonly path: string }
  /** There are more files than are looked at. */
  | { readonly kind: "limit" }
  /** The last of all, when .gitignore files have left something out. */
  | { readonly kind: "ignored" };

/** Where to search. */
export interface SearchPlace {
  /** A file or a directory, as the call names it. */
  readonly path: string;
  /** What else the call names: a directory that is usually left out is entered when it is spoken of. */
  readonly glob: string | undefined;
  /** Decides by the path below `path`. */
  readonly isWanted: (path: string) => boolean;
  /** Look at what .gitignore files name as well. */
  readonly includeIgnored: boolean;
  /** What is looked for there, in RE2's syntax. */
  readonly expression: string;
  readonly ignoreCase: boolean;
  /** Rules files out without reading them; not every engine has it. */
  readonly startPrefilter?: StartPrefilter | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads the files below a path, some ahead, in the order of the tree. Symlinks are not followed.
 * @throws WorkspacePathError when `path` itself cannot be used.
 */
export async function* readSearchedFiles(
  workspace: ReadableWorkspace,
  place: SearchPlace,
): AsyncGenerator<SearchedFile, void> {
  const start = await workspace.realPath(place.path);
  if ((await workspace.lstat(start)).type === "file") {
    yield await readSearched(workspace, start);
    return;
  }
  const load = async (path: string | undefined): Promise<SearchedFile> =>
    path === undefined ? { kind: "limit" } : await readSearched(workspace, path);
  const { path, glob, includeIgnored, signal } = place;
  const ignore = await openIgnoreRules(workspace, { start, includeIgnored, mentions: [path, glob] });
  const isLeftOut = leaveOutUnless(path, glob);
  const walk = { start, signal, maxEntries: MAX_VISITED, isLeftOut, select: ignore.select };
  const paths = prefiltered(wantedPaths(workspace, walk, place), { ...place, start });
  yield* readAhead(paths, { limit: CONCURRENT_READS, load });
  if (ignore.hasIgnored()) yield { kind: "ignored" };
}

/** `undefined` stands for the limit. */
async function* wantedPaths(
  workspace: ReadableWorkspace,
  walk: WalkOptions,
  { isWanted }: SearchPlace,
): AsyncGenerator<string | undefined, void> {
  const prefixLength = walk.start === "" ? 0 : walk.start.length + 1;
  for await (const step of walkTree(workspace, walk)) {
    if (step.kind === "limit") yield undefined;
    if (step.kind !== "entry" || step.entry.type !== "file") continue;
    if (isWanted(step.entry.path.slice(prefixLength))) yield step.entry.path;
  }
}

/** In a smaller tree than that, reading is over before a prefilter has begun. */
const UNFILTERED_FILES = 100;
/** How far the walk may be ahead of what the prefilter has said. */
const MAX_UNDECIDED = 8_192;

/** Leaves out what a prefilter is certain of. */
async function* prefiltered(
  paths: AsyncGenerator<string | undefined, void>,
  place: SearchPlace & { readonly start: string },
): AsyncGenerator<string | undefined, void> {
  for (let count = 0; count < UNFILTERED_FILES || place.startPrefilter === undefined; count += 1) {
    const { done, value } = await paths.next();
    if (done === true) return;
    yield value;
  }
  const globs = [...(place.glob === undefined ? [] : [place.glob]), ...leftOutGlobs(place.path, place.glob)];
  await using prefilter = await place.startPrefilter({ ...place, globs });
  for await (const batch of inBatches(paths, MAX_UNDECIDED)) {
    for (const path of batch) {
      const isRuledOut = path !== undefined && (await prefilter?.holdsNoMatch(path)) === true;
      if (!isRuledOut) yield path;
    }
  }
}

async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[], void> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function readSearched(workspace: ReadableWorkspace, path: string): Promise<SearchedFile> {
  try {
    const bytes = await workspace.readFile(path, { maxBytes: MAX_SEARCHED_BYTES });
    if (findBinaryKind(bytes) !== undefined) return { kind: "binary", path };
    return { kind: "text", path, text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8") };
  } catch (error) {
    if (!(error instanceof WorkspacePathError)) throw error;
    return { kind: error.reason === "too-large" ? "too-large" : "unreadable", path };
  }
}
