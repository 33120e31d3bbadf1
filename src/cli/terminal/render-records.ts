import type { JournalRecord } from "../../contract/record.ts";
import { approvedByReviewer } from "../../errors/messages/journal.ts";
import { escapeText } from "./escape-text.ts";
import { paint } from "./output-stream.ts";
import type { OutputStream } from "./output-stream.ts";
import { renderTable } from "./render-table.ts";

/** A table with a line for each record, in the order given. */
export function renderRecords(records: readonly JournalRecord[], stream: Pick<OutputStream, "hasColour">): string {
  const table = renderTable([HEADINGS, ...records.map(toRow)]);
  const headingEnd = table.indexOf("\n");
  return paint(stream, "title", table.slice(0, headingEnd)) + table.slice(headingEnd);
}

const HEADINGS = ["time", "tool", "outcome", "duration", "layer", "reason"];

function toRow(record: JournalRecord): readonly string[] {
  const cells = [
    new Date(record.startedAtMs).toISOString(),
    record.tool,
    record.outcome,
    formatDuration(record.durationMs),
    record.layer === undefined ? "-" : String(record.layer),
    cut(reasonOf(record)),
  ];
  return cells.map((cell) => escapeText(cell));
}

function formatDuration(durationMs: number): string {
  return durationMs < 1_000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
}

/** What the model was told of a failure; otherwise why the call was allowed. */
function reasonOf({ error, verdict = "", decidedBy }: JournalRecord): string {
  return error ?? (decidedBy === "reviewer" ? approvedByReviewer(verdict) : verdict);
}

/** By code points, so that no character is halved. */
function cut(reason: string): string {
  const characters = Array.from(reason);
  return characters.length <= MOST_CHARACTERS ? reason : `${characters.slice(0, MOST_CHARACTERS).join("")}…`;
}

const MOST_CHARACTERS = 120;
