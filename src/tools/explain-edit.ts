import { coreToolMessages } from "../errors/messages/core-tools.ts";
import type { NearMatch, ReplacedText } from "./replace-text.ts";

const MAX_SHOWN_LINES = 20;

/** Says why a text was not replaced, and what would be right. */
export function explainNoEdit(path: string, result: Exclude<ReplacedText, { kind: "replaced" }>): string {
  if (result.kind === "several") {
    return coreToolMessages.manyMatches(path, result.lines.length, listLines(result.lines));
  }
  if (result.kind === "too-large") return coreToolMessages.largeResult(path);
  return coreToolMessages.noMatch(path, hintAt(result.near));
}

function hintAt(near: NearMatch | undefined): string {
  if (near === undefined) return "";
  if (near.kind === "first-line") return coreToolMessages.firstLineMatch(near.line);
  const lines = near.text.split("\n");
  const shown = lines.length > MAX_SHOWN_LINES ? [...lines.slice(0, MAX_SHOWN_LINES), "…"] : lines;
  return coreToolMessages.nearMatch(near.first, near.last, shown.join("\n"));
}

/** The places where a text was replaced: "line 4", "lines 2 and 6". */
export function describePlaces(lines: readonly number[]): string {
  return lines.length === 1 ? `line ${lines[0] ?? 1}` : `lines ${listLines(lines)}`;
}

/** Writes line numbers for people, at most ten of them. */
export function listLines(lines: readonly number[]): string {
  const shown = lines.slice(0, 10);
  const more = lines.length - shown.length;
  if (more > 0) return `${shown.join(", ")} and ${more} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`;
}
