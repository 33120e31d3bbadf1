/*
 * A reviewer is somebody else's code, and often a person or another process behind a connection. Whatever it does but answer
 * in time with a decision (it throws, hangs, answers something else, its connection ends) is a denial.
 */
import type { ApprovalQuestion, ApprovalReach, ReviewDecision, Reviewer } from "../contract/gate.ts";
import type { GateRequest } from "./gate-request.ts";

/** How a question to a reviewer ended. */
export type Answer =
  | { readonly kind: "answered"; readonly decision: ReviewDecision }
  | { readonly kind: "expired" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly problem: string };

/** One question. */
export interface Question {
  readonly reviewer: Reviewer;
  readonly request: GateRequest;
  /** Why it is asked. */
  readonly reason: string;
  readonly reach: ApprovalReach | undefined;
  readonly timeoutMs: number;
  /** Puts it in the queue that other processes answer. */
  readonly enqueue: (question: ApprovalQuestion, signal: AbortSignal) => Promise<ReviewDecision>;
}

/** Asks, and takes whichever comes first: an answer, the end of the time, the end of `signal`. Never rejects. */
export async function askReviewer(question: Question, signal: AbortSignal): Promise<Answer> {
  if (signal.aborted) return { kind: "cancelled" };
  const over = new AbortController();
  const interrupted = new Promise<Answer>((resolve) => {
    const timer = setTimeout(() => resolve({ kind: "expired" }), question.timeoutMs);
    over.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    signal.addEventListener("abort", () => resolve({ kind: "cancelled" }), { signal: over.signal });
  });
  try {
    return await Promise.race([review(question, over.signal), interrupted]);
  } finally {
    over.abort();
  }
}

async function review({ reviewer, request, reason, reach, enqueue }: Question, signal: AbortSignal): Promise<Answer> {
  try {
    const question: ApprovalQuestion = {
      callId: request.callId,
      tool: request.tool.name,
      ...(request.parentCallId === undefined ? {} : { parentCallId: request.parentCallId }),
      risk: request.tool.risk,
      // A copy: what a reviewer does to it must not reach what will run.
      input: structuredClone(request.input),
      description: request.describe(),
      reason,
      ...(request.backend === undefined ? {} : { backend: request.backend }),
      timeoutMs: request.timeoutMs,
      ...(reach === undefined ? {} : { reach }),
    };
    const decision = await reviewer({
      ...question,
      signal,
      enqueue: async () => await enqueue({ ...question, input: request.input }, signal),
    });
    return isDecision(decision)
      ? { kind: "answered", decision }
      : { kind: "failed", problem: "it did not answer with a decision" };
  } catch (error) {
    return { kind: "failed", problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether a value is a reviewer's answer; its types promise nothing at run time. */
export function isDecision(value: unknown): value is ReviewDecision {
  if (typeof value !== "object" || value === null || !("decision" in value)) return false;
  switch (value.decision) {
    case "approve":
      return !("remember" in value) || REMEMBERED.has(value.remember);
    case "edit":
      return "input" in value;
    case "deny":
    case "stop":
      return !("reason" in value) || value.reason === undefined || typeof value.reason === "string";
    default:
      return value.decision === "escalate";
  }
}

const REMEMBERED: ReadonlySet<unknown> = new Set([undefined, "session", "always"]);
