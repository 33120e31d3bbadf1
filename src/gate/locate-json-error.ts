/** A place in a text, both counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/**
 * The first place at which a text stops being JSON; nothing when it is JSON. The parser's own messages quote the text, and
 * what stands in a policy's place may hold a secret.
 */
export function locateJsonError(text: string): TextPlace | undefined {
  const closers: string[] = [];
  let expected: Expected = "value";
  let index = 0;
  for (;;) {
    index = skip(BLANK, text, index);
    if (index === text.length) return expected === "end" ? undefined : placeOf(text, index);
    const end = skip(TOKEN, text, index);
    const next: Expected | undefined = end === index ? undefined : step(expected, text.slice(index, end), closers);
    if (next === undefined) return placeOf(text, index);
    expected = next;
    index = end;
  }
}

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or closer" | "end";

const BLANK = /[ \t\n\r]*/y;
const TOKEN =
  // oxlint-disable-next-line no-control-regex -- JSON strings hold no control characters.
  /[{}[\]:,]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|/y;

function skip(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  pattern.test(text);
  return pattern.lastIndex;
}

/** What may follow `token`, or nothing when it may not stand here. `closers` are those that are still to come. */
function step(expected: Expected, token: string, closers: string[]): Expected | undefined {
  const afterValue = (): Expected => (closers.length === 0 ? "end" : ", or closer");
  const isClosing = token === closers.at(-1);
  switch (expected) {
    case "end":
      return undefined;
    case ":":
      return token === ":" ? "value" : undefined;
    case ", or closer":
      if (token === ",") return closers.at(-1) === "}" ? "key" : "value";
      break;
    case "key or }":
    case "key":
      if (token.startsWith('"')) return ":";
      if (expected === "key") return undefined;
      break;
    case "value or ]":
    case "value":
      if (token === "{" || token === "[") {
        closers.push(token === "{" ? "}" : "]");
        return token === "{" ? "key or }" : "value or ]";
      }
      if (!PUNCTUATION.has(token)) return afterValue();
      if (expected === "value") return undefined;
  }
  if (!isClosing) return undefined;
  closers.pop();
  return afterValue();
}

const PUNCTUATION = new Set(["{", "}", "[", "]", ":", ","]);

function placeOf(text: string, index: number): TextPlace {
  const before = text.slice(0, index).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
