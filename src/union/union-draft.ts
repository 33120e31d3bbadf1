import type { Layer, LayerRoom, ManifestEntry } from "../contract/layer.ts";
import type { WritableWorkspace, WriteFileOptions } from "../contract/workspace.ts";
import { pathError, type PathRequest } from "../errors/messages/path.ts";
import { createDraftChanges } from "./draft-changes.ts";
import { createDraftSettler, type FileSource } from "./draft-settler.ts";
import { NEW_DIRECTORY_MODE, openDraftUpper, TEMPORARY_NAME, type MakeLink } from "./draft-upper.ts";
import { answering, PERMISSION_BITS } from "./host-entry.ts";
import { createRoomCounter } from "./layer-room.ts";
import { childPath } from "./normalize-path.ts";
import { moveEntry, type MovingDraft } from "./move-entry.ts";
import { isDirectory, type FoundDirectory, type FoundEntry, type WalkOutcome } from "./path-walk.ts";
import { readableMode } from "./readable-mode.ts";
import { createUnionReader, type OpenFile, type UnionReader } from "./union-reader.ts";
import type { UnionView } from "./union-view.ts";
import type { WhiteoutMaker } from "./whiteouts.ts";

/** A view that takes changes into an upper directory. Reads see them at once; writes run one after the other. */
export interface UnionDraft extends WritableWorkspace {
  /** What was changed so far, ordered by path; what has come back to type, mode and content of before is left out. */
  entries(): readonly ManifestEntry[];
  /** What lies below. */
  readonly view: UnionView;
}

/** What a draft is opened on. */
export interface UnionDraftOptions {
  readonly below: UnionView;
  /** The upper directory that takes the changes. */
  readonly upper: string;
  readonly whiteouts: WhiteoutMaker;
  /** What the upper directory holds already. @default nothing */
  readonly entries?: readonly ManifestEntry[];
  /** @default `symlink` of node:fs, which a process under Node's permission model may not use */
  readonly makeLink?: MakeLink;
  /** How much the upper directory may hold. @default any amount */
  readonly room?: LayerRoom | undefined;
  /**
   * Takes what is made at hidden paths and shows it, as a kernel mount does, for a scan of the upper directory to refuse.
   * @default false: nothing can be made there
   */
  readonly takesHidden?: boolean;
}

/** Opens a draft on top of a view. */
export function openUnionDraft(options: UnionDraftOptions): UnionDraft {
  const parts = openParts(options);
  const { reader, changes } = parts;
  const inTurn = createTurns();
  const writing = (request: PathRequest, operation: () => Promise<void>): Promise<void> =>
    inTurn(() => answering(request, operation));
  return {
    ...reader.workspace,
    view: options.below,
    entries: () => changes.entries(),
    writeFile: (path, content, how = {}) => {
      const request = { action: "write", path };
      const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
      return writing(request, () => writeFile(parts, request, { ...how, content: bytes }));
    },
    makeDirectory: (path) => {
      const request = { action: "make the directory", path };
      return writing(request, () => makeDirectory(parts, request));
    },
    remove: (path, how = {}) => {
      const request = { action: "remove", path };
      return writing(request, () => remove(parts, request, how.recursive ?? false));
    },
    rename: (from, to, how = {}) => {
      const request = { action: "rename", path: from };
      return writing(request, () => rename(parts, request, { to, overwrite: how.overwrite ?? false }));
    },
    setMode: (path, mode) => {
      const request = { action: "change the mode of", path };
      return writing(request, () => setMode(parts, request, mode & PERMISSION_BITS));
    },
    makeSymlink: (target, path) => {
      const request = { action: "make the symlink", path };
      return writing(request, () => makeSymlink(parts, request, target));
    },
  };
}

/** What the operations of a draft work with. */
type OpenDraft = MovingDraft;

function openParts(options: UnionDraftOptions): OpenDraft & { readonly changes: Pick<UnionDraft, "entries"> } {
  const { below, upper, whiteouts, entries = [], makeLink, takesHidden = false } = options;
  const layer: Layer = { id: DRAFT_LAYER_ID, upper, entries };
  const changes = createDraftChanges({ below: below.tree, layer });
  const { hidden } = below;
  const hides = (path: string, holder: Layer | undefined): boolean =>
    !(takesHidden && holder === layer) && hidden.hides(path);
  const reader = createUnionReader(() => ({ root: below.root, top: changes.top, hides }));
  const disk = openDraftUpper({
    root: below.root,
    upper,
    whiteouts,
    modeBelow: (path) => findDirectoryMode(reader, path),
    ...(makeLink === undefined ? {} : { makeLink }),
    room: options.room && createRoomCounter(upper, options.room),
  });
  const settle = createDraftSettler({ below, upper, disk, changes, refuses: (path) => hides(path, layer) });
  return { reader, changes, settle, asSource: (file) => asSource(layer, file) };
}

/** No layer that was kept has this id. */
const DRAFT_LAYER_ID = -1;
const NEW_FILE_MODE = 0o644;

async function findDirectoryMode(reader: UnionReader, path: string): Promise<number | undefined> {
  const outcome = await reader.walk({ action: "look up", path, follow: false });
  return outcome.kind === "found" ? (await reader.statEntry(outcome.entry)).mode : undefined;
}

async function writeFile(
  draft: OpenDraft,
  request: PathRequest,
  options: WriteFileOptions & { readonly content: Uint8Array },
): Promise<void> {
  const exclusive = options.exclusive ?? false;
  const outcome = await draft.reader.walk({ ...request, follow: !exclusive });
  const mode = options.mode === undefined ? undefined : readableMode("file", options.mode & PERMISSION_BITS);
  const source: FileSource = { kind: "bytes", content: options.content };
  if (outcome.kind === "absent") {
    const path = await makeMissing(draft, outcome, { request, keepLast: true });
    return draft.settle.file(path, source, mode ?? NEW_FILE_MODE);
  }
  if (exclusive) throw pathError("exists", request);
  if (isDirectory(outcome.entry)) throw pathError("is-a-directory", request);
  const { path } = outcome.entry;
  await draft.settle.file(path, source, mode ?? (await draft.reader.statEntry(outcome.entry)).mode);
}

async function makeDirectory(draft: OpenDraft, request: PathRequest): Promise<void> {
  const outcome = await draft.reader.walk({ ...request, follow: true });
  if (outcome.kind === "absent") {
    if (outcome.viaLink) throw pathError("not-found", request);
    await makeMissing(draft, outcome, { request, keepLast: false });
  } else if (!isDirectory(outcome.entry)) {
    throw pathError("exists", request);
  }
}

/** Makes the missing directories of a path, but for the last part where that is to become something else. */
async function makeMissing(
  draft: OpenDraft,
  outcome: Extract<WalkOutcome, { kind: "absent" }>,
  options: { readonly request: PathRequest; readonly keepLast: boolean },
): Promise<string> {
  const { directory, missing, viaLink } = outcome;
  // A dangling symlink may name a file to be made, but no directories that nobody wrote down.
  if (viaLink && missing.length > 1) throw pathError("not-found", options.request);
  let path = directory.path;
  for (const [index, name] of missing.entries()) {
    path = childPath(path, name);
    refuseReservedName(path, options.request);
    if (index < missing.length - 1 || !options.keepLast) await draft.settle.directory(path, NEW_DIRECTORY_MODE);
  }
  return path;
}

async function remove(draft: OpenDraft, request: PathRequest, recursive: boolean): Promise<void> {
  const entry = await findItself(draft, request);
  if (isDirectory(entry) && !recursive && (await draft.reader.workspace.readDirectory(entry.path)).length > 0) {
    throw pathError("not-empty", request);
  }
  await draft.settle.removal(entry.path);
}

async function rename(
  draft: OpenDraft,
  request: PathRequest,
  options: { readonly to: string; readonly overwrite: boolean },
): Promise<void> {
  const target = { action: "rename to", path: options.to };
  const entry = await findItself(draft, request);
  const outcome = await draft.reader.walk({ ...target, follow: false });
  if (outcome.kind === "absent") {
    const path = childPath(outcome.directory.path, onlyMissing(outcome, target));
    if (path.startsWith(`${entry.path}/`)) throw pathError("invalid-path", target);
    refuseReservedName(path, target);
    return moveEntry(draft, entry, path);
  }
  const { path } = outcome.entry;
  if (path === entry.path) return;
  if (!options.overwrite) throw pathError("exists", target);
  if (isDirectory(outcome.entry)) throw pathError("is-a-directory", target);
  if (isDirectory(entry)) throw pathError("not-a-directory", target);
  await moveEntry(draft, entry, path);
}

async function setMode(draft: OpenDraft, request: PathRequest, asked: number): Promise<void> {
  const entry = await draft.reader.find({ ...request, follow: true });
  if (entry.path === "") throw pathError("invalid-path", request);
  const mode = readableMode(entry.type, asked);
  if ((await draft.reader.statEntry(entry)).mode === mode) return;
  if (isDirectory(entry)) return draft.settle.directoryMode(entry.path, mode);
  await draft.reader.withFile(request, (file) => draft.settle.file(entry.path, draft.asSource(file), mode));
}

async function makeSymlink(draft: OpenDraft, request: PathRequest, target: string): Promise<void> {
  if (target === "" || target.includes("\0")) throw pathError("invalid-path", { ...request, path: target });
  const outcome = await draft.reader.walk({ ...request, follow: false });
  if (outcome.kind === "found") throw pathError("exists", request);
  const path = childPath(outcome.directory.path, onlyMissing(outcome, request));
  refuseReservedName(path, request);
  await draft.settle.symlink(path, target);
}

/** What the draft holds itself need not be copied. */
function asSource(own: Layer, file: OpenFile): FileSource {
  return file.entry.layer === own ? { kind: "own-file", path: file.entry.path, file } : { kind: "open-file", file };
}

/** The entry itself, to be taken away; the root cannot be. */
async function findItself(draft: OpenDraft, request: PathRequest): Promise<FoundEntry | FoundDirectory> {
  const entry = await draft.reader.find({ ...request, follow: false });
  if (entry.path === "") throw pathError("invalid-path", request);
  return entry;
}

/** The last part of a path whose directory is there. */
function onlyMissing(outcome: Extract<WalkOutcome, { kind: "absent" }>, request: PathRequest): string {
  const [name, ...further] = outcome.missing;
  if (name === undefined || further.length > 0) throw pathError("not-found", request);
  return name;
}

/** A writer's own temporary names would be taken for rests of a killed one. */
function refuseReservedName(path: string, request: PathRequest): void {
  if (TEMPORARY_NAME.test(path)) throw pathError("invalid-path", request);
}

/** Runs operations one after the other; a failed one does not stop the next. */
function createTurns(): (operation: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (operation) => {
    const turn = last.then(operation);
    last = turn.catch(() => {
      // Whoever asked for the operation has the error; the next turn only waits for its end.
    });
    return turn;
  };
}
