/**
 * ripgrep's regular expressions are Rust's, and not quite RE2's: `\d` and `\b` know all of Unicode there, classes can be
 * nested, and a byte that is no UTF-8 matches nothing, where it is one character here. So ripgrep never decides what
 * matches. It only rules files out, by an expression that matches at least wherever the original does: what both read the
 * same stays, an assertion becomes nothing, and everything else becomes "some character". No library does this; the
 * tokens of RE2 that matter are few, and what is not known ends the attempt.
 */
import { RE2JS } from "re2js";

/** An expression for ripgrep. */
export interface WeakExpression {
  readonly source: string;
  readonly ignoreCase: boolean;
}

/**
 * Weakens an expression that RE2 accepts; `undefined` for one that is not known well enough, or that would rule nothing
 * out because any line matches.
 */
export function weakenExpression(
  expression: string,
  options: { readonly ignoreCase: boolean },
): WeakExpression | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(expression);
  const ignoreCase = options.ignoreCase || flags?.[1]?.includes("i") === true;
  const source = weakenTokens(RE2JS.translateRegExp(expression).slice(flags?.[0].length ?? 0), ignoreCase);
  if (source === undefined || RE2JS.compile(RE2JS.translateRegExp(expression)).test("")) return undefined;
  return { source, ignoreCase };
}

/** One token each; the names say what becomes of it. */
const TOKEN = new RegExp(
  [
    String.raw`(?<group>\((?:\?:|\?P?<\w+>|(?!\?))|[|)])`,
    String.raw`(?<repetition>[*+?]|\{\d+(?:,\d*)?\})\??`,
    String.raw`(?<assertion>[$^]|\\[AzbB])`,
    String.raw`(?<alphanumerics>\[(?:[0-9A-Za-z_](?:-[0-9A-Za-z])?)+\])`,
    String.raw`(?<some>\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\\(?:[DSWCafnrtv]|[pP](?:\{[^}]*\}|\w)|x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}))`,
    String.raw`(?<known>\\[dsw])`,
    String.raw`\\(?<quoted>[^0-9A-Za-z])`,
    String.raw`(?<literal>[^\\[(])`,
  ].join("|"),
  "suy",
);

/** One character; it takes up to four bytes, whether they are UTF-8 or not. */
const SOME = String.raw`(?-u:[^\n]{1,4})`;
const NOTHING = "(?:)";
const KNOWN: Readonly<Record<string, string>> = {
  "\\d": "[0-9]",
  "\\s": String.raw`[\t\f\r ]`,
  "\\w": "[0-9A-Za-z_]",
};

function weakenTokens(expression: string, ignoreCase: boolean): string | undefined {
  const token = new RegExp(TOKEN);
  let source = "";
  while (token.lastIndex < expression.length) {
    const found = token.exec(expression)?.groups;
    if (found === undefined) return undefined;
    const { group, repetition, assertion, alphanumerics, some, known = "", quoted, literal = quoted ?? "" } = found;
    if (group !== undefined) source += group.startsWith("(") ? "(?:" : group;
    else if (assertion !== undefined) source += NOTHING;
    else if (some !== undefined) source += SOME;
    else source += repetition ?? alphanumerics ?? KNOWN[known] ?? weakenLiteral(literal, ignoreCase);
  }
  return source;
}

function weakenLiteral(character: string, ignoreCase: boolean): string {
  if (/[0-9A-Za-z_]/.test(character)) return character;
  // Any other character of ASCII may stand for something in the one syntax or the other.
  if (/[ -~]/.test(character)) return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  // How characters are folded depends on the version of Unicode; U+FFFD is what bytes that are no UTF-8 are read as.
  return ignoreCase || character < " " || character === "\ufffd" || !character.isWellFormed() ? SOME : character;
}
