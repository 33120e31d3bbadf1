import type { JournalVerification } from "../../contract/record.ts";

/** Sentences of the journal. */

/** A record whose text is no record. */
export function recordUnreadable(sequence: number): string {
  return `Cannot read record ${sequence} of the journal: its text is damaged; "cofferdam log --verify" says where the damage begins`;
}

/** Nothing has been recorded yet. */
export const JOURNAL_EMPTY = "The journal is empty";

/** Every record fits the chain. */
export function chainIntact({ records, newest }: Extract<JournalVerification, { status: "intact" }>): string {
  const hash = newest === undefined ? "" : `; record ${newest.sequence} is the newest and has the hash ${newest.hash}`;
  return `The journal is as it was written: ${counted(records)} fit${records === 1 ? "s" : ""}${hash}`;
}

/** The first record that does not fit the chain. */
export function chainBroken(found: Extract<JournalVerification, { status: "broken" }>): string {
  const problem = {
    altered: `record ${found.sequence} does not fit, so it or the one before it was changed`,
    missing: `record ${found.sequence} is missing`,
    unexpected: `record ${found.sequence} was added by something else`,
  }[found.problem];
  return `The journal has been changed: ${problem}; ${counted(found.records)} before it fit${found.records === 1 ? "s" : ""}`;
}

/** Records that no chain covers. */
export function recordsUnchained(unchained: number): string {
  return `${counted(unchained)} from before the chain of hashes cannot be checked`;
}

function counted(records: number): string {
  return `${records.toLocaleString("en-US")} record${records === 1 ? "" : "s"}`;
}

/** Why a call ran that a reviewer was asked about. */
export function approvedByReviewer(askedBecause: string): string {
  return `approved by the reviewer, who was asked because ${askedBecause}`;
}
