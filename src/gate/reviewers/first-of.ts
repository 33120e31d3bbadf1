import type { ApprovalRequest, ReviewDecision, Reviewer } from "../../contract/gate.ts";
import { isDecision } from "../ask-reviewer.ts";

/**
 * A reviewer that asks all of them at once; the first that decides wins, and the others' signal is aborted. One that fails or
 * escalates leaves it to the rest; when none is left it escalates if one did, and fails otherwise.
 */
export function firstOf(...reviewers: readonly Reviewer[]): Reviewer {
  return async (request) => {
    const decided = new AbortController();
    const signal = AbortSignal.any([request.signal, decided.signal]);
    const undecided: unknown[] = [];
    try {
      return await Promise.any(
        reviewers.map(async (reviewer) => await decisionOf(reviewer, { ...request, signal }, undecided)),
      );
    } catch {
      if (undecided.length === 0 || undecided.includes(ESCALATED)) return { decision: "escalate" };
      throw undecided[0];
    } finally {
      decided.abort();
    }
  };
}

/** Rejects unless the reviewer decides, noting why. */
async function decisionOf(reviewer: Reviewer, request: ApprovalRequest, undecided: unknown[]): Promise<ReviewDecision> {
  try {
    const answer: unknown = await reviewer(request);
    if (isDecision(answer) && answer.decision !== "escalate") return answer;
    throw isDecision(answer) ? ESCALATED : new TypeError("A reviewer did not answer with a decision");
  } catch (error) {
    undecided.push(error);
    throw error;
  }
}

const ESCALATED = new Error("The reviewer escalated");
