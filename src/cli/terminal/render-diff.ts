import { readDiffLines } from "./diff-lines.ts";
import type { DiffLineKind } from "./diff-lines.ts";
import { escapeText } from "./escape-text.ts";
import { paint } from "./output-stream.ts";
import type { OutputStream, Style } from "./output-stream.ts";

/**
 * A unified diff for a person to read: coloured where the stream shows colour, and with every character escaped by which
 * the content of a file could drive the terminal.
 */
export function renderDiff(diff: string, stream: Pick<OutputStream, "hasColour">): string {
  const mark = (escape: string) => paint(stream, "escape", escape);
  let rendered = "";
  for (const { kind, text } of readDiffLines(diff)) {
    const style = STYLES[kind];
    const safe = escapeText(text, { keep: "tabs", mark });
    rendered += `${style === undefined ? safe : paint(stream, style, safe)}\n`;
  }
  return rendered;
}

const STYLES: Readonly<Record<DiffLineKind, Style | undefined>> = {
  file: "title",
  header: "title",
  hunk: "hunk",
  added: "good",
  removed: "bad",
  note: "muted",
  context: undefined,
};
