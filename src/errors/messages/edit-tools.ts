import { displayPath } from "./path.ts";

/** What the built-in tools that change files answer when they do not do what was asked. */
export const editToolMessages = {
  unread: (action: string, path: string) =>
    cannot(
      action,
      path,
      'it exists and has not been read; read it with "read_file" first, so that nothing in it is lost unseen, or change a part of it with "edit_file"',
    ),
  changedSinceRead: (action: string, path: string) =>
    cannot(
      action,
      path,
      'it has changed since it was read, by the user or by a command; read it again with "read_file", and then decide',
    ),

  editOfSeveral: (problem: string, number: number, total: number) =>
    `${problem} (this is edit ${number} of ${total}; none of them was made)`,
  noChange: (path: string) => cannot("edit", path, "the edits leave it as it is; give texts that change something"),

  brokenPatch: (problem: string) =>
    `Cannot read the patch: ${problem}; give a unified diff, or the form from "*** Begin Patch" to "*** End Patch"`,
  noPatchStart: 'neither "--- " and "+++ " lines nor "*** Begin Patch" are in it',
  noPatchEnd: 'there is no "*** End Patch" line, so a part of it may be missing',
  noSections: "no file is changed in it",
  existingLines: (path: string) => `"${displayPath(path)}" is to be added, and its hunk has lines that exist already`,
  recounted: "the line numbers in the patch were wrong or missing and were counted anew",
  strayPatchLine: (number: number, text: string) => `line ${number} is not expected there: "${shorten(text)}"`,
  emptyHunk: (number: number) => `the hunk at line ${number} has no lines`,
  oddHunk: 'a line starts with "@@" and is not like "@@ -1,2 +1,3 @@"',
  strayChanges: 'there are lines with "+" or "-" that belong to no hunk',
  addedLine: (number: number) => `line ${number} of an added file does not start with "+"`,
  emptySection: (path: string) => `nothing is changed in "${displayPath(path)}"`,
  binaryPatch: (path: string) => `"${displayPath(path)}" is changed as binary data, which has to be written otherwise`,
  specialMode: (path: string, mode: string) =>
    `"${displayPath(path)}" has the mode ${mode}; only files of the modes 100644 and 100755 can be patched`,
  copyPatch: (path: string) => `"${displayPath(path)}" is a copy of another file, which a patch here cannot make`,
  hunksWithoutFile: 'there are hunks without "--- " and "+++ " lines, so their file is not known',

  existingFile: (path: string) =>
    cannotPatch(path, "it is to be added and exists already; update it, or choose another path"),
  directoryOrLink: (path: string, type: string) => cannotPatch(path, `it is a ${type}; only files can be patched`),
  goneBefore: (path: string) =>
    cannotPatch(path, "the patch itself deletes or moves it before; put all changes of a file in one section"),
  existingMoveTarget: (path: string, to: string) =>
    cannotPatch(path, `there is something at "${displayPath(to)}" already; move it to a free path`),
  notEmptyAfterDelete: (path: string) =>
    cannotPatch(path, "it is to be deleted, and holds more lines than the patch takes away; read it again"),
  largePatchResult: (path: string) => cannotPatch(path, "it would become larger than 16 MB; write less at once"),
  pureAddition: (path: string, hunk: number) =>
    cannotPatch(path, `hunk ${hunk} only adds lines and has no context; give unchanged lines around the new ones`),
  anchorMissing: (path: string, hunk: number, anchor: string) =>
    cannotPatch(
      path,
      `hunk ${hunk} does not apply, as no line is "${shorten(anchor)}"; copy a line of the file after "@@ "`,
    ),
  anchorAmbiguous: (path: string, anchor: string, where: string) =>
    cannotPatch(
      path,
      `the line "${shorten(anchor)}" is at lines ${where}; give another "@@ " line before it, or more context`,
    ),
  movedHunk: (path: string, hunk: number, { at, said }: { readonly at: number; readonly said: number }) =>
    `${displayPath(path)}: hunk ${hunk} was found at line ${at}, not at line ${said}`,
  looseHunk: (path: string, hunk: number, { at, but }: { readonly at: number; readonly but: string }) =>
    `${displayPath(path)}: hunk ${hunk} fits at line ${at} only if ${but} does not count; look at the result`,
  hunkMissing: (path: string, hunk: number, hint: string) =>
    cannotPatch(path, `hunk ${hunk} does not apply, as its lines are not in the file${hint}; read the file again`),
  hunkAmbiguous: (path: string, hunk: number, where: string) =>
    cannotPatch(path, `hunk ${hunk} fits at lines ${where}; give more unchanged lines around the change`),
  firstDifference: (line: number, { found, wanted }: { readonly found: string; readonly wanted: string }) =>
    `: line ${line} is "${shorten(found)}" and not "${shorten(wanted)}"`,
  nothingPatched: (problem: string) => `${problem} (no file was changed)`,
} as const;

function cannotPatch(path: string, rest: string): string {
  return cannot("patch", path, rest);
}

function cannot(action: string, path: string, rest: string): string {
  return `Cannot ${action} "${displayPath(path)}": ${rest}`;
}

const MAX_SHOWN_CHARACTERS = 200;

function shorten(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
