import { randomUUID } from "node:crypto";
import type { ApprovalQuestion, ReviewDecision, Reviewer } from "../../contract/gate.ts";
import { REVIEWER_DISCONNECTED } from "../../errors/messages/gate.ts";

/** A request on its way to a reviewer elsewhere: plain data, and the name to answer it by. */
export type SentRequest = ApprovalQuestion & { readonly id: string };

/** Where requests go. */
export interface ReviewerChannel {
  /** Sends one request; throwing denies it. */
  readonly send: (request: SentRequest) => void;
  /** Says that a request is over: it was answered, expired, or was cancelled. */
  readonly withdraw?: (id: string) => void;
}

/** A reviewer at the other end of a connection. Disposing of it disconnects: whatever waits is denied, and so is what comes. */
export interface ReviewerConnection extends Disposable {
  readonly reviewer: Reviewer;
  /** Answers a request. `false` when nothing of that name waits any more: somebody was first, or it is over. */
  answer(id: string, decision: ReviewDecision): boolean;
}

/** Connects a reviewer who is reached by messages: a page, a chat, another process. */
export function connectReviewer(channel: ReviewerChannel): ReviewerConnection {
  const waiting = new Map<string, PromiseWithResolvers<ReviewDecision>>();
  let isConnected = true;
  return {
    reviewer: async ({ signal, enqueue: _enqueue, ...question }) => {
      if (!isConnected) throw new Error(REVIEWER_DISCONNECTED);
      const id = randomUUID();
      const answer = Promise.withResolvers<ReviewDecision>();
      const end = (): void => answer.reject(signal.reason);
      waiting.set(id, answer);
      signal.addEventListener("abort", end);
      try {
        channel.send({ ...question, id });
        return await answer.promise;
      } finally {
        signal.removeEventListener("abort", end);
        waiting.delete(id);
        channel.withdraw?.(id);
      }
    },
    answer: (id, decision) => {
      const answer = waiting.get(id);
      waiting.delete(id);
      answer?.resolve(decision);
      return answer !== undefined;
    },
    [Symbol.dispose]: () => {
      isConnected = false;
      for (const answer of waiting.values()) answer.reject(new Error(REVIEWER_DISCONNECTED));
    },
  };
}
