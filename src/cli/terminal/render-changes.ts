import type { Change, ChangeKind } from "../../contract/change.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { countOf } from "./count-of.ts";
import { paint } from "./output-stream.ts";
import type { OutputStream, Style } from "./output-stream.ts";

/*
 * A list that is cut hides what a person is about to approve. So every deletion is listed, however many there are, and so is
 * whatever changes its type or its mode; of what is added or modified the first ones are listed and the rest is counted.
 */

/** One line per change. */
export function renderChanges(changes: readonly Change[], stream: Pick<OutputStream, "hasColour">): string {
  let room = LISTED_AT_MOST;
  const left: Change[] = [];
  let rendered = "";
  for (const change of changes) {
    const listed = !MAY_BE_CUT.has(change.kind) || room > 0;
    if (MAY_BE_CUT.has(change.kind)) room -= 1;
    if (listed) rendered += `  ${renderChange(change, stream)}\n`;
    else left.push(change);
  }
  return left.length === 0 ? rendered : `${rendered}  … and ${countChanges(left)}\n`;
}

/** How many changes there are, and of which kinds: `3 changes (1 added, 2 deleted)`. */
export function countChanges(changes: readonly Change[]): string {
  const kinds = ORDER.map((kind) => ({ kind, count: changes.filter((change) => change.kind === kind).length }));
  const parts = kinds.filter(({ count }) => count > 0).map(({ kind, count }) => `${count} ${kind}`);
  const total = countOf(changes.length, "change");
  return parts.length === 0 ? total : `${total} (${parts.join(", ")})`;
}

const LISTED_AT_MOST = 40;
const MAY_BE_CUT: ReadonlySet<ChangeKind> = new Set<ChangeKind>(["added", "modified"]);
const ORDER: readonly ChangeKind[] = ["added", "modified", "deleted", "mode-changed", "replaced"];
const KIND_WIDTH = "mode-changed".length;

const STYLES: Readonly<Record<ChangeKind, Style>> = {
  added: "good",
  modified: "warning",
  deleted: "bad",
  "mode-changed": "warning",
  replaced: "bad",
};

function renderChange(change: Change, stream: Pick<OutputStream, "hasColour">): string {
  const kind = paint(stream, STYLES[change.kind], change.kind.padEnd(KIND_WIDTH));
  const from = change.from === undefined ? "" : ` (from ${displayPath(change.from)})`;
  return `${kind}  ${displayPath(change.path)}${SUFFIXES[change.type]}${from}`;
}

const SUFFIXES = { file: "", directory: "/", symlink: " (symlink)" };
