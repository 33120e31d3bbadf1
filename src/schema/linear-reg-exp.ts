/**
 * The patterns of schemas run on RE2, in linear time, so that no input can hang the engine by one that was written
 * carelessly. What a pattern means stays what ECMAScript says: `.` and `\s` cover other characters there than in RE2
 * and are written out as classes. A pattern that RE2 cannot run (lookaround, backreferences) falls back to the built-in
 * engine, as generators of schemas write such patterns for e-mail addresses and the like.
 */
import { RE2JS } from "re2js";

/** What a compiled pattern does. */
export interface LinearRegExp {
  test(text: string): boolean;
}

/**
 * Compiles the pattern of a schema.
 * @throws SyntaxError when it is no regular expression of ECMAScript.
 */
export function compileLinearRegExp(pattern: string, flags = "u"): LinearRegExp {
  // Compiled here first, so that RE2's own extensions are no part of a schema.
  const builtIn = new RegExp(pattern, flags);
  const spelledOut = spellOutClasses(pattern);
  if (spelledOut === undefined) return builtIn;
  try {
    return RE2JS.compile(RE2JS.translateRegExp(spelledOut));
  } catch {
    return builtIn;
  }
}

const WHITE_SPACE = "\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";
const LINE_ENDS = "\\n\\r\\u2028\\u2029";

/** `undefined` for `\S` inside of a class, which cannot be written out there. */
function spellOutClasses(pattern: string): string | undefined {
  let isInClass = false;
  let isPossible = true;
  const spelledOut = pattern.replaceAll(/\\[^]|[[\].]/g, (token) => {
    if (token === "[" || token === "]") isInClass = token === "[";
    if (token === "." && !isInClass) return `[^${LINE_ENDS}]`;
    if (token === "\\s") return isInClass ? WHITE_SPACE : `[${WHITE_SPACE}]`;
    if (token !== "\\S") return token;
    isPossible &&= !isInClass;
    return `[^${WHITE_SPACE}]`;
  });
  return isPossible ? spelledOut : undefined;
}
