/*
 * What a tool wrote, what a file holds and what a model sent may all end up on the terminal of the person who decides about
 * them. A control sequence there could repaint the screen; a bidirectional or invisible character could make the text read
 * as something else. Such characters are shown as an escape, never dropped: what is invisible must become visible.
 *
 * Shown as escapes are control characters (C0, DEL, C1), format characters (bidirectional controls and tags among them), line
 * and paragraph separators, lone surrogates, and whatever Unicode says to leave without a glyph (zero-width, fillers,
 * variation selectors) or draws as empty space without being one. Backslashes stay as they are: doubling them would make every regular expression and Windows path
 * harder to read than it is.
 */

/** Which control characters stay as they are. */
export interface EscapeOptions {
  /** `lines` keeps line breaks and tabs; `tabs` keeps tabs only; `none` escapes everything. @default "none" */
  readonly keep?: "none" | "tabs" | "lines";
  /** Counts long runs of spaces and those at the end, which could push text out of sight. @default false */
  readonly countsPadding?: boolean;
  /** Wraps each escape, to tell it from the same characters in the text. @default the escape as it is */
  readonly mark?: (escape: string) => string;
}

/** Makes text safe to print on a terminal: nothing in it can move the cursor, hide or reorder what is shown. */
export function escapeText(text: string, options: EscapeOptions = {}): string {
  const { keep = "none", countsPadding = false, mark = (escape: string) => escape } = options;
  const kept = KEPT[keep];
  return text.replace(countsPadding ? UNSAFE_OR_PADDING : UNSAFE, (found) =>
    kept.includes(found) ? found : mark(found.startsWith(" ") ? `\\x20*${found.length}` : toEscape(found)),
  );
}

// The blank of braille is a symbol to Unicode; the spaces are all but the ordinary one.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const UNSAFE_OR_PADDING = new RegExp(`${UNSAFE.source}| {17,}| +$`, "gu");

const KEPT = { none: "", tabs: "\t", lines: "\n\t" };

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function toEscape(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}
