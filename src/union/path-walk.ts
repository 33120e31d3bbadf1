import { readlink } from "node:fs/promises";

import type { EntryType } from "../contract/change.ts";
import type { Layer } from "../contract/layer.ts";
import type { EntryStat } from "../contract/workspace.ts";
import { pathError, type PathRequest } from "../errors/messages/path.ts";
import { inspectEntry, isErrno } from "./host-entry.ts";
import type { LayerTreeNode } from "./layer-tree.ts";
import { childPath, splitPath } from "./normalize-path.ts";
import { pathFromBytes, toHostPath } from "./path-bytes.ts";
import type { WalkMemory } from "./seen-entries.ts";

/*
 * Looks a path up in the union as a kernel would: part by part, with every symlink resolved here. The kernel of the host
 * is only ever asked about a path whose ancestors have been seen to be directories, so that it follows no symlink for us:
 * not one of the root, and not one that a guest left in a layer.
 *
 * The price is one `lstat` per part that lies in the root. A part that a layer holds costs a step in the tree alone.
 * Where a layer only changes something inside a directory, the root's directory decides; when the root has lost it since,
 * the layer's own directory stands in, as it does in an overlay mount.
 */

/** A union to walk: the root, and what the layers change. */
export interface WalkSource {
  readonly root: string;
  readonly top: LayerTreeNode;
  /** Whether nothing shall be seen at a path, whose entry `layer` holds, or the root. */
  readonly hides: (path: string, layer: Layer | undefined) => boolean;
  /** Without it, every part is looked at. */
  readonly memory?: WalkMemory;
}

/** An entry of the union, and where it lies on the host. */
export interface FoundEntry {
  /** Normalised, every ancestor a directory. */
  readonly path: string;
  readonly type: EntryType;
  readonly hostPath: string | Buffer;
  /** The layer that holds it; without one, the root does. */
  readonly layer: Layer | undefined;
  /** Present when the walk had to look. */
  readonly stat: EntryStat | undefined;
}

/** A directory of the union. */
export interface FoundDirectory extends FoundEntry {
  readonly type: "directory";
  readonly node: LayerTreeNode | undefined;
  /** Whether the root's own directory shows through. */
  readonly showsRoot: () => Promise<boolean>;
}

/** Where a walk ended. */
export type WalkOutcome =
  | { readonly kind: "found"; readonly entry: FoundEntry | FoundDirectory }
  /** Nothing is there. `missing` are the parts below `directory`; `viaLink`: a symlink led to the first of them. */
  | {
      readonly kind: "absent";
      readonly directory: FoundDirectory;
      readonly missing: readonly string[];
      readonly viaLink: boolean;
    };

/** How to walk. */
export interface WalkRequest extends PathRequest {
  /** Whether a symlink at the very end is followed. */
  readonly follow: boolean;
}

/**
 * Looks a path up.
 * @throws WorkspacePathError when it leads out, through something that is no directory, or around in circles.
 */
export async function walkPath(source: WalkSource, request: WalkRequest): Promise<WalkOutcome> {
  const pending: PendingPart[] = splitPath(request.path)
    .map((name) => ({ name, viaLink: false }))
    .toReversed();
  const levels: [FoundDirectory, ...FoundDirectory[]] = [rootDirectory(source)];
  let linksFollowed = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const directory = levels.at(-1) ?? levels[0];
    if (part.name === "..") {
      if (levels.length === 1) throw pathError("outside-root", request);
      levels.pop();
      continue;
    }
    const entry = await step(source, { directory, name: part.name, request });
    if (entry === undefined) return absent(directory, part, { pending, request });
    if (isDirectory(entry)) {
      levels.push(entry);
    } else if (entry.type === "symlink" && (pending.length > 0 || request.follow)) {
      // What a symlink says is no guess only when every ancestor of it has been looked at.
      if (source.memory?.believe === true) throw pathError("not-found", request);
      linksFollowed += 1;
      if (linksFollowed > MAX_LINKS) throw pathError("too-many-links", request);
      const target = await readTarget(entry);
      if (target?.startsWith("/")) levels.length = 1;
      // It was a symlink a moment ago; whatever it is now is looked at once more.
      if (target === undefined) pending.push(part);
      else pending.push(...targetParts(target, request).toReversed());
    } else if (pending.length > 0) {
      throw pathError("not-a-directory", request);
    } else {
      return { kind: "found", entry };
    }
  }
  return { kind: "found", entry: levels.at(-1) ?? levels[0] };
}

/** Whether an entry is a directory; the walk finds directories with what is needed to go on. */
export function isDirectory(entry: FoundEntry | FoundDirectory): entry is FoundDirectory {
  return entry.type === "directory";
}

/** Where a symlink points, as written in it; `undefined` when it is none any more. */
export async function readTarget(entry: FoundEntry): Promise<string | undefined> {
  try {
    return pathFromBytes(await readlink(entry.hostPath, "buffer"));
  } catch (error) {
    if (isErrno(error, "EINVAL", "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

interface PendingPart {
  readonly name: string;
  readonly viaLink: boolean;
}

/** As Linux has it. */
const MAX_LINKS = 40;

function rootDirectory(source: WalkSource): FoundDirectory {
  return {
    path: "",
    type: "directory",
    hostPath: source.root,
    layer: undefined,
    stat: undefined,
    node: source.top,
    showsRoot: () => Promise.resolve(true),
  };
}

function absent(
  directory: FoundDirectory,
  part: PendingPart,
  way: { readonly pending: readonly PendingPart[]; readonly request: PathRequest },
): WalkOutcome {
  const missing = [part, ...way.pending.toReversed()].map(({ name }) => name);
  // What is not there has no parent to go back to.
  if (missing.includes("..")) throw pathError("not-found", way.request);
  return { kind: "absent", directory, missing, viaLink: part.viaLink };
}

/** The parts of a symlink's target. An absolute one may only point below the place where sandboxes see the workspace. */
function targetParts(target: string, request: PathRequest): PendingPart[] {
  try {
    return splitPath(target).map((name) => ({ name, viaLink: true }));
  } catch {
    // The target cannot be a path in here, whichever way it is wrong; the error names the path that was asked for.
    throw pathError("outside-root", request);
  }
}

interface Step {
  readonly directory: FoundDirectory;
  readonly name: string;
  readonly request: PathRequest;
}

async function step(source: WalkSource, way: Step): Promise<FoundEntry | FoundDirectory | undefined> {
  const path = childPath(way.directory.path, way.name);
  const node = way.directory.node?.children.get(way.name);
  const change = node?.change;
  if (change?.kind === "deleted") return undefined;
  if (source.hides(path, change?.kind === "put" ? change.layer : undefined)) return undefined;
  if (change?.kind === "put") {
    const hostPath = toHostPath(change.layer.upper, path);
    const entry = { path, type: change.type, hostPath, layer: change.layer, stat: undefined };
    if (entry.type !== "directory") return entry;
    const showsRoot = change.hidesBelow ? never : mergesWithRoot(source, way.directory, path);
    return { ...entry, type: entry.type, node, showsRoot };
  }
  const lower = await stepInRoot(source, way, node);
  return lower ?? stepOnScaffold(path, node);
}

async function stepInRoot(
  source: WalkSource,
  way: Step,
  node: LayerTreeNode | undefined,
): Promise<FoundEntry | FoundDirectory | undefined> {
  if (!(await way.directory.showsRoot())) return undefined;
  const path = childPath(way.directory.path, way.name);
  const hostPath = toHostPath(source.root, path);
  const directory = { path, type: "directory", hostPath, layer: undefined, node, showsRoot: always } as const;
  const believed = source.memory?.believe === true ? source.memory.seen.typeOf(path) : undefined;
  if (believed === "directory") return { ...directory, stat: undefined };
  if (believed === "file" && node === undefined)
    return { path, type: believed, hostPath, layer: undefined, stat: undefined };
  const stat = await inspectEntry(hostPath);
  if (stat === undefined) return undefined;
  if (stat !== "special" && stat.type === "directory") {
    source.memory?.seen.add(path, "directory");
    return { ...directory, stat };
  }
  // A layer has something below this name, so that its own directory covers whatever the root has here now.
  if (node?.scaffold !== undefined) return undefined;
  if (stat === "special") throw pathError("unsupported-type", way.request);
  return { path, type: stat.type, hostPath, layer: undefined, stat };
}

async function stepOnScaffold(path: string, node: LayerTreeNode | undefined): Promise<FoundDirectory | undefined> {
  if (node?.scaffold === undefined) return undefined;
  const hostPath = toHostPath(node.scaffold.upper, path);
  const stat = await inspectEntry(hostPath);
  if (stat === undefined || stat === "special" || stat.type !== "directory") return undefined;
  return { path, type: stat.type, hostPath, layer: node.scaffold, stat, node, showsRoot: never };
}

/** Asked only when a name below is not in the layers; then the root's directory must be one, whatever is above it. */
function mergesWithRoot(source: WalkSource, parent: FoundDirectory, path: string): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  return () => (answer ??= rootHasDirectory(source, parent, path));
}

async function rootHasDirectory(source: WalkSource, parent: FoundDirectory, path: string): Promise<boolean> {
  if (!(await parent.showsRoot())) return false;
  const lower = await inspectEntry(toHostPath(source.root, path));
  return lower !== undefined && lower !== "special" && lower.type === "directory";
}

function always(): Promise<boolean> {
  return Promise.resolve(true);
}

function never(): Promise<boolean> {
  return Promise.resolve(false);
}
