/** How a line ends; only the last line of a text may have no end. */
export type LineEnd = "\n" | "\r\n" | "";

/** A line of a text. */
export interface TextLine {
  readonly text: string;
  readonly end: LineEnd;
}

/** A text, taken apart so that it can be put together again byte for byte. */
export interface TextLines {
  /** The byte order mark, which is no part of the first line. */
  readonly mark: string;
  readonly lines: readonly TextLine[];
}

/** Takes a text apart. */
export function splitText(text: string): TextLines {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const parts = text.slice(mark.length).split("\n");
  const last = parts.pop() ?? "";
  const lines = parts.map((part): TextLine =>
    part.endsWith("\r") ? { text: part.slice(0, -1), end: "\r\n" } : { text: part, end: "\n" },
  );
  return { mark, lines: last === "" ? lines : [...lines, { text: last, end: "" }] };
}

/** Puts a text together. */
export function joinText({ mark, lines }: TextLines): string {
  return mark + lines.map(({ text, end }) => text + end).join("");
}
