import { quotePath } from "./quote-path.ts";
import { renderHunks } from "./text-hunks.ts";

/** Where git looks for a NUL to tell binary content. */
const BINARY_PROBE_BYTES = 8_000;

/** One side of a patch: a file, or a symlink with its target as content. */
export interface PatchSide {
  readonly path: string;
  readonly type: "file" | "symlink";
  readonly mode: number;
  /** Git's name of the content, in hexadecimal; absent when it is too large to be read. */
  readonly blob: string | undefined;
  /** Absent when it is too large to be read. */
  readonly content: Uint8Array | undefined;
}

/**
 * One file's part of a diff in git's extended format; at least one side is given, and both are of one type. Modes are
 * shown in full (`100600`), because a reviewer must see a file become writable by all; `git apply` takes them and keeps
 * the executable bit. Content with a NUL near its start, that is not UTF-8, or that is too large, is named and not shown.
 */
export function renderFilePatch(
  before: PatchSide | undefined,
  after: PatchSide | undefined,
  options: { readonly isModeOnly?: boolean } = {},
): string {
  const oldPath = (before ?? after)?.path ?? "";
  const newPath = (after ?? before)?.path ?? "";
  const headers = [
    `diff --git ${quotePath(`a/${oldPath}`)} ${quotePath(`b/${newPath}`)}`,
    ...renderHeaders(before, after),
  ];
  const body = options.isModeOnly === true ? { headers: [], hunks: "" } : renderBody(before, after);
  return [...headers, ...body.headers].map((line) => `${line}\n`).join("") + body.hunks;
}

function renderHeaders(before: PatchSide | undefined, after: PatchSide | undefined): readonly string[] {
  if (before === undefined) return after === undefined ? [] : [`new file mode ${gitMode(after)}`];
  if (after === undefined) return [`deleted file mode ${gitMode(before)}`];
  const mode = gitMode(before) === gitMode(after) ? [] : [`old mode ${gitMode(before)}`, `new mode ${gitMode(after)}`];
  if (before.path === after.path) return mode;
  return [
    ...mode,
    "similarity index 100%",
    `rename from ${quotePath(before.path)}`,
    `rename to ${quotePath(after.path)}`,
  ];
}

function renderBody(
  before: PatchSide | undefined,
  after: PatchSide | undefined,
): { readonly headers: readonly string[]; readonly hunks: string } {
  const isBoth = before !== undefined && after !== undefined;
  if (isBoth && before.blob !== undefined && before.blob === after.blob) return { headers: [], hunks: "" };

  const mode = isBoth && gitMode(before) === gitMode(after) ? ` ${gitMode(after)}` : "";
  const [oldBlob, newBlob] = [blobName(before), blobName(after)];
  const index = oldBlob === undefined || newBlob === undefined ? [] : [`index ${oldBlob}..${newBlob}${mode}`];
  const oldName = before === undefined ? "/dev/null" : quotePath(`a/${before.path}`);
  const newName = after === undefined ? "/dev/null" : quotePath(`b/${after.path}`);
  const oldText = decodeText(before);
  const newText = decodeText(after);
  if (oldText === undefined || newText === undefined) {
    return { headers: [...index, `Binary files ${oldName} and ${newName} differ`], hunks: "" };
  }
  const hunks = renderHunks(oldText, newText);
  // Git writes no names where there is no hunk: an empty file that appears or goes.
  if (hunks === "") return { headers: index, hunks };
  return { headers: [...index, `--- ${endName(oldName)}`, `+++ ${endName(newName)}`], hunks };
}

/** A tab ends a name that holds a space, so that a reader does not take the rest for a date. */
function endName(name: string): string {
  return name.includes(" ") ? `${name}\t` : name;
}

function gitMode(side: PatchSide): string {
  if (side.type === "symlink") return "120000";
  return `100${side.mode.toString(8).padStart(3, "0")}`;
}

function blobName(side: PatchSide | undefined): string | undefined {
  return side === undefined ? "0000000" : side.blob?.slice(0, 7);
}

function decodeText(side: PatchSide | undefined): string | undefined {
  if (side === undefined) return "";
  const { content } = side;
  if (content === undefined) return undefined;
  if (content.subarray(0, BINARY_PROBE_BYTES).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    // The decoder throws for nothing else but bytes that are no UTF-8.
    return undefined;
  }
}
