import type { Decider } from "./gate.ts";
import type { Risk } from "./risk.ts";
import type { ErrorKind } from "./tool-result.ts";

/** The journal's account of one dispatch. Secrets are masked and long texts are cut before it is kept. */
export interface DispatchRecord {
  readonly callId: string;
  readonly tool: string;
  /** The call whose tool made this one, when a tool did. */
  readonly parentCallId?: string;
  /** Absent for a name that is no tool. */
  readonly risk?: Risk;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly attempts: number;
  readonly outcome: "success" | ErrorKind;
  /** What it was called with: what ran, or what was asked for when it did not run. */
  readonly input?: unknown;
  /** What the model was told of a failure. */
  readonly error?: string;
  /** Why it was allowed or denied. */
  readonly verdict?: string;
  /** Who allowed or denied it. */
  readonly decidedBy?: Decider;
  /** The layer that was kept. */
  readonly layer?: number;
  readonly backend?: string;
  readonly termination?: string;
  /** What was filled in or coerced before validation passed. */
  readonly coercions?: readonly string[];
}

/** A record as the journal keeps it. */
export interface JournalRecord extends DispatchRecord {
  /** Its place in the journal; each record's is one more than that of the record before it. */
  readonly sequence: number;
  /** SHA-256 over the hash of the record before it, its place and its text; empty for one from before the chain began. */
  readonly hash: string;
}

/** What a walk along the journal's chain of hashes found. */
export type JournalVerification =
  | {
      readonly status: "intact";
      /** Records that fit. */
      readonly records: number;
      /** Records from before the chain began, about which nothing can be said. */
      readonly unchained: number;
      /** The newest record; absent in an empty journal. Noted elsewhere, it also shows a chain that was made anew. */
      readonly newest?: { readonly sequence: number; readonly hash: string };
    }
  | {
      readonly status: "broken";
      /** Records that fit before the first one that does not. */
      readonly records: number;
      readonly unchained: number;
      /** The place of the first record that does not fit. */
      readonly sequence: number;
      readonly problem: "altered" | "missing" | "unexpected";
    };

/** The journal, to look at. */
export interface JournalReview {
  /**
   * The newest records, newest first.
   * @throws StateError when one of them cannot be read.
   */
  recent(limit: number): readonly JournalRecord[];
  /** Walks the whole chain, without letting anything else run meanwhile: about a third of a second for 100,000 records. */
  verify(): JournalVerification;
}
