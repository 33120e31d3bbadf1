/*
 * Which arguments of everyday programs are files, so that a rule on paths also holds for commands that name the path. What a
 * program opens by itself (a directory that it walks, a file that a script reads) is not seen here.
 */
import type { CommandPart, Word } from "./analysis.ts";
import { programName, wordText } from "./analysis.ts";

/** A file that a part of a command line names. */
export interface NamedFile {
  readonly access: "read" | "write";
  readonly word: Word;
}

/** The files that a part reads and writes by name. */
export function namedFiles(part: CommandPart): readonly NamedFile[] {
  if (part.kind === "redirection") return [{ access: part.access, word: part.target }];
  if (part.kind !== "command") return [];
  const known = PROGRAMS.get(programName(part.program));
  if (known === undefined) return [];
  const operands = part.args.flatMap(fileWords).slice(skipped(part.args, known.skip));
  return operands.flatMap((word) => known.access.map((access) => ({ access, word })));
}

/** How a part opens the files that it names. */
export function accessesOf(part: CommandPart): readonly NamedFile["access"][] {
  if (part.kind === "redirection") return part.access === "read" ? READ : WRITE;
  return part.kind === "command" ? (PROGRAMS.get(programName(part.program))?.access ?? NONE) : NONE;
}

const NONE: readonly never[] = [];

interface FileProgram {
  readonly access: readonly NamedFile["access"][];
  /** Operands in front that are patterns or scripts, unless an option gives these. */
  readonly skip: number;
}

const READ = ["read"] as const;
const WRITE = ["write"] as const;
const BOTH = ["read", "write"] as const;

const PROGRAMS: ReadonlyMap<string, FileProgram> = new Map([
  ...programs(
    "cat tac head tail wc nl rev cut less more od xxd hexdump strings fold fmt column paste join comm",
    READ,
    0,
  ),
  ...programs(
    "diff cmp diff3 sdiff base64 base32 md5sum sha1sum sha256sum sha512sum b2sum cksum file bat view",
    READ,
    0,
  ),
  ...programs("source . bash sh dash node python python3 perl ruby php zcat bzcat xzcat zless zmore iconv pr", READ, 0),
  ...programs("grep egrep fgrep rg ag ack zgrep jq awk gawk mawk nawk", READ, 1),
  ...programs("tee touch mkdir rm rmdir unlink shred truncate sponge mkfifo mknod", WRITE, 0),
  ...programs("chmod chown chgrp setfacl", WRITE, 1),
  ...programs(
    "cp mv ln install rsync scp dd sort uniq patch tar zip unzip gzip gunzip bzip2 xz split csplit curl wget",
    BOTH,
    0,
  ),
  ...programs("vi vim nvim nano emacs ed ex", BOTH, 0),
  ...programs("sed yq", BOTH, 1),
]);

function programs(
  names: string,
  access: FileProgram["access"],
  skip: number,
): readonly (readonly [string, FileProgram])[] {
  return names.split(" ").map((name) => [name, { access, skip }]);
}

/** An operand, and the value of an option, attached to it or not. */
function fileWords(word: Word): readonly Word[] {
  const text = word.kind === "static" ? word.text : word.start;
  if (!text.startsWith("-") && !/^(?:if|of)=/.test(text)) return [word];
  if (word.kind === "open") return [word];
  const equals = text.indexOf("=");
  if (equals >= 0) return [{ kind: "static", text: text.slice(equals + 1) }];
  return /^-[A-Za-z]./.test(text) ? [{ kind: "static", text: text.slice(2) }] : [];
}

/** Options in front of the pattern give words too, so that no more than the pattern itself may be left out. */
function skipped(args: readonly Word[], skip: number): number {
  if (skip === 0) return 0;
  const givesPattern = args.some((word) =>
    /^-[a-zA-Z]*[ef]|^--(?:regexp|file|expression|from-file)/.test(wordText(word)),
  );
  const [first] = args;
  const hasOptionFirst = first !== undefined && wordText(first).startsWith("-") && fileWords(first).length > 0;
  return givesPattern || hasOptionFirst ? 0 : skip;
}
