import type { DispatchRecord, JournalRecord } from "../contract/record.ts";
import { recordUnreadable } from "../errors/messages/journal.ts";
import { StateError } from "../errors/state-error.ts";

/**
 * A record from its row. The database is a file that others may have written to, so what is in it is looked at.
 * @throws StateError when its text is no record.
 */
export function readRecord(row: Readonly<Record<string, unknown>>): JournalRecord {
  const sequence = Number(row["id"]);
  const record = parse(String(row["body"]));
  if (!isRecord(record)) throw new StateError(recordUnreadable(sequence));
  return { ...record, sequence, hash: String(row["hash"]) };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not even JSON is no record either; the caller says so, with its place.
    return undefined;
  }
}

/** The greatest number that is still a time. */
const LAST_TIME_MS = 8.64e15;

/** Checks what readers compute with; the rest is only shown. */
function isRecord(value: unknown): value is DispatchRecord {
  if (typeof value !== "object" || value === null) return false;
  const { callId, tool, startedAtMs, durationMs, attempts, outcome }: Readonly<Record<string, unknown>> = { ...value };
  const texts = [callId, tool, outcome];
  const numbers = [startedAtMs, durationMs, attempts];
  return (
    texts.every((text) => typeof text === "string") &&
    numbers.every((number) => typeof number === "number" && Math.abs(number) <= LAST_TIME_MS)
  );
}
