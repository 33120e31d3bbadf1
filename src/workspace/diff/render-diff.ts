import type { Hash } from "node:crypto";
import { createHash } from "node:crypto";

import { pathToBytes } from "../../union/path-bytes.ts";
import type { ReadBudget } from "../../union/read-limits.ts";
import { createReadBudget } from "../../union/read-limits.ts";
import type { LocatedEntry, UnionView } from "../../union/union-view.ts";
import type { PendingChange } from "../pending.ts";
import type { PatchSide } from "./file-patch.ts";
import { renderFilePatch } from "./file-patch.ts";

/** Larger files are named as binary ones are, unread, as git does from 512 MiB on: nobody reviews them as text. */
const MAX_SHOWN_BYTES = 32 << 20;
/** What one diff reads in all; it is one string in memory, and files beyond this are named as too large ones are. */
const MAX_TOTAL_BYTES = 64 << 20;

/**
 * Pending changes as a diff that `git apply` takes. Git knows files and symlinks only, so a directory appears through
 * what it holds; an empty one is in the list of changes and not here.
 */
export async function renderDiff(
  changes: readonly PendingChange[],
  options: {
    readonly views: { readonly before: UnionView; readonly after: UnionView };
    /** The old path of a renamed file by its new one. */
    readonly renames: ReadonlyMap<string, string>;
  },
): Promise<string> {
  const { views, renames } = options;
  const moved = new Map(changes.map((change) => [change.path, change]));
  const renamedAway = new Set(renames.values());
  const budget = createReadBudget(MAX_TOTAL_BYTES);
  const patches: string[] = [];
  for (const change of changes) {
    if (renamedAway.has(change.path)) continue;
    const source = moved.get(renames.get(change.path) ?? change.path);
    const before = await readSide(views.before, source?.before, budget);
    const after = await readSide(views.after, change.after, budget);
    patches.push(...renderSides(before, after, { isModeOnly: change.kind === "mode-changed" }));
  }
  return patches.join("");
}

/** Git has no word for a change of type: the one goes and the other comes. */
function renderSides(
  before: PatchSide | undefined,
  after: PatchSide | undefined,
  options: { readonly isModeOnly: boolean },
): readonly string[] {
  if (before !== undefined && after !== undefined && before.type !== after.type) {
    return [renderFilePatch(before, undefined), renderFilePatch(undefined, after)];
  }
  return before === undefined && after === undefined ? [] : [renderFilePatch(before, after, options)];
}

async function readSide(
  view: UnionView,
  entry: LocatedEntry | undefined,
  budget: ReadBudget,
): Promise<PatchSide | undefined> {
  if (entry === undefined || entry.stat.type === "directory") return undefined;
  const { path } = entry;
  const { type, mode, sizeBytes } = entry.stat;
  if (type === "file" && (sizeBytes > MAX_SHOWN_BYTES || !budget.take(sizeBytes))) {
    return { path, type, mode, blob: undefined, content: undefined };
  }
  const content = type === "symlink" ? pathToBytes(await view.readLink(path)) : await view.readFile(path);
  return { path, type, mode, blob: hashBlob(content.byteLength).update(content).digest("hex"), content };
}

/** As git names a content. */
function hashBlob(sizeBytes: number): Hash {
  return createHash("sha1").update(`blob ${sizeBytes}\0`);
}
