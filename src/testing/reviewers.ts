import type { ApprovalRequest, ReviewDecision, Reviewer } from "../contract/gate.ts";

/** Approves whatever is asked. */
export const approveAll: Reviewer = () => ({ decision: "approve" });

/** Denies whatever is asked. */
export const denyAll: Reviewer = () => ({ decision: "deny" });

/** A reviewer that answers from a list, and remembers what it was asked. */
export interface ScriptedReviewer extends Reviewer {
  /** Everything that was asked, in order. */
  readonly requests: readonly ApprovalRequest[];
}

/** Gives the answers in their order; when none is left it throws, which denies. */
export function scriptedReviewer(answers: readonly ReviewDecision[]): ScriptedReviewer {
  const requests: ApprovalRequest[] = [];
  const review: Reviewer = (request) => {
    const answer = answers[requests.push(request) - 1];
    if (answer === undefined) throw new RangeError(`No answer is left for request ${requests.length}`);
    return answer;
  };
  return Object.assign(review, { requests });
}
