/*
 * Builtins of the shell that change what later words mean. Those that only print, move or count are commands like any other,
 * and rules speak about them.
 */
import type { VariableAssignment, Word } from "./analysis.ts";
import { couldBeOption } from "./analysis.ts";
import { isPlainVariable } from "./variables.ts";

/** What a builtin does to the rest of the line. */
export type BuiltinEffect =
  | { readonly kind: "none" }
  /** A variable gets a value, and is given to programs when `isExported`. */
  | { readonly kind: "variables"; readonly assignments: readonly VariableAssignment[]; readonly isExported: boolean }
  /** Later parts may start from here. */
  | { readonly kind: "directory"; readonly to?: Word }
  /** The text is run, now or later. */
  | { readonly kind: "script"; readonly words: readonly Word[] }
  /** Later words may mean anything. */
  | { readonly kind: "opaque"; readonly reason: string };

/** What the builtin `name` does to the rest of its line; nothing for what is no builtin with an effect. */
export function builtinEffect(name: string, args: readonly Word[]): BuiltinEffect {
  return EFFECTS.get(name)?.(args) ?? NONE;
}

const NONE: BuiltinEffect = { kind: "none" };

const BUILTINS: Readonly<Record<string, (args: readonly Word[]) => BuiltinEffect>> = {
  cd: changeDirectory,
  pushd: changeDirectory,
  popd: () => ({ kind: "directory" }),
  eval: (args) => ({
    kind: "script",
    words: args[0]?.kind === "static" && args[0].text === "--" ? args.slice(1) : args,
  }),
  trap: readTrap,
  alias: (args) => (args.every(isName) ? NONE : opaque('"alias" gives names another meaning')),
  export: declareExported,
  readonly: declareLocal,
  local: declareLocal,
  declare: declareLocal,
  typeset: declareLocal,
  set: readSet,
  shopt: readShopt,
  unset: (args) => setNames(args, ""),
  read: readRead,
  mapfile: (args) => setNames(args, "t"),
  readarray: (args) => setNames(args, "t"),
  getopts: (args) => setNames(args.slice(1, 2), ""),
  printf: (args) => (startsWith(args, "-v") ? setNames(args.slice(1, 2), "") : NONE),
  test: readTest,
  "[": readTest,
  wait: (args) => (startsWith(args, "-p") ? setNames(args.slice(1, 2), "") : NONE),
  let: () => opaque('"let" evaluates its words'),
  enable: () => opaque('"enable" changes which builtins there are'),
  hash: (args) => (args.length === 0 || startsWith(args, "-r") ? NONE : opaque('"hash" changes what a name runs')),
  bind: () => opaque('"bind" gives keys a meaning'),
  complete: () => opaque('"complete" names what runs later'),
  compgen: () => opaque('"compgen" runs what it is given'),
  jobs: (args) =>
    args.every((word) => word.kind === "static" && word.text !== "-x") ? NONE : opaque('"jobs -x" runs a command'),
  fc: () => opaque('"fc" runs commands again'),
};

const EFFECTS = new Map(Object.entries(BUILTINS));

function opaque(reason: string): BuiltinEffect {
  return { kind: "opaque", reason };
}

function startsWith(args: readonly Word[], option: string): boolean {
  const first = args[0];
  return first === undefined ? false : first.kind === "open" ? couldBeOption(first) : first.text.startsWith(option);
}

function isName(word: Word): boolean {
  return word.kind === "static" && !word.text.includes("=");
}

function changeDirectory(args: readonly Word[]): BuiltinEffect {
  const targets = args.filter((word) => word.kind === "open" || !/^-[LPe@]+$|^--$/.test(word.text));
  const to = targets[0];
  return targets.length === 1 && to !== undefined ? { kind: "directory", to } : { kind: "directory" };
}

function readTrap(args: readonly Word[]): BuiltinEffect {
  const words = args[0]?.kind === "static" && args[0].text === "--" ? args.slice(1) : args;
  const [first] = words;
  if (first?.kind === "static" && (first.text === "" || /^-[lp]?$/.test(first.text))) return NONE;
  // One word only resets that signal.
  return words.length < 2 ? NONE : { kind: "script", words: words.slice(0, 1) };
}

function declareExported(args: readonly Word[]): BuiltinEffect {
  return declare(args, { options: /^-p?$/, isExported: true });
}

function declareLocal(args: readonly Word[]): BuiltinEffect {
  const isExported = args.some((word) => word.kind === "static" && /^-\w*x/.test(word.text));
  return declare(args, { options: /^-[agrxp]+$/, isExported });
}

/** `export NAME=value`; without a value the variable that is there gets exported, whatever its value is. */
function declare(
  args: readonly Word[],
  { options, isExported }: { readonly options: RegExp; readonly isExported: boolean },
): BuiltinEffect {
  const assignments: VariableAssignment[] = [];
  for (const word of args) {
    if (word.kind === "static" && (word.text === "--" || options.test(word.text))) continue;
    const assignment = readAssignment(word);
    if (assignment === undefined) return opaque("a declaration is more than a name and a value");
    assignments.push(assignment);
  }
  return { kind: "variables", assignments, isExported };
}

/** `NAME`, `NAME=value`, or `NAME=` and something that is only known when it runs. */
function readAssignment(word: Word): VariableAssignment | undefined {
  const text = word.kind === "static" ? word.text : word.start;
  const found = /^(?<name>[A-Za-z_]\w*)(?:\+?=(?<value>.*))?$/s.exec(text)?.groups;
  const name = found?.["name"];
  if (name === undefined || (word.kind === "open" && found?.["value"] === undefined)) return undefined;
  if (found?.["value"]?.startsWith("(") === true) return undefined;
  return word.kind === "static" && found?.["value"] !== undefined ? { name, value: found["value"] } : { name };
}

function readSet(args: readonly Word[]): BuiltinEffect {
  const isKnown = args.every((word, index) => {
    if (word.kind === "open") return false;
    if (/^[-+][euxvfCnhB]*o?$/.test(word.text)) return true;
    const before = args[index - 1];
    return before?.kind === "static" && /^[-+]\w*o$/.test(before.text) && SAFE_SET_OPTIONS.has(word.text);
  });
  return isKnown ? NONE : opaque('"set" changes how later words are read');
}

const SAFE_SET_OPTIONS = new Set(["pipefail", "errexit", "nounset", "xtrace", "verbose", "noglob", "noclobber"]);

function readShopt(args: readonly Word[]): BuiltinEffect {
  const isKnown = args.every(
    (word) => word.kind === "static" && /^(?:-[suqp]|globstar|nullglob|failglob)$/.test(word.text),
  );
  return isKnown ? NONE : opaque('"shopt" changes how later words are read');
}

/** `read -r NAME…`; options with a value are taken with it. */
function readRead(args: readonly Word[]): BuiltinEffect {
  const names: Word[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word?.kind !== "static") return opaque('"read" sets a variable that is not known');
    if (/^-[ersE]*[dinNptu]$/.test(word.text)) index += 1;
    else if (/^-[ersE]*a$/.test(word.text) || !word.text.startsWith("-")) {
      if (!word.text.startsWith("-")) names.push(word);
    } else if (!/^-[ersE]*(?:[dinNptu].*)?$/.test(word.text)) return opaque('an option of "read" is not understood');
  }
  return setNames(names, "");
}

function setNames(words: readonly Word[], flags: string): BuiltinEffect {
  const names: VariableAssignment[] = [];
  for (const word of words) {
    if (word.kind === "static" && flags !== "" && word.text === `-${flags}`) continue;
    if (word.kind === "open" || !isPlainVariable(word.text))
      return opaque("a builtin sets a variable that is not plain");
    names.push({ name: word.text });
  }
  return { kind: "variables", assignments: names, isExported: false };
}

/** `-v` and `-R` evaluate a subscript in the name that they test. */
function readTest(args: readonly Word[]): BuiltinEffect {
  const asksForVariable = args.some(
    (word, index) =>
      (word.kind === "open" && couldBeOption(word) && word.count === "any") ||
      (word.kind === "static" && (word.text === "-v" || word.text === "-R") && !isNameAt(args, index + 1)),
  );
  return asksForVariable ? opaque('"test -v" evaluates a subscript') : NONE;
}

function isNameAt(args: readonly Word[], index: number): boolean {
  const word = args[index];
  return word?.kind === "static" && /^\w+$/.test(word.text);
}
