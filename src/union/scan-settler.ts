import { chmod, lchown, mkdir, rename, rm, rmdir } from "node:fs/promises";
import type { Stats } from "node:fs";

import type { Layer, ManifestEntry } from "../contract/layer.ts";
import { NOT_KEPT } from "../errors/messages/layer.ts";
import { withLocatedFile } from "./exact-entry.ts";
import { temporaryPath, type DraftUpper } from "./draft-upper.ts";
import { entryTypeOf, lstatIfPresent, PERMISSION_BITS, readHostDirectory } from "./host-entry.ts";
import type { UpperItem } from "./list-upper.ts";
import { childPath, parentPath } from "./normalize-path.ts";
import { openEntry } from "./open-entry.ts";
import { toHostPath } from "./path-bytes.ts";
import { readTarget, type FoundEntry } from "./path-walk.ts";
import { createReadBudget, MAX_COMPARED_BYTES, MAX_FILE_BYTES, type ReadBudget } from "./read-limits.ts";
import { sameContent } from "./same-content.ts";
import type { RefusedEntry } from "./list-upper.ts";
import type { UnionView } from "./union-view.ts";
import { isWhiteout, type WhiteoutMaker } from "./whiteouts.ts";

/** Turns the entries of an upper directory into a manifest, one by one. */
export interface ScanSettler {
  /** Each directory has to come before what is in it. */
  settle(item: UpperItem): Promise<void>;
  readonly entries: readonly ManifestEntry[];
  readonly refused: readonly RefusedEntry[];
  /** Directories that are no change themselves. */
  readonly scaffolding: readonly string[];
}

/** What a settler works with. */
export interface ScanParts {
  readonly below: UnionView;
  readonly upper: string;
  readonly disk: DraftUpper;
  readonly whiteouts: WhiteoutMaker;
  /** Directories that overlayfs has marked as hiding what lies below them. */
  readonly opaque: ReadonlySet<string>;
}

/** A settler for one scan. */
export async function createScanSettler(parts: ScanParts): Promise<ScanSettler> {
  const scan: OpenScan = {
    ...parts,
    entries: [],
    refused: [],
    scaffolding: [],
    hiding: new Set(),
    budget: createReadBudget(MAX_COMPARED_BYTES),
    // Without whiteouts a mark has to stay, and with it all that the directory holds.
    canUnmark: parts.opaque.size > 0 && (await canPlace(parts)),
  };
  return { settle: (item) => settle(scan, item), ...scan };
}

interface OpenScan extends ScanParts {
  readonly entries: ManifestEntry[];
  readonly refused: RefusedEntry[];
  readonly scaffolding: string[];
  /** Directories over one below of which nothing shows through, by their own mark or by one above. */
  readonly hiding: Set<string>;
  readonly canUnmark: boolean;
  /** A file that may be the same and is not read any more counts as changed. */
  readonly budget: ReadBudget;
}

async function canPlace({ upper, whiteouts }: ScanParts): Promise<boolean> {
  const trial = temporaryPath(upper);
  const placed = await whiteouts.place(trial);
  await rm(trial, { force: true });
  return placed;
}

async function settle(scan: OpenScan, item: UpperItem): Promise<void> {
  const { path, stats, lower } = item;
  if (isWhiteout(stats)) {
    if (lower !== undefined) scan.entries.push({ op: "delete", path });
    else await scan.disk.clear(path);
    return;
  }
  const type = entryTypeOf(stats);
  if (type === undefined) return refuseSpecial(scan, item);
  if (type === "file" && stats.size > MAX_FILE_BYTES) return refuseLarge(scan, path);
  await takeSpecialBits(scan, item);
  if (type === "directory") return settleDirectory(scan, item);
  if (mayTakeOut(scan, path) && (await isUnchanged(scan, item))) await scan.disk.clear(path);
  else scan.entries.push({ op: "put", path, type });
}

/** A guest's FIFO over a file has deleted the file. */
async function refuseSpecial(scan: OpenScan, { path, stats, lower }: UpperItem): Promise<void> {
  const reason = stats.isFIFO() ? NOT_KEPT.fifo : stats.isSocket() ? NOT_KEPT.socket : NOT_KEPT.device;
  scan.refused.push({ path, reason });
  if (lower === undefined) return scan.disk.clear(path);
  await scan.disk.hide(path);
  scan.entries.push({ op: "delete", path });
}

/** What was there before shows again, unless a mark hides it. */
async function refuseLarge(scan: OpenScan, path: string): Promise<void> {
  scan.refused.push({ path, reason: NOT_KEPT.tooLarge });
  await scan.disk.clear(path);
}

/** Takes set-id and sticky bits away; those that were there before the guest came are nothing to tell about. */
async function takeSpecialBits(scan: OpenScan, { path, stats, lower }: UpperItem): Promise<void> {
  const bits = stats.mode & SPECIAL_BITS;
  if (bits === 0 || stats.isSymbolicLink()) return;
  const before = lower === undefined ? undefined : await lstatIfPresent(lower.hostPath);
  if (((before?.mode ?? 0) & bits) === bits) return;
  scan.refused.push({ path, reason: NOT_KEPT.specialBits });
  await chmod(toHostPath(scan.upper, path), stats.mode & PERMISSION_BITS);
}

const SPECIAL_BITS = 0o7000;

async function settleDirectory(scan: OpenScan, { path, stats, lower }: UpperItem): Promise<void> {
  if (lower?.stat.type !== "directory") {
    // Over a file or symlink a directory hides it by being there; saying so keeps the entry true on its own.
    scan.entries.push({ op: "put", path, type: "directory", ...(lower === undefined ? {} : { opaque: true }) });
    return;
  }
  const isMarked = scan.opaque.has(path);
  if (isMarked || scan.hiding.has(parentPath(path))) {
    scan.hiding.add(path);
    if (isMarked && scan.canUnmark) await replaceMarked(scan.upper, path, stats);
    await hideMissing(scan, path);
  }
  const staysHidden = scan.hiding.has(path) && !scan.canUnmark;
  const hasOtherMode = (stats.mode & PERMISSION_BITS) !== lower.stat.mode;
  if (staysHidden) scan.entries.push({ op: "put", path, type: "directory", opaque: true });
  else if (hasOtherMode) scan.entries.push({ op: "put", path, type: "directory" });
  else scan.scaffolding.push(path);
}

/** Puts a fresh directory in the place of a marked one; nothing else takes an extended attribute away. */
async function replaceMarked(upper: string, path: string, stats: Stats): Promise<void> {
  const fresh = temporaryPath(upper);
  await mkdir(fresh, { mode: 0o700 });
  for (const { name } of await readHostDirectory(toHostPath(upper, path))) {
    await rename(toHostPath(upper, childPath(path, name)), toHostPath(fresh, name));
  }
  await rmdir(toHostPath(upper, path));
  if (process.getuid?.() === 0) await lchown(fresh, stats.uid, stats.gid);
  await chmod(fresh, stats.mode & (SPECIAL_BITS | PERMISSION_BITS));
  await rename(fresh, toHostPath(upper, path));
}

/** Says one by one what a directory hides. */
async function hideMissing(scan: OpenScan, directory: string): Promise<void> {
  for (const { name } of await scan.below.readDirectory(directory)) {
    const path = childPath(directory, name);
    // What is there has its own turn.
    if ((await lstatIfPresent(toHostPath(scan.upper, path))) !== undefined) continue;
    if (scan.canUnmark) await scan.disk.hide(path);
    scan.entries.push({ op: "delete", path });
  }
}

/** Below a mark that has to stay nothing shows through, so that what was taken out would be gone. */
function mayTakeOut(scan: OpenScan, path: string): boolean {
  return scan.canUnmark || !scan.hiding.has(parentPath(path));
}

/** Whether a file or symlink is what lies below: same type, mode and content. */
async function isUnchanged(scan: OpenScan, { path, stats, lower }: UpperItem): Promise<boolean> {
  const { below, upper } = scan;
  const type = entryTypeOf(stats);
  if (lower === undefined || type === undefined || lower.stat.type !== type) return false;
  const layer: Layer = { id: -1, upper, entries: [] };
  const own: FoundEntry = { path, type, hostPath: toHostPath(upper, path), layer, stat: undefined };
  if (type === "symlink") return (await readTarget(own)) === (await below.readLink(path));
  if (lower.stat.sizeBytes !== stats.size || lower.stat.mode !== (stats.mode & PERMISSION_BITS)) return false;
  if (!scan.budget.take(stats.size)) return false;
  const opened = await openEntry(below.root, own);
  if (opened === undefined) return false;
  try {
    return (await withLocatedFile(below, lower, (file) => sameContent(opened.handle, file))) === true;
  } finally {
    await opened.handle.close();
  }
}
