/*
 * `git push:*` read in two ways. An allow rule has to fit exactly: the bare name, the same words from the first on, nothing that is
 * only known when it runs, nothing that the program does not usually do. A rule that denies or asks has to be hard to get
 * around: it holds under every path, sees through options wherever they stand, and takes what is not known for what it could
 * be.
 */
import type { AnalyseCommand, OpaquePart, SimpleCommand, VariableAssignment, Word } from "../command/analysis.ts";
import { couldBeOption, programName } from "../command/analysis.ts";
import { findActions } from "../command/acting-options.ts";
import { isValueOfOption, takesAnyArgument } from "../command/plain-programs.ts";
import { isHarmlessForPrograms } from "../command/variables.ts";
import { findOperands, hasOptions } from "./loose-words.ts";

/** Words of a command, perhaps with more to follow. */
export interface CommandPattern {
  readonly program: string;
  readonly words: readonly string[];
  readonly assignments: readonly VariableAssignment[];
  /** `:*` stood at the end. */
  readonly isOpen: boolean;
}

/** Reads `npm run test:*`; nothing when it is not one command of plain words. */
export function parseCommandPattern(text: string, analyse: AnalyseCommand): CommandPattern | undefined {
  const isOpen = text.endsWith(":*");
  const analysis = analyse(isOpen ? text.slice(0, -2) : text);
  if (analysis.kind === "too-large") return undefined;
  const [command, ...others] = analysis.parts.filter((part) => part.via.length === 0);
  if (command?.kind !== "command" || others.length > 0) return undefined;
  const words = command.args.flatMap((word) => (word.kind === "static" ? [word.text] : []));
  if (words.length < command.args.length) return undefined;
  return { program: command.program, words, assignments: command.assignments, isOpen };
}

/** Why a pattern does not allow a command; nothing when it does. */
export type Mismatch =
  | { readonly kind: "other" }
  /** The words fit, and something about the command is more than the rule was written for. */
  | { readonly kind: "exceeds"; readonly what: string };

/** Whether a rule that allows covers a command, and if not what is missing. */
export function findMismatch(
  pattern: CommandPattern,
  command: SimpleCommand,
  directories: readonly string[] | undefined,
): Mismatch | undefined {
  if (command.program !== pattern.program || !hasWords(pattern, command.args)) return OTHER;
  const mayBeElsewhere = directories === undefined || directories.length > 1;
  if (command.program.includes("/") && mayBeElsewhere) return exceeds("it may run in another directory");
  if (command.isShadowed) return exceeds(`"${command.program}" has another meaning in this line`);
  const variable = command.assignments.find(
    (each) => !isHarmlessFor(command.program, each) && !isWritten(pattern, each),
  );
  if (variable !== undefined) return exceeds(`it sets ${variable.name}`);
  const action = findActions(command).find(
    ({ spellings }) =>
      !spellings.some((spelling) => pattern.words.some((word) => word === spelling || word.startsWith(spelling + "="))),
  );
  if (action !== undefined) return exceeds(`it ${action.does}`);
  const canBeOption = command.args.some(
    (word, index) => word.kind === "open" && couldBeOption(word) && !isValueOfOption(command, index),
  );
  if (canBeOption && !takesAnyArgument(command.program)) return exceeds("an argument could be any option");
  return undefined;
}

const OTHER: Mismatch = { kind: "other" };

function exceeds(what: string): Mismatch {
  return { kind: "exceeds", what };
}

function hasWords({ words, isOpen }: CommandPattern, args: readonly Word[]): boolean {
  if (isOpen ? args.length < words.length : args.length !== words.length) return false;
  return words.every((word, index) => {
    const arg = args[index];
    if (arg?.kind !== "static") return false;
    return arg.text === word || (isOpen && index === words.length - 1 && arg.text.startsWith(`${word}:`));
  });
}

/** How a line is split is of no consequence beyond the builtin that reads it. */
function isHarmlessFor(program: string, assignment: VariableAssignment): boolean {
  return isHarmlessForPrograms(assignment) || (program === "read" && assignment.name === "IFS");
}

function isWritten({ assignments }: CommandPattern, { name, value }: VariableAssignment): boolean {
  return assignments.some((each) => each.name === name && each.value === value && value !== undefined);
}

/** A program and its arguments, as rules may name them. */
export interface CommandSpelling {
  readonly program: string;
  readonly args: readonly Word[];
}

/** `/usr/bin/git` is git, and `git-push` is how git itself calls `git push`. */
export function spellingsOf({ program, args }: SimpleCommand): readonly CommandSpelling[] {
  const name = programName(program);
  const dash = name.indexOf("-");
  if (dash <= 0) return [{ program: name, args }];
  const subcommand: Word = { kind: "static", text: name.slice(dash + 1) };
  return [
    { program: name, args },
    { program: name.slice(0, dash), args: [subcommand, ...args] },
  ];
}

/** Whether a rule that denies or asks holds for a command of its program. */
export function couldMatch(pattern: CommandPattern, { program, args }: CommandSpelling): boolean {
  return fitsLoosely(pattern, program, args);
}

/** Whether a rule that denies or asks could hold for what cannot be told. */
export function couldMatchOpaque(pattern: CommandPattern, { words }: OpaquePart): boolean {
  return words === undefined || couldBecome(pattern, words);
}

function fitsLoosely({ words, isOpen }: CommandPattern, program: string, args: readonly Word[]): boolean {
  const options = words.filter((word) => word.startsWith("-") && word !== "--");
  const operands = words.filter((word) => !word.startsWith("-"));
  return hasOptions(options, program, args) && findOperands({ program, operands, args, isOpen });
}

/** The program is not known: any of the words may be it, once what comes before is gone. */
function couldBecome(pattern: CommandPattern, words: readonly Word[]): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return false;
  if (first.kind === "static")
    return programName(first.text) === programName(pattern.program) && fitsLoosely(pattern, pattern.program, rest);
  if (
    first.start !== "" &&
    !programName(pattern.program).startsWith(programName(first.start)) &&
    !first.start.endsWith("/")
  )
    return false;
  if (first.count === "any" && (first.glob === undefined || couldBecome(pattern, rest))) return true;
  return fitsLoosely(pattern, pattern.program, rest);
}
