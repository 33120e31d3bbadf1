import type { ApprovalReach, Decider, ReviewDecision, Reviewer, Verdict } from "../contract/gate.ts";
import {
  APPROVED_FOR_SESSION,
  approvalExpired,
  deniedByReviewer,
  deniedTooOften,
  nobodyToAsk,
  NOBODY_DECIDED,
  notRemembered,
  reviewerFailed,
  ruleNotWritten,
  stoppedByReviewer,
} from "../errors/messages/gate.ts";
import { canonicalJson, sha256 } from "../schema/canonical-json.ts";
import type { ApprovalQueue } from "./approvals/approval-queue.ts";
import { askReviewer } from "./ask-reviewer.ts";
import type { Answer, Question } from "./ask-reviewer.ts";
import { Denials, MOST_DENIALS } from "./denials.ts";
import type { GateRequest } from "./gate-request.ts";
import { OpenQuestions } from "./open-questions.ts";
import { reachOf } from "./reach.ts";
import { SessionGrants } from "./session-grants.ts";

/** What the reviewer's side of the gate says of a call. */
export type ReviewOutcome =
  | { readonly outcome: "approved"; readonly verdict: Verdict }
  | {
      readonly outcome: "denied";
      readonly reason: string;
      readonly decidedBy: Decider;
      /** No other call of the batch may run either. */
      readonly stopsBatch?: true;
    }
  /** The reviewer wants this input instead; it is validated and comes back to the gate. */
  | { readonly outcome: "edited"; readonly input: unknown }
  | { readonly outcome: "cancelled" };

/** What reviews need. */
export interface ReviewDeskOptions {
  /** @default none: what asks is denied */
  readonly reviewer?: Reviewer;
  readonly approvalTimeoutMs: number;
  readonly clock: () => number;
  /** Where reviewers put what another process is to answer. */
  readonly approvals: Pick<ApprovalQueue, "ask">;
  /** Writes an allow rule to the user's policy; rejects when it cannot. */
  readonly addUserRule: (rule: string) => Promise<void>;
}

/** A call that the policy leaves open. */
export interface AskedCall {
  readonly request: GateRequest;
  readonly verdict: Verdict;
  /** The tool wants a person for it, so that nothing is remembered. */
  readonly isAskedEachTime: boolean;
}

/** Takes what the policy leaves open to the reviewer, and remembers what was said. */
export class ReviewDesk {
  readonly #options: ReviewDeskOptions;
  readonly #questions = new OpenQuestions();
  readonly #grants = new SessionGrants();
  readonly #denials = new Denials();

  constructor(options: ReviewDeskOptions) {
    this.#options = options;
  }

  /** What the reviewer says of a call, now or earlier. Never rejects: whatever goes wrong is a denial. */
  async review(asked: AskedCall): Promise<ReviewOutcome> {
    const { request, verdict, isAskedEachTime } = asked;
    const { reviewer, approvalTimeoutMs } = this.#options;
    const key = callKeyOf(request);
    if (!isAskedEachTime && this.#grants.covers(request, key))
      return { outcome: "approved", verdict: { ...verdict, reason: APPROVED_FOR_SESSION } };
    if (this.#denials.of(key) >= MOST_DENIALS)
      return { outcome: "denied", reason: deniedTooOften(MOST_DENIALS), decidedBy: "reviewer" };
    if (reviewer === undefined) return { outcome: "denied", reason: nobodyToAsk(verdict.reason), decidedBy: "nobody" };
    const reach = isAskedEachTime ? undefined : await reachOf(request, verdict);
    const question = this.#questionOf({ reviewer, request, reason: verdict.reason, reach });
    const answer = await this.#questions.ask(key, request.signal, async (signal) =>
      this.#remember(await askReviewer(question, signal), { request, key, reach }),
    );
    return answer.kind === "answered" ? obey(answer.decision, verdict) : withoutDecision(answer, approvalTimeoutMs);
  }

  #questionOf(asked: Omit<Question, "timeoutMs" | "enqueue">): Question {
    const { approvalTimeoutMs, approvals, clock } = this.#options;
    const expiresAtMs = clock() + approvalTimeoutMs;
    return {
      ...asked,
      timeoutMs: approvalTimeoutMs,
      enqueue: async (shown, signal) => await approvals.ask(shown, { expiresAtMs, signal }),
    };
  }

  /** Notes what an answer means for later calls. One that asks for more than was offered is no answer. */
  async #remember(answer: Answer, { request, key, reach }: Asked): Promise<Answer> {
    if (answer.kind !== "answered") return answer;
    const { decision } = answer;
    if (decision.decision === "deny" || decision.decision === "stop") this.#denials.add(key);
    if (decision.decision !== "approve") return answer;
    this.#denials.forget(key);
    const { remember } = decision;
    if (remember === undefined) return answer;
    if (reach?.[remember] === undefined) return { kind: "failed", problem: notRemembered(remember) };
    if (remember === "always" && reach.always !== undefined) {
      const problem = await this.#writeRule(reach.always.rule);
      if (problem !== undefined) return { kind: "failed", problem };
    }
    this.#grants.add(request, key);
    return answer;
  }

  async #writeRule(rule: string): Promise<string | undefined> {
    try {
      await this.#options.addUserRule(rule);
      return undefined;
    } catch (error) {
      return ruleNotWritten(error instanceof Error ? error.message : String(error));
    }
  }
}

function obey(decision: ReviewDecision, verdict: Verdict): ReviewOutcome {
  switch (decision.decision) {
    case "approve":
      return { outcome: "approved", verdict };
    case "edit":
      return { outcome: "edited", input: decision.input };
    case "deny":
      return { outcome: "denied", reason: deniedByReviewer(decision.reason), decidedBy: "reviewer" };
    case "stop":
      return { outcome: "denied", reason: stoppedByReviewer(decision.reason), decidedBy: "reviewer", stopsBatch: true };
    case "escalate":
      return { outcome: "denied", reason: NOBODY_DECIDED, decidedBy: "nobody" };
  }
}

interface Asked {
  readonly request: GateRequest;
  readonly key: string;
  readonly reach: ApprovalReach | undefined;
}

/** Names everything about a call that a reviewer decides on; the call's own id is not part of it. */
function callKeyOf({ tool, schemaFingerprint, input, backend, timeoutMs }: GateRequest): string {
  return sha256(canonicalJson({ tool: tool.name, risk: tool.risk, schemaFingerprint, input, backend, timeoutMs }));
}

function withoutDecision(answer: Exclude<Answer, { kind: "answered" }>, timeoutMs: number): ReviewOutcome {
  switch (answer.kind) {
    case "cancelled":
      return { outcome: "cancelled" };
    case "expired":
      return { outcome: "denied", reason: approvalExpired(timeoutMs), decidedBy: "expiry" };
    case "failed":
      return { outcome: "denied", reason: reviewerFailed(answer.problem), decidedBy: "reviewer" };
  }
}
