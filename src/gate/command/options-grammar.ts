import type { Word } from "./analysis.ts";
import { couldBeOption } from "./analysis.ts";

/** Which options a program has, as far as it takes to find where they end. */
export interface OptionGrammar {
  /** Letters of options that stand alone. */
  readonly flags?: string;
  /** Letters of options with a value, attached or in the next word. */
  readonly valued?: string;
  /** Letters of options with a value that is attached or not there. */
  readonly optional?: string;
  /** Long options that stand alone, or have their value after `=`. */
  readonly longFlags?: readonly string[];
  /** Long options with a value after `=` or in the next word. */
  readonly longValued?: readonly string[];
}

/** One option as it was given. */
export interface GivenOption {
  /** Its letter, or its whole long name. */
  readonly name: string;
  readonly value?: Word;
}

/** Options, and what comes after them. */
export interface ReadOptions {
  readonly options: readonly GivenOption[];
  readonly rest: readonly Word[];
}

/** Splits words where the options end, as getopt does; nothing when there is an option that is not in the grammar. */
export function readOptions(words: readonly Word[], grammar: OptionGrammar): ReadOptions | undefined {
  const options: GivenOption[] = [];
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined || !couldBeOption(word)) break;
    if (word.kind === "open" || word.text === "-") return word.kind === "open" ? undefined : end(words, options, index);
    if (word.text === "--") return end(words, options, index + 1);
    const read = word.text.startsWith("--") ? readLong(word.text, grammar) : readShort(word.text, grammar);
    if (read === undefined) return undefined;
    options.push(...read.options);
    if (read.needsValue === undefined) continue;
    index += 1;
    const value = words[index];
    if (value === undefined) return undefined;
    options.push({ name: read.needsValue, value });
  }
  return end(words, options, index);
}

function end(words: readonly Word[], options: readonly GivenOption[], index: number): ReadOptions {
  return { options, rest: words.slice(index) };
}

interface ReadOption {
  readonly options: readonly GivenOption[];
  /** The option whose value is the next word. */
  readonly needsValue?: string;
}

function readLong(text: string, grammar: OptionGrammar): ReadOption | undefined {
  const [written = "", ...value] = text.slice(2).split("=");
  const flags = grammar.longFlags ?? [];
  const valued = grammar.longValued ?? [];
  const name = completeName(written, [...flags, ...valued]);
  if (name === undefined) return undefined;
  if (value.length > 0) return { options: [{ name, value: { kind: "static", text: value.join("=") } }] };
  return flags.includes(name) ? { options: [{ name }] } : { options: [], needsValue: name };
}

/** GNU programs take the beginning of a name for the whole when only one begins so. */
function completeName(written: string, names: readonly string[]): string | undefined {
  if (names.includes(written)) return written;
  const candidates = names.filter((name) => name.startsWith(written));
  return candidates.length === 1 ? candidates[0] : undefined;
}

function readShort(text: string, grammar: OptionGrammar): ReadOption | undefined {
  const options: GivenOption[] = [];
  for (let index = 1; index < text.length; index += 1) {
    const name = text.charAt(index);
    const attached = text.slice(index + 1);
    if (grammar.flags?.includes(name) === true) options.push({ name });
    else if (grammar.optional?.includes(name) === true)
      return { options: [...options, { name, value: { kind: "static", text: attached } }] };
    else if (grammar.valued?.includes(name) !== true) return undefined;
    else if (attached === "") return { options, needsValue: name };
    else return { options: [...options, { name, value: { kind: "static", text: attached } }] };
  }
  return { options };
}
