import type { JournalVerification } from "../../contract/record.ts";

/** Sentences of the journal. */

/** A record whose text is no record. */
export function recordUnreadable(sequence: number): string {
  return `Cannot read record ${sequence} of the journal: its text is damaged; "cofferdam log --verify" says where the damage begins`;
}

/** What is wrong with the first record that does not fit the chain. */
export function chainBroken(found: Extract<JournalVerification, { status: "broken" }>): string {
  const problem = {
    altered: `record ${found.sequence} does not fit: it or the one before it was changed after it had been written`,
    missing: `record ${found.sequence} is missing: it was removed after it had been written`,
    unexpected: `record ${found.sequence} is one too many: it was added by something else`,
  }[found.problem];
  return `The journal has been changed: ${problem}`;
}
