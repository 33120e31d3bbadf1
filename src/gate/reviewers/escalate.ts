import type { Reviewer } from "../../contract/gate.ts";

/**
 * A reviewer that asks one after the other until one decides, that is, answers anything but `escalate`. One that throws denies:
 * a guard that broke is not passed by. When all of them escalate, so does this one.
 */
export function escalate(...reviewers: readonly Reviewer[]): Reviewer {
  return async (request) => {
    for (const reviewer of reviewers) {
      request.signal.throwIfAborted();
      const answer = await reviewer(request);
      // What is no decision at all is the gate's to refuse.
      if (answer?.decision !== "escalate") return answer;
    }
    return { decision: "escalate" };
  };
}
