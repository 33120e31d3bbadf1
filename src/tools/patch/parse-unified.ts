/**
 * Unified diffs, as git and diff write them, are read by the `diff` package. It checks the line counts in `@@` lines,
 * which is right for a damaged patch and hard on one that a model wrote: models miscount. So a patch that is refused is
 * counted anew and read again, and that is said; so is one whose `@@` lines have no numbers at all. What a patch here cannot carry (binary data, copies, symlinks) is refused.
 */
import { parsePatch, type StructuredPatch } from "diff";
import { editToolMessages } from "../../errors/messages/edit-tools.ts";
import type { FilePatch, Hunk, HunkLine, ParsedPatch } from "./file-patch.ts";
import { HUNK_HEADER, recountHunks } from "./recount-hunks.ts";

/** Reads a unified diff, of git or plain. */
export function parseUnified(text: string): ParsedPatch {
  const read = readLeniently(text);
  if (!read.ok) return read;
  const files: FilePatch[] = [];
  for (const patch of read.patches) {
    const isProse = patch.oldFileName === undefined && patch.hunks.length === 0;
    if (isProse) continue;
    const file = toFilePatch(patch, /^GIT binary patch$/m.test(text));
    if (typeof file === "string") return { ok: false, problem: file };
    files.push(file);
  }
  return files.length === 0
    ? { ok: false, problem: editToolMessages.noSections }
    : { ok: true, files, notes: read.notes };
}

type Read =
  | { readonly ok: true; readonly patches: readonly StructuredPatch[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: string };

function readLeniently(text: string): Read {
  const withoutSignature = text.replace(MAIL_SIGNATURE, "\n");
  const hasOddHunk = withoutSignature.split("\n").some((line) => line.startsWith("@@") && !HUNK_HEADER.test(line));
  const strict: Read = hasOddHunk ? { ok: false, problem: editToolMessages.oddHunk } : read(withoutSignature);
  if (strict.ok) return strict;
  const recounted = read(recountHunks(withoutSignature));
  return recounted.ok ? { ...recounted, notes: [editToolMessages.recounted] } : strict;
}

/** What `git format-patch` writes at the end looks like a removed line. */
const MAIL_SIGNATURE = /\n-- \n[^\n]*\s*$/;

function read(text: string): Read {
  try {
    const patches = parsePatch(text);
    return hasStrayLines(text, patches)
      ? { ok: false, problem: editToolMessages.strayChanges }
      : { ok: true, patches, notes: [] };
  } catch (error) {
    // The package throws plain errors, whose texts say what is wrong and at which line.
    const problem = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: `${problem.slice(0, 1).toLowerCase()}${problem.slice(1, MAX_PROBLEM)}` };
  }
}

/** The package passes over what stands between hunks; a change that got there would be lost without a word. */
function hasStrayLines(text: string, patches: readonly StructuredPatch[]): boolean {
  const start = text.search(/^--- /m);
  const written = start === -1 ? 0 : countChanges(text.slice(start).split("\n"));
  const withHunks = patches.filter(({ hunks }) => hunks.length > 0);
  const read = withHunks.flatMap(({ hunks }) => hunks.map(({ lines }) => countChanges(lines)));
  return read.reduce((rest, each) => rest - each, written) > HEADER_LINES * withHunks.length;
}

/** `--- ` and `+++ `. */
const HEADER_LINES = 2;

function countChanges(lines: readonly string[]): number {
  return lines.filter((line) => line.startsWith("+") || line.startsWith("-")).length;
}

const MAX_PROBLEM = 300;
const NOTHING = "/dev/null";
const FILE_MODES: ReadonlySet<string> = new Set(["100644", "100755"]);

/** A string is what is wrong. */
function toFilePatch(patch: StructuredPatch, hasBinaryData: boolean): FilePatch | string {
  const { oldFileName, newFileName, hunks } = patch;
  if (oldFileName === undefined || newFileName === undefined) return editToolMessages.hunksWithoutFile;
  const [oldPath, newPath] = withoutPrefixes(oldFileName, newFileName);
  const path = oldPath === NOTHING ? newPath : oldPath;
  if (patch.isBinary === true || (hasBinaryData && hunks.length === 0)) return editToolMessages.binaryPatch(path);
  if (patch.isCopy === true) return editToolMessages.copyPatch(newPath);
  const special = [patch.oldMode, patch.newMode].find((mode) => mode !== undefined && !FILE_MODES.has(mode));
  if (special !== undefined) return editToolMessages.specialMode(path, special);
  const mode = patch.newMode === undefined ? undefined : Number.parseInt(patch.newMode.slice(-3), 8);
  if (oldPath === NOTHING || patch.isCreate === true) return toAddition(newPath, hunks, mode);
  if (newPath === NOTHING || patch.isDelete === true) {
    return { action: "delete", path: oldPath, hunks: hunks.map((hunk) => toHunk(hunk)) };
  }
  const to = newPath === oldPath ? undefined : newPath;
  if (hunks.length === 0 && to === undefined && mode === undefined) return editToolMessages.emptySection(path);
  return { action: "update", path, to, hunks: hunks.map((hunk) => toHunk(hunk)), mode };
}

/** Only where both sides have their prefix is it one; a directory may be called `a`. */
function withoutPrefixes(oldName: string, newName: string): readonly [string, string] {
  const isOldMarked = oldName === NOTHING || oldName.startsWith("a/");
  const isNewMarked = newName === NOTHING || newName.startsWith("b/");
  if (!isOldMarked || !isNewMarked) return [oldName, newName];
  return [oldName.replace(/^a\//, ""), newName.replace(/^b\//, "")];
}

type RawHunk = StructuredPatch["hunks"][number];

function toAddition(path: string, hunks: readonly RawHunk[], mode: number | undefined): FilePatch | string {
  const read = hunks.map((hunk) => toHunk(hunk));
  const lines = read.flatMap((hunk) => hunk.lines);
  if (lines.some(({ kind }) => kind !== "added")) return editToolMessages.existingLines(path);
  const end = read.at(-1)?.newEnd === "no-newline" || lines.length === 0 ? "" : "\n";
  return { action: "add", path, content: `${lines.map(({ text }) => text).join("\n")}${end}`, mode };
}

function toHunk({ lines: raw, oldStart: said }: RawHunk): Hunk {
  const oldStart = said === 0 ? undefined : said;
  const lines: HunkLine[] = [];
  let newEnd: Hunk["newEnd"];
  for (const line of raw) {
    if (!line.startsWith("\\")) {
      lines.push({ kind: LINE_KINDS[line.slice(0, 1)] ?? "kept", text: line.slice(1) });
    } else if (lines.at(-1)?.kind === "removed") {
      newEnd ??= "newline";
    } else {
      newEnd = "no-newline";
    }
  }
  return { lines, oldStart, anchors: [], isAtEnd: newEnd !== undefined, newEnd };
}

const LINE_KINDS: Readonly<Record<string, HunkLine["kind"]>> = { "-": "removed", "+": "added" };
