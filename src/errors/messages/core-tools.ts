import { displayPath } from "./path.ts";

const STOPPED_PDF = {
  time: "the rest takes too long",
  memory: "the rest takes too much memory",
  broken: "the document is damaged",
} as const;

const UNREADABLE_PDF = {
  encrypted: "with a password; ask the user for a copy without one",
  broken: 'that is damaged; use "shell" to look at it with a program that can mend it',
  time: 'that takes too long to read; use "shell" with a program that reads single pages',
  memory: 'that takes too much memory to read; use "shell" with a program that reads single pages',
} as const;

/**
 * What the built-in tools answer when they do not do what was asked. Each sentence says what would be right. `path` is
 * always as the model gave it, or relative to the workspace.
 */
export const coreToolMessages = {
  missing: (action: string, path: string, near: readonly string[]) =>
    cannot(action, path, `there is nothing at this path; did you mean ${near.map(quote).join(" or ")}?`),

  binaryFile: (path: string, kind: string, size: string) =>
    cannot("read", path, `it is ${kind} of ${size}; use "shell" to look at it with a program that knows the format`),
  imageFile: (path: string, kind: string, size: string) =>
    cannot("read", path, `it is ${kind} of ${size}; use "read_image" to look at it`),
  unreadablePdf: (path: string, reason: "encrypted" | "broken" | "time" | "memory") =>
    cannot("read", path, `it is a PDF document ${UNREADABLE_PDF[reason]}`),
  pdfNote: (pdf: {
    readonly pages: number;
    readonly emptyPages: number;
    readonly readPages: number;
    readonly stopped: "lines" | "time" | "memory" | "broken" | undefined;
  }) => {
    const notes = [
      `the text of a PDF of ${count(pdf.pages, "page")}`,
      ...(pdf.emptyPages > 0 ? [`${count(pdf.emptyPages, "page")} without text, such as a scan`] : []),
      ...(pdf.stopped === undefined || pdf.stopped === "lines"
        ? []
        : [`only ${count(pdf.readPages, "page")} could be read: ${STOPPED_PDF[pdf.stopped]}`]),
    ];
    return `(${notes.join("; ")})`;
  },
  noImage: (path: string) => cannot("read", path, 'it is no PNG, JPEG, GIF or WebP image; use "read_file" for a text'),
  largeImage: (path: string, size: string, limit: string) =>
    cannot("read", path, `it has ${size}, and at most ${limit} can be shown; make a smaller copy of it with "shell"`),
  beyondEnd: (path: string, offset: number, lines: number) =>
    cannot(
      "read",
      path,
      `line ${offset} is beyond its end; it has ${count(lines, "line")}, so use an offset of at most ${lines}`,
    ),
  directoryToRead: (path: string) => cannot("read", path, 'it is a directory; use "list_files" to see what is in it'),

  fileToList: (path: string) => cannot("list", path, 'it is a file; use "read_file" to see what is in it'),
  ignoredHint: 'what .gitignore files name was left out; set "include_ignored" to true to see it',
  extendedGlob: (glob: string) =>
    `Cannot use the glob "${displayPath(glob)}": extended globs such as "!(…)" are not supported; use "*", "**", "?", "[…]" and "{a,b}"`,
  unusableGlob: (glob: string) =>
    `Cannot use the glob "${displayPath(glob)}": it cannot be understood; use "*", "**", "?", "[…]" and "{a,b}"`,

  brokenPattern: (pattern: string, reason: string) =>
    `Cannot use the pattern "${displayPath(pattern)}": ${reason}; write a regular expression, with "\\" before a character that is meant literally`,
  unsupportedPattern: (pattern: string) =>
    `Cannot use the pattern "${displayPath(pattern)}": it uses lookahead, lookbehind or a backreference, which RE2 lacks so that every search takes linear time; write it without, and sort out the matches yourself`,
  largePattern: (pattern: string) =>
    `Cannot use the pattern "${displayPath(pattern)}": it is too large once compiled; use smaller counts in "{…}"`,

  notText: (path: string, kind: string) =>
    cannot(
      "edit",
      path,
      `it is ${kind}; only UTF-8 text can be edited, so use "shell" with a program that knows the format`,
    ),
  sameText: (path: string) =>
    cannot("edit", path, '"old_text" and "new_text" are the same; give the text as it shall become'),
  largeResult: (path: string) =>
    cannot("edit", path, "it would become larger than 16 MB; replace fewer places, or use a shorter text"),
  noMatch: (path: string, hint: string) =>
    cannot(
      "edit",
      path,
      `"old_text" is not in it${hint}; copy the text exactly as "read_file" shows it, without the line numbers`,
    ),
  nearMatch: (first: number, last: number, text: string) =>
    ` as written, but ${lines(first, last)} differ${first === last ? "s" : ""} from it only in white space:\n${text}\nSo take the text from there`,
  firstLineMatch: (line: number) => `, though its first line is at line ${line}`,
  manyMatches: (path: string, found: number, where: string) =>
    cannot(
      "edit",
      path,
      `"old_text" is in it ${found} times, at lines ${where}; add lines around it until it is there once, or set "replace_all" to true`,
    ),

  fileInTheWay: (path: string) =>
    cannot("make the directory", path, "there is a file at this path; choose another path, or move the file first"),
  directoryToWrite: (path: string) => cannot("write", path, 'a path that ends in "/" names a directory; name a file'),
  wholeWorkspace: (action: string) =>
    `Cannot ${action} the workspace itself: only what is in it can be changed; name a path inside it`,
  fullDirectory: (path: string) =>
    cannot(
      "delete",
      path,
      'it is a directory that is not empty; set "recursive" to true to delete it with all that is in it',
    ),
  existingTarget: (from: string, to: string) =>
    cannot(
      "move",
      from,
      `there is something at "${displayPath(to)}" already; set "overwrite" to true to replace it, or choose another path`,
    ),
  directoryTarget: (from: string, to: string, inside: string) =>
    cannot("move", from, `"${displayPath(to)}" is a directory; to move it in there, use "${displayPath(inside)}"`),

  exitCode: (code: number) => `Exit code ${code}`,
  killedBy: (signal: string) => `The command was ended by ${signal}`,
  timedOut:
    "The command was stopped because it took too long; what it changed is dropped, so run something shorter, or a part of it",
  idle: "The command was stopped because it printed nothing for too long; what it changed is dropped, so make it say how far it is",
  outputLimit: (bytes: number) =>
    `The command was stopped because it had printed ${count(bytes, "byte")}; send the output to a file or filter it`,
  outOfMemory:
    'The command was stopped because it reached its memory limit; use less, work on a part at a time, or have the limit raised (--memory, "sandbox.memoryMb")',
  cancelled: "The command was stopped because the call was cancelled",
} as const;

/** Writes a number with its noun: "1 line", "5,120 lines". */
export function count(amount: number, noun: string): string {
  return `${NUMBERS.format(amount)} ${amount === 1 ? noun : plural(noun)}`;
}

const NUMBERS = new Intl.NumberFormat("en-US");

function plural(noun: string): string {
  if (noun.endsWith("y")) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith("ch") ? `${noun}es` : `${noun}s`;
}

function lines(first: number, last: number): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

function cannot(action: string, path: string, rest: string): string {
  return `Cannot ${action} "${displayPath(path)}": ${rest}`;
}

function quote(path: string): string {
  return `"${displayPath(path)}"`;
}
