import type { DatabaseSync } from "node:sqlite";
import type { ConcludedState } from "../../contract/approval.ts";

/** A question as it lies in the database. */
export interface ApprovalRow {
  readonly id: string;
  readonly state: "pending" | ConcludedState;
  /** The seat of the process that waits. */
  readonly owner: string;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  /** Absent once it is over. */
  readonly question: string | undefined;
  readonly signature: string;
}

/** An answer as it lies in the database. */
export interface AnswerRow {
  readonly answer: string;
  readonly signature: string;
}

/** The rows about approvals. Transactions are the caller's. */
export class ApprovalRows {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Adds a question, and forgets the oldest ones that are over when there are very many. */
  add(row: Omit<ApprovalRow, "state"> & { readonly question: string }): void {
    const { id, owner, askedAtMs, expiresAtMs, question, signature } = row;
    this.#database
      .prepare(
        "INSERT INTO approvals (id, state, owner, asked_at_ms, expires_at_ms, question, signature) VALUES (?, 'pending', ?, ?, ?, ?, ?)",
      )
      .run(id, owner, askedAtMs, expiresAtMs, question, signature);
    this.#database
      .prepare(
        "DELETE FROM approvals WHERE state <> 'pending' AND sequence <= (SELECT max(sequence) FROM approvals) - ?",
      )
      .run(MOST_KEPT);
  }

  /** Those without an answer, oldest first. */
  pending(): readonly ApprovalRow[] {
    return this.#database.prepare("SELECT * FROM approvals WHERE state = 'pending' ORDER BY sequence").all().map(toRow);
  }

  /** One of them, in whatever state. */
  find(id: string): ApprovalRow | undefined {
    const row = this.#database.prepare("SELECT * FROM approvals WHERE id = ?").get(id);
    return row === undefined ? undefined : toRow(row);
  }

  /** Gives the answer to one that has none. */
  answer(id: string, state: "approved" | "denied", { answer, signature }: AnswerRow): void {
    this.#database
      .prepare("UPDATE approvals SET state = ?, answer = ?, answer_signature = ? WHERE id = ? AND state = 'pending'")
      .run(state, answer, signature, id);
  }

  /** The answer, when there is one. */
  answerTo(id: string): AnswerRow | undefined {
    const row = this.#database
      .prepare("SELECT answer, answer_signature FROM approvals WHERE id = ? AND answer IS NOT NULL")
      .get(id);
    return row === undefined
      ? undefined
      : { answer: String(row["answer"]), signature: String(row["answer_signature"]) };
  }

  /** Ends one that may still be pending, and forgets what was asked and answered. */
  conclude(id: string, state: ConcludedState): void {
    this.#database
      .prepare(
        "UPDATE approvals SET state = CASE state WHEN 'pending' THEN ? ELSE state END, question = NULL, answer = NULL WHERE id = ?",
      )
      .run(state, id);
  }

  /** Ends those that nobody can answer any more and whose process did not live to say so. */
  concludeExpired(nowMs: number): void {
    this.#database
      .prepare("UPDATE approvals SET state = 'expired', question = NULL WHERE state = 'pending' AND expires_at_ms <= ?")
      .run(nowMs);
  }
}

/** How many that are over are remembered, so that a late answer is told what became of them. */
const MOST_KEPT = 500;

function toRow(row: Readonly<Record<string, unknown>>): ApprovalRow {
  const question = row["question"];
  return {
    id: String(row["id"]),
    // The schema checks the column.
    state: row["state"] as ApprovalRow["state"],
    owner: String(row["owner"]),
    askedAtMs: Number(row["asked_at_ms"]),
    expiresAtMs: Number(row["expires_at_ms"]),
    question: typeof question === "string" ? question : undefined,
    signature: String(row["signature"]),
  };
}
