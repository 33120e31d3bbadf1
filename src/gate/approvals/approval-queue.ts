/*
 * Questions that any process on this machine may answer, for as long as the process that asks waits. Both directions are
 * signed, and an answer is bound to the digest of everything that was asked, which the asking process takes from its own memory
 * and not from the database. Nothing runs because of a row: the process that asked reads the answer, and when that process is
 * gone, which its seat tells, nobody does.
 */
import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import type { AnswerOutcome, ApprovalReview, PendingApproval } from "../../contract/approval.ts";
import type { ApprovalQuestion, ReviewDecision } from "../../contract/gate.ts";
import { answerForged, questionForged } from "../../errors/messages/approvals.ts";
import { StateError } from "../../errors/state-error.ts";
import { canonicalJson, sha256 } from "../../schema/canonical-json.ts";
import { inTransaction } from "../../state/database.ts";
import { isSeatTaken } from "../../state/seat.ts";
import { openApprovalKey } from "./approval-key.ts";
import type { ApprovalKey } from "./approval-key.ts";
import { ApprovalRows } from "./approval-rows.ts";
import type { ApprovalRow } from "./approval-rows.ts";

/** What a queue needs. */
export interface ApprovalQueueOptions {
  readonly database: DatabaseSync;
  readonly stateDirectory: string;
  readonly seatsDirectory: string;
  /** The seat of this process. */
  readonly seatId: string;
  readonly clock: () => number;
}

/** How long a question waits. */
export interface WaitOptions {
  readonly expiresAtMs: number;
  readonly signal: AbortSignal;
}

/** The approvals of one root that wait in its state directory. */
export class ApprovalQueue implements ApprovalReview {
  readonly #options: ApprovalQueueOptions;
  readonly #rows: ApprovalRows;
  #key: ApprovalKey | undefined;

  constructor(options: ApprovalQueueOptions) {
    this.#options = options;
    this.#rows = new ApprovalRows(options.database);
  }

  /**
   * Asks, and waits for whoever answers first.
   * @throws StateError when the answer is not signed by somebody who may answer.
   */
  async ask(question: ApprovalQuestion, { expiresAtMs, signal }: WaitOptions): Promise<ReviewDecision> {
    signal.throwIfAborted();
    const id = randomBytes(5).toString("hex");
    const text = canonicalJson(question);
    const { clock, seatId: owner } = this.#options;
    const signature = this.#sign(signedQuestion({ id, expiresAtMs, question: text }));
    this.#rows.concludeExpired(clock());
    this.#rows.add({ id, owner, askedAtMs: clock(), expiresAtMs, question: text, signature });
    const conclude = (): void => this.#rows.conclude(id, clock() >= expiresAtMs ? "expired" : "withdrawn");
    // At once, for the database may be closed by the time that this goes on.
    signal.addEventListener("abort", conclude);
    try {
      return await this.#waitForAnswer(id, sha256(text), signal);
    } finally {
      signal.removeEventListener("abort", conclude);
      if (!signal.aborted) conclude();
    }
  }

  pending(): readonly PendingApproval[] {
    const nowMs = this.#options.clock();
    return this.#rows
      .pending()
      .filter(({ expiresAtMs }) => expiresAtMs > nowMs)
      .map((row) => this.#toPending(row));
  }

  answer({ id, digest }: Pick<PendingApproval, "id" | "digest">, decision: ReviewDecision): AnswerOutcome {
    return inTransaction(this.#options.database, () => {
      const row = this.#rows.find(id);
      if (row === undefined) return { outcome: "unknown" };
      const state = this.#stateNow(row);
      if (state !== "pending") return { outcome: "too-late", state };
      if (this.#toPending(row).digest !== digest) return { outcome: "other-digest" };
      const answer = canonicalJson(decision);
      const isApproval = decision.decision === "approve" || decision.decision === "edit";
      const signature = this.#sign(signedAnswer({ id, digest, answer }));
      this.#rows.answer(id, isApproval ? "approved" : "denied", { answer, signature });
      return { outcome: "taken" };
    });
  }

  /** A look every fifth of a second costs nothing that could be measured, and needs no watcher that a file system may lack. */
  async #waitForAnswer(id: string, digest: string, signal: AbortSignal): Promise<ReviewDecision> {
    for (;;) {
      const found = this.#rows.answerTo(id);
      if (found !== undefined) {
        const { answer, signature } = found;
        if (!this.#isSigned(signedAnswer({ id, digest, answer }), signature)) throw new StateError(answerForged(id));
        // Whoever signed it wrote a decision; the gate looks at it as at that of any reviewer.
        return JSON.parse(answer) as ReviewDecision;
      }
      await delay(POLL_MS, undefined, { signal });
    }
  }

  #stateNow({ state, owner, expiresAtMs }: ApprovalRow): ApprovalRow["state"] {
    if (state !== "pending") return state;
    if (!isSeatTaken(this.#options.seatsDirectory, owner)) return "gone";
    return this.#options.clock() >= expiresAtMs ? "expired" : "pending";
  }

  #toPending(row: ApprovalRow): PendingApproval {
    const { id, question = "", askedAtMs, expiresAtMs, owner, signature } = row;
    if (!this.#isSigned(signedQuestion({ id, expiresAtMs, question }), signature))
      throw new StateError(questionForged(id));
    return {
      id,
      digest: sha256(question),
      state: isSeatTaken(this.#options.seatsDirectory, owner) ? "waiting" : "gone",
      askedAt: new Date(askedAtMs),
      expiresAt: new Date(expiresAtMs),
      // Its process has signed it.
      question: JSON.parse(question) as ApprovalQuestion,
    };
  }

  #sign(data: unknown): string {
    return this.#openKey().sign(data);
  }

  #isSigned(data: unknown, signature: string): boolean {
    return this.#openKey().isSigned(data, signature);
  }

  #openKey(): ApprovalKey {
    this.#key ??= openApprovalKey(this.#options.stateDirectory);
    return this.#key;
  }
}

const POLL_MS = 200;

/** What is signed says what it is, so that no signature of one kind serves for the other. */
function signedQuestion(row: Pick<ApprovalRow, "id" | "expiresAtMs"> & { readonly question: string }): unknown {
  return ["cofferdam question", row];
}

function signedAnswer(row: { readonly id: string; readonly digest: string; readonly answer: string }): unknown {
  return ["cofferdam answer", row];
}
