/*
 * What a command line runs, as far as its text tells. Everything that is not certain is either an `open` word, whose text is
 * only known when it runs, or an `opaque` part, which may run anything. Rules that allow look at nothing else than what is
 * certain; rules that deny take the uncertain for what it could be.
 */

/** One word of a simple command, after quotes, escapes and braces were resolved. */
export type Word =
  | { readonly kind: "static"; readonly text: string }
  | {
      readonly kind: "open";
      /** As it is written, substitutions shortened to `$(…)`. */
      readonly shown: string;
      /** What each word that comes of it begins with. */
      readonly start: string;
      /** `any`: it may become no word, or several. */
      readonly count: "one" | "any";
      /** The glob, when file names are all that is not known. */
      readonly glob?: string;
    };

/** `NAME=value`. Without a value where it is only known when it runs. */
export interface VariableAssignment {
  readonly name: string;
  readonly value?: string;
  /** The value is a number, whichever it is. */
  readonly isNumber?: true;
}

interface PartOrigin {
  /** The constructs and wrappers that it stands in, from the outside, such as `$(…)`, `sudo` or `sh -c`. */
  readonly via: readonly string[];
  /** Line of the command, from 1. */
  readonly line: number;
}

/** A program, builtin or function with its arguments. */
export interface SimpleCommand extends PartOrigin {
  readonly kind: "command";
  /** The name as written: `git`, `./git` and `/usr/bin/git` are three. */
  readonly program: string;
  readonly args: readonly Word[];
  readonly assignments: readonly VariableAssignment[];
  /** Does nothing but run its arguments, which are parts of their own. */
  readonly isTransparent: boolean;
  /** The line itself gives the name another meaning. */
  readonly isShadowed: boolean;
}

/** A variable that is set for what follows. */
export interface Assignment extends PartOrigin {
  readonly kind: "assignment";
  readonly assignment: VariableAssignment;
  /** Programs that follow get it in their environment, whatever it was. */
  readonly isExported: boolean;
}

/** A file that the shell itself opens. */
export interface Redirection extends PartOrigin {
  readonly kind: "redirection";
  readonly access: "read" | "write";
  /** As it is written, such as `>>`. */
  readonly operator: string;
  readonly target: Word;
}

/** Something that cannot be told from the text. */
export interface OpaquePart extends PartOrigin {
  readonly kind: "opaque";
  readonly reason: string;
  /** The words, when it is one command of which the program is not known; otherwise anything may run. */
  readonly words?: readonly Word[];
}

/** A part of a command line that is judged on its own. */
export type CommandPart = SimpleCommand | Assignment | Redirection | OpaquePart;

/** What a command line runs. */
export type CommandAnalysis =
  | {
      readonly kind: "analysed";
      readonly parts: readonly CommandPart[];
      /** Where relative paths may start from, relative to the workspace; nothing when that is not known. */
      readonly directories?: readonly string[];
    }
  /** Larger or deeper than anything that is looked at. */
  | { readonly kind: "too-large"; readonly reason: string };

/** Looks at a command line without running anything. Never throws. */
export type AnalyseCommand = (command: string) => CommandAnalysis;

/** A word as it would be shown. */
export function wordText(word: Word): string {
  return word.kind === "static" ? word.text : word.shown;
}

/** A part in one line for a person. */
export function partText(part: CommandPart): string {
  switch (part.kind) {
    case "command":
      return [part.program, ...part.args.map(wordText)].join(" ");
    case "assignment":
      return `${part.assignment.name}=${part.assignment.value ?? "…"}`;
    case "redirection":
      return `${part.operator} ${wordText(part.target)}`;
    case "opaque":
      return part.words === undefined ? part.reason : part.words.map(wordText).join(" ");
  }
}

/** Whether a program could take a word for an option. */
export function couldBeOption(word: Word): boolean {
  if (word.kind === "static") return word.text.startsWith("-");
  return word.start === "" || word.start.startsWith("-");
}

/** The last part of a program's path, which is its name. */
export function programName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
