/**
 * One line of a .gitignore file, by gitignore(5). A general glob library does not fit: braces and extended globs are plain
 * text here, `**` counts only as a whole part of a path, and where the slash stands decides what a pattern is matched
 * against. So a pattern is translated into an expression for RE2, which takes linear time whatever a guest wrote into the
 * file; the two commonest forms (a name, and a star with an ending) need no expression.
 *
 * Two differences to git are left: wildcards stand for characters, where git takes bytes ("?" is one accented letter here
 * and none there), and a class cannot hold a slash, which it could never match.
 */
import { RE2JS } from "re2js";

/** A pattern that is ready to be matched. */
export interface IgnorePattern {
  /** It takes back what a pattern before it ignored. */
  readonly isNegated: boolean;
  /** Says so of a path relative to the directory that the file lies in. */
  matches(path: string, isDirectory: boolean): boolean;
}

/** Reads a line; `undefined` for one that says nothing. */
export function parseIgnoreLine(line: string): IgnorePattern | undefined {
  const written = withoutTrailingSpaces(line.replace(/\r$/, ""));
  if (written === "" || written.startsWith("#")) return undefined;
  const isNegated = written.startsWith("!");
  const pattern = isNegated ? written.slice(1) : written;
  const isForDirectories = pattern.endsWith("/");
  const body = isForDirectories ? pattern.slice(0, -1) : pattern;
  const isAnchored = body.includes("/");
  const matchesText = compile(body.replace(/^\//, ""), isAnchored);
  if (body === "" || matchesText === undefined) return undefined;
  return {
    isNegated,
    matches: (path, isDirectory) => {
      if (isForDirectories && !isDirectory) return false;
      return matchesText(isAnchored ? path : path.slice(path.lastIndexOf("/") + 1));
    },
  };
}

/** A space at the end counts only behind a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " " && !isEscaped(line, end - 1)) end -= 1;
  return line.slice(0, end);
}

function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text[start - 1] === "\\") start -= 1;
  return (index - start) % 2 === 1;
}

const SPECIAL = /[*?[\\]/;

function compile(pattern: string, isPath: boolean): ((text: string) => boolean) | undefined {
  if (!SPECIAL.test(pattern)) return (text) => text === pattern;
  const ending = pattern.slice(1);
  if (!isPath && pattern.startsWith("*") && !SPECIAL.test(ending)) return (text) => text.endsWith(ending);
  const source = isPath ? translatePath(pattern) : translatePart(pattern);
  if (source === undefined) return undefined;
  try {
    const expression = RE2JS.compile(`^(?:${source})$`, RE2JS.DOTALL);
    return (text) => expression.test(text);
  } catch {
    // A range such as [z-a], or a class that RE2 does not know: git matches nothing with it either.
    return undefined;
  }
}

/** `**` as a whole part stands for any number of parts. */
function translatePath(pattern: string): string | undefined {
  const parts = pattern.split("/");
  const sources: string[] = [];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (/^\*{2,}$/.test(part)) {
      sources.push(isLast ? ".+" : "(?:[^/]+/)*");
      continue;
    }
    const source = translatePart(part);
    if (source === undefined) return undefined;
    sources.push(isLast ? source : `${source}/`);
  }
  return sources.join("");
}

/** One part of a path; `undefined` when it is broken, which matches nothing. */
function translatePart(part: string): string | undefined {
  let source = "";
  for (let index = 0; index < part.length;) {
    const rest = part.slice(index);
    const [token = "", escaped] = TOKEN.exec(rest) ?? [];
    index += token.length;
    if (token === "" || token === "\\" || token === "[") return undefined;
    if (/^\*+$/.test(token)) source += "[^/]*";
    else if (token === "?") source += "[^/]";
    else if (token.startsWith("[")) source += translateClass(token);
    else source += quote(escaped ?? token);
  }
  return source;
}

/** Stars, a question mark, a class, an escaped character, or one plain character. */
const TOKEN = /^(?:\*+|\?|\[[!^]?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\]|\\(.)|.)/su;

function translateClass(token: string): string {
  const isNegated = /^\[[!^]/.test(token);
  const inside = token.slice(isNegated ? 2 : 1, -1);
  const translated = inside.replaceAll(/\[:[a-z]+:\]|\\(.)|([[\]^&~])/gsu, (text: string, escaped?: string) =>
    text.startsWith("[:") ? text : quote(escaped ?? text),
  );
  return isNegated ? `[^/${translated}]` : `[${translated}]`;
}

function quote(character: string): string {
  // Not known to RE2's own quoting, as they mean something in a class only.
  return /[&~-]/.test(character) ? `\\${character}` : RE2JS.quote(character);
}
