import { readDiffLines } from "./diff-lines.ts";
import { escapeText } from "./escape-text.ts";
import { paint } from "./output-stream.ts";
import type { OutputStream } from "./output-stream.ts";
import { countOf } from "./count-of.ts";

/** How many lines each file of a diff gains and loses, as `git diff --stat` shows it. */
export function renderDiffStat(diff: string, stream: Pick<OutputStream, "hasColour">): string {
  const files = countLines(diff);
  const nameWidth = Math.max(0, ...files.map((file) => file.name.length));
  const most = Math.max(0, ...files.map((file) => file.added + file.removed));
  const countWidth = String(most).length;
  const rows = files.map((file) => {
    const amount = file.binary ? "Bin" : String(file.added + file.removed).padStart(countWidth);
    return ` ${file.name.padEnd(nameWidth)} | ${amount}${renderBar(file, most, stream)}\n`;
  });
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const totals = `${countOf(files.length, "file")} changed, ${countOf(added, "insertion")}(+), ${countOf(removed, "deletion")}(-)`;
  return `${rows.join("")} ${totals}\n`;
}

const BAR_WIDTH = 40;

function renderBar(file: FileCount, most: number, stream: Pick<OutputStream, "hasColour">): string {
  if (file.added + file.removed === 0) return "";
  const scale = Math.min(1, BAR_WIDTH / most);
  const plus = "+".repeat(Math.ceil(file.added * scale));
  const minus = "-".repeat(Math.ceil(file.removed * scale));
  return ` ${paint(stream, "good", plus)}${paint(stream, "bad", minus)}`;
}

interface FileCount {
  readonly name: string;
  readonly binary: boolean;
  readonly added: number;
  readonly removed: number;
}

function countLines(diff: string): readonly FileCount[] {
  const files: FileCount[] = [];
  for (const { kind, text } of readDiffLines(diff)) {
    if (kind === "file") files.push({ name: nameFromFileLine(text), binary: false, added: 0, removed: 0 });
    const file = files.at(-1);
    if (file === undefined) continue;
    files[files.length - 1] = {
      name: kind === "header" ? (nameFromHeader(text) ?? file.name) : file.name,
      binary: file.binary || (kind === "header" && text.startsWith("Binary files ")),
      added: file.added + (kind === "added" ? 1 : 0),
      removed: file.removed + (kind === "removed" ? 1 : 0),
    };
  }
  return files;
}

/** `diff --git a/x b/x` names the file twice, except for a rename, whose own header follows. */
function nameFromFileLine(text: string): string {
  const names = text.slice("diff --git ".length);
  return withoutPrefix(names.slice((names.length + 1) / 2));
}

function nameFromHeader(text: string): string | undefined {
  if (text.startsWith("rename to ")) return escapeText(text.slice("rename to ".length));
  const named = /^(?:---|\+\+\+) (?<name>.+)$/.exec(text)?.groups?.["name"];
  return named === undefined || named === "/dev/null" ? undefined : withoutPrefix(named);
}

/** A name in quotes stays in them: git escapes in it what is unusual. */
function withoutPrefix(name: string): string {
  return escapeText(name.replace(/^(?<quote>"?)[ab]\//, "$<quote>").replace(/\t$/, ""));
}
