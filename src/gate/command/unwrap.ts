import type { VariableAssignment, Word } from "./analysis.ts";
import { couldBeOption, programName } from "./analysis.ts";
import { readOptions } from "./options-grammar.ts";
import type { GivenOption, ReadOptions } from "./options-grammar.ts";
import type { ResolvedCommand } from "./walk-script.ts";
import type { Wrapper } from "./wrappers.ts";

/** What a wrapper runs. */
export type Wrapped = { readonly label: string } & (
  | { readonly kind: "none" }
  | {
      readonly kind: "commands";
      readonly commands: readonly (readonly Word[])[];
      readonly assignments?: readonly VariableAssignment[];
      /** Where the commands start, when that is not where the wrapper does. */
      readonly directory?: Word;
    }
  /** Words that a shell joins and reads. It is bash only where the wrapper is. */
  | { readonly kind: "script"; readonly words: readonly Word[] }
  /** It may run anything. */
  | { readonly kind: "opaque" | "unknown"; readonly reason: string }
);

/** A wrapper as it was called. */
export interface WrapperCall extends ResolvedCommand {
  readonly program: string;
  readonly args: readonly Word[];
}

/** Finds what a wrapper runs in the words that it is called with. */
export function unwrap(wrapper: Wrapper, call: WrapperCall): Wrapped {
  const label = programName(call.program);
  if (wrapper.form === "opaque") return { label, kind: "opaque", reason: `what "${label}" runs is not looked into` };
  if (wrapper.form === "find") return { label, ...findActions(call.args) };
  const read = readOptions(call.args, wrapper);
  if (read === undefined) return { label, kind: "unknown", reason: `an option of "${label}" is not understood` };
  if (read.options.some(({ name }) => wrapper.looksOnly?.includes(name) === true)) return { label, kind: "none" };
  switch (wrapper.form) {
    case "command":
      return { label, ...restAsCommand(read.rest, wrapper.operands ?? 0) };
    case "env":
      return { label, ...readEnv(read) };
    case "shell-words":
      return { label, ...shellWords(read) };
    case "shell-option":
      return { label, ...shellOption(read, wrapper) };
    case "shell":
      return { label, ...readShell(read, { label, input: call.input }) };
    case "xargs":
      return { label, ...readXargs(read) };
  }
}

type Inner = Wrapped extends infer T ? (T extends unknown ? Omit<T, "label"> : never) : never;

const NOTHING: Inner = { kind: "none" };

function restAsCommand(rest: readonly Word[], operands: number): Inner {
  // An operand that may be several words moves where the command begins.
  if (rest.slice(0, operands).some((word) => word.kind === "open" && word.count === "any")) return UNCERTAIN;
  const words = rest.slice(operands);
  return words.length === 0 ? NOTHING : { kind: "commands", commands: [words] };
}

const UNCERTAIN: Inner = { kind: "unknown", reason: "where the command begins is only known when it runs" };

function readEnv({ options, rest }: ReadOptions): Inner {
  const split = optionValue(options, ["S", "split-string"]);
  const words = split === undefined ? rest : splitWords(split, rest);
  if (words === undefined) return { kind: "unknown", reason: 'the value of "-S" is not plain words' };
  if (options.some(({ name }) => /^(?:i|s|l|login|shell)$/.test(name)) && words.length === 0) {
    return options.some(({ name }) => name !== "i") ? READS_INPUT : NOTHING;
  }
  // `env -` is `env -i`.
  const start = words[0]?.kind === "static" && words[0].text === "-" ? 1 : 0;
  const assignments: VariableAssignment[] = [];
  let index = start;
  for (; index < words.length; index += 1) {
    const assignment = environmentEntry(words[index]);
    if (assignment === "none") break;
    if (assignment === "unknown") return UNCERTAIN;
    assignments.push(assignment);
  }
  const command = words.slice(index);
  if (command.length === 0) return NOTHING;
  const directory = optionValue(options, ["C", "chdir", "D"]);
  return { kind: "commands", commands: [command], assignments, ...(directory === undefined ? {} : { directory }) };
}

const READS_INPUT: Inner = { kind: "opaque", reason: "it runs what it reads from its input" };

function environmentEntry(word: Word | undefined): VariableAssignment | "none" | "unknown" {
  if (word === undefined) return "none";
  const text = word.kind === "static" ? word.text : word.start;
  const equals = text.indexOf("=");
  if (equals < 0) return word.kind === "static" ? "none" : "unknown";
  const name = text.slice(0, equals);
  if (word.kind === "static") return { name, value: text.slice(equals + 1) };
  return word.count === "one" ? { name } : "unknown";
}

function optionValue(options: readonly GivenOption[], names: readonly string[]): Word | undefined {
  return options.findLast(({ name, value }) => names.includes(name) && value !== undefined)?.value;
}

function splitWords(value: Word, rest: readonly Word[]): readonly Word[] | undefined {
  if (value.kind === "open" || /["'\\$#]/.test(value.text)) return undefined;
  const words = value.text.split(/[ \t\n]+/).filter((text) => text !== "");
  // Options in it would be read once more.
  if (words[0]?.startsWith("-") === true) return undefined;
  return [...words.map((text): Word => ({ kind: "static", text })), ...rest];
}

function shellWords({ options, rest }: ReadOptions): Inner {
  if (rest.length === 0) return NOTHING;
  if (options.some(({ name }) => name === "x" || name === "exec")) return { kind: "commands", commands: [rest] };
  return { kind: "script", words: rest };
}

function shellOption({ options, rest }: ReadOptions, { script = [], operands = 0 }: Wrapper): Inner {
  const text = optionValue(options, script);
  if (text !== undefined) return { kind: "script", words: [text] };
  const words = rest.slice(operands);
  // `flock FILE -c SCRIPT` has its option behind the operand; without anything left it is an interactive shell.
  if (operands === 0) return READS_INPUT;
  const [first, second] = words;
  if (first?.kind === "static" && (first.text === "-c" || first.text === "--command")) {
    return second === undefined ? NOTHING : { kind: "script", words: [second] };
  }
  return words.length === 0 ? NOTHING : { kind: "commands", commands: [words] };
}

function readShell(
  { options, rest }: ReadOptions,
  { label, input }: { readonly label: string; readonly input: Word | undefined },
): Inner {
  // An interactive shell reads files of its own first.
  if (options.some(({ name }) => name === "i")) return { kind: "unknown", reason: `"${label} -i" reads start files` };
  // One dash ends the options, as two do.
  const [first] = rest[0]?.kind === "static" && rest[0].text === "-" ? rest.slice(1) : rest;
  if (options.some(({ name }) => name === "c")) {
    return first === undefined ? NOTHING : { kind: "script", words: [first] };
  }
  const readsInput = first === undefined || options.some(({ name }) => name === "s");
  if (!readsInput) return NOTHING;
  return input === undefined ? READS_INPUT : { kind: "script", words: [input] };
}

/** Words that `xargs` reads are put at the end, or in place of what `-I` names. */
function readXargs({ options, rest }: ReadOptions): Inner {
  if (rest.length === 0) return NOTHING;
  const given = options.find(({ name }) => /^(?:I|i|replace)$/.test(name));
  const added: Word = { kind: "open", shown: "…", start: "", count: "any" };
  if (given === undefined) return { kind: "commands", commands: [[...rest, added]] };
  const mark = given.value?.kind === "static" && given.value.text !== "" ? given.value.text : "{}";
  if (given.value?.kind === "open") return UNCERTAIN;
  return { kind: "commands", commands: [rest.map((word) => replaceMark(word, mark, ""))] };
}

function replaceMark(word: Word, mark: string, start: string): Word {
  if (word.kind === "open" || !word.text.includes(mark)) return word;
  const before = word.text.slice(0, word.text.indexOf(mark));
  return { kind: "open", shown: word.text, start: before === "" ? start : before, count: "one" };
}

const FIND_EXECUTES = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** What `find` runs: up to `;`, or up to `{} +`. The paths that it puts in begin with a place to start, never with a dash. */
function findActions(args: readonly Word[]): Inner {
  const commands: (readonly Word[])[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word?.kind === "open") {
      if (couldBeOption(word)) return { kind: "unknown", reason: 'a word may be an action of "find"' };
      continue;
    }
    if (word === undefined || !FIND_EXECUTES.has(word.text)) continue;
    const end = findEnd(args, index + 1);
    commands.push(args.slice(index + 1, end).map((each) => replaceMark(each, "{}", "./")));
    index = end;
  }
  return commands.length === 0 ? NOTHING : { kind: "commands", commands: commands.filter((words) => words.length > 0) };
}

function findEnd(args: readonly Word[], from: number): number {
  for (let index = from; index < args.length; index += 1) {
    const word = args[index];
    const before = args[index - 1];
    if (word?.kind !== "static") continue;
    if (word.text === ";") return index;
    if (word.text === "+" && before?.kind === "static" && before.text === "{}") return index;
  }
  return args.length;
}
