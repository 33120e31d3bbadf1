/*
 * Programs that cannot be made to run another program or to write a file, whatever their arguments are; and a few that
 * only make or touch what they are given. Only of these an argument may be one that is not known before it runs.
 */
import type { SimpleCommand } from "./analysis.ts";

/** Whether no argument makes a program do more than it usually does. */
export function takesAnyArgument(program: string): boolean {
  return PROGRAMS.has(program);
}

/** Whether the word at an index is the value of the option before it, so that it is no option itself. */
export function isValueOfOption({ program, args }: Pick<SimpleCommand, "program" | "args">, index: number): boolean {
  const word = args[index];
  const before = args[index - 1];
  if (word?.kind !== "open" || word.count !== "one" || before?.kind !== "static") return false;
  return MESSAGES.some(([name, subcommand, option]) => {
    const [first] = args;
    return program === name && first?.kind === "static" && first.text === subcommand && option.test(before.text);
  });
}

/** Options of which the value is a text for people. */
const MESSAGES = [
  ["git", "commit", /^-[aqsv]*m$|^--message$/],
  ["git", "stash", /^-m$|^--message$/],
] as const;

const PROGRAMS = new Set(
  [
    "[ test true false : echo printf cd pwd exit return type which basename dirname realpath readlink",
    "cat tac head tail wc nl rev cut tr fold paste join comm cmp diff expr seq sleep stat ls du df",
    "grep egrep fgrep md5sum sha1sum sha256sum sha512sum b2sum cksum od strings jq",
    "id whoami uname nproc printenv mkdir touch",
  ].flatMap((names) => names.split(" ")),
);
