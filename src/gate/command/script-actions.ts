/*
 * The scripts of sed and awk may write files and run programs. They are not parsed: what is made of the everyday commands
 * alone passes, and everything else counts as acting.
 */
import type { Word } from "./analysis.ts";

/** What a sed command does beyond printing; nothing when it only prints. */
export function findSedAction(args: readonly Word[]): string | undefined {
  const scripts = scriptsOf(args, SED_OPTIONS);
  return scripts.every((script) => script !== undefined && SED_SCRIPT.test(script)) ? undefined : ACTS;
}

/** What an awk command does beyond printing; nothing when it only prints. */
export function findAwkAction(args: readonly Word[]): string | undefined {
  const scripts = scriptsOf(args, AWK_OPTIONS);
  return scripts.every((script) => script !== undefined && !AWK_ACTS.test(script)) ? undefined : ACTS;
}

const ACTS = "has a script that may write or run";

/** Calls, pipes, files to print to, and code from elsewhere. */
const AWK_ACTS = /system|getline|close|fflush|[|@]|\bprintf?\b[^;}\n]*>/;

const ADDRESS = String.raw`(?:\d+|\$|\d+~\d+|/(?:[^/\\\n]|\\.)*/I?)`;
const SUBSTITUTION = ["/", "|", "#", ",", ":", "@"].map(substitution).join("|");

function substitution(mark: string): string {
  const text = `(?:[^\\n\\\\${mark}]|\\\\[^\\n])*`;
  return ["s", text, text, "[gpIi\\d]*"].join(`\\${mark}`);
}

const SED_COMMAND = String.raw`\s*(?:${ADDRESS}(?:\s*,\s*(?:${ADDRESS}|[+~]\d+))?\s*!?\s*)?(?:[pdDPgGhHxnN=]|[qQ]\d*|${SUBSTITUTION})\s*`;
/** Addresses, printing, deleting and substituting without the flags that write or run. */
const SED_SCRIPT = new RegExp(String.raw`^${SED_COMMAND}(?:[;\n]${SED_COMMAND})*;?\s*$`);

interface ScriptOptions {
  /** Options whose value is the next word. */
  readonly valued: RegExp;
  /** Those of them whose value is a script. */
  readonly script: RegExp;
  /** Options that have nothing to do with scripts. Every other long one may be a shortened name of one that has. */
  readonly plain: RegExp;
}

const SED_OPTIONS: ScriptOptions = {
  valued: /^-[nErszu]*[el]$|^--(?:expression|line-length)$/,
  script: /^-[nErszu]*e$|^--expression$/,
  plain:
    /^-[nErszu]+$|^-i|^-l\d+$|^--(?:quiet|silent|regexp-extended|null-data|separate|unbuffered|posix|in-place(?:=.*)?)$/,
};

const AWK_OPTIONS: ScriptOptions = {
  valued: /^-[Fve]$|^--(?:field-separator|assign|source)$/,
  script: /^-e$|^--source$/,
  plain: /^-[Fv].|^--(?:field-separator|assign)=|^--(?:posix|traditional|version|help)$/,
};

/** The scripts of a command: the values of options, else the first operand. One that is not known is `undefined`. */
function scriptsOf(args: readonly Word[], { valued, script, plain }: ScriptOptions): readonly (string | undefined)[] {
  const scripts: (string | undefined)[] = [];
  let operand: { readonly text: string | undefined } | undefined;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    const text = word?.kind === "static" ? word.text : undefined;
    if (text !== undefined && valued.test(text)) {
      index += 1;
      const value = args[index];
      if (script.test(text)) scripts.push(value?.kind === "static" ? value.text : undefined);
    } else if (text === undefined || !/^-./.test(text)) operand ??= { text };
    else if (!plain.test(text) && text !== "--") scripts.push(undefined);
  }
  return scripts.length > 0 ? scripts : operand === undefined ? [] : [operand.text];
}
