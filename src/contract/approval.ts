import type { ApprovalQuestion, ReviewDecision } from "./gate.ts";

/** A question that waits for an answer, from whichever process. */
export interface PendingApproval {
  /** Ten hexadecimal digits. */
  readonly id: string;
  /** SHA-256 of everything that is asked; an answer has to name it, so that it is about what was shown. */
  readonly digest: string;
  /** `gone`: the process that asked has died. The call never ran and never will. */
  readonly state: "waiting" | "gone";
  readonly askedAt: Date;
  readonly expiresAt: Date;
  readonly question: ApprovalQuestion;
}

/** What became of an answer. Only `taken` means that the asking process acts on it. */
export type AnswerOutcome =
  | { readonly outcome: "taken" }
  /** Somebody was first, or it expired, was taken back, or its process died. */
  | { readonly outcome: "too-late"; readonly state: ConcludedState }
  | { readonly outcome: "unknown" }
  /** What was shown is not what is asked. */
  | { readonly outcome: "other-digest" };

/** How a question ended. `withdrawn`: the call was cancelled, or another reviewer answered. */
export type ConcludedState = "approved" | "denied" | "expired" | "withdrawn" | "gone";

/** The approvals that wait at a root, of every process that works on it. */
export interface ApprovalReview {
  /**
   * Those that wait for an answer and those whose process has died since, oldest first.
   * @throws StateError when one of them is not what its process wrote.
   */
  pending(): readonly PendingApproval[];
  /**
   * Answers one of them; the first answer counts.
   * @throws StateError when it is not what its process wrote.
   */
  answer(approval: Pick<PendingApproval, "id" | "digest">, decision: ReviewDecision): AnswerOutcome;
}
