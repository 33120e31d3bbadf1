import type { ApprovalReach, Decider, ReviewDecision, Reviewer, Verdict } from "../contract/gate.ts";
import {
  APPROVED_FOR_SESSION,
  approvalExpired,
  askingIsOff,
  deniedByReviewer,
  deniedByRuleAgain,
  deniedTooOften,
  nobodyToAsk,
  NOBODY_DECIDED,
  notRemembered,
  POLICY_UNUSABLE,
  policyChangedSince,
  reviewerFailed,
  ruleNotWritten,
  stoppedByReviewer,
} from "../errors/messages/gate.ts";
import { canonicalJson, sha256 } from "../schema/canonical-json.ts";
import { askReviewer } from "./ask-reviewer.ts";
import type { ApprovalQueue } from "./approvals/approval-queue.ts";
import type { Answer, Question } from "./ask-reviewer.ts";
import { Denials, MOST_DENIALS } from "./denials.ts";
import type { BoundFacts, GateRequest } from "./gate-request.ts";
import { judge } from "./judge.ts";
import { OpenQuestions } from "./open-questions.ts";
import { Permit } from "./permit.ts";
import type { PermitSubject } from "./permit.ts";
import type { LivePolicy } from "./live-policy.ts";
import type { Policy } from "./policy.ts";
import { reachOf } from "./reach.ts";
import { SessionGrants } from "./session-grants.ts";
import { tighten } from "./tighten.ts";

/** What the gate says of a call. */
export type GateDecision =
  | {
      readonly outcome: "permitted";
      readonly permit: Permit;
      readonly verdict: Verdict;
      readonly decidedBy: Decider;
    }
  | {
      readonly outcome: "denied";
      readonly reason: string;
      readonly decidedBy: Decider;
      /** No other call of the batch may run either. */
      readonly stopsBatch?: true;
    }
  /** The reviewer wants this input instead; it is validated and comes back with `approvedByReviewer`. */
  | { readonly outcome: "edited"; readonly input: unknown }
  | { readonly outcome: "cancelled" };

/** A call that the gate has permitted. */
export type Permitted = Pick<Extract<GateDecision, { readonly outcome: "permitted" }>, "permit" | "decidedBy">;

/** What the gate needs. */
export interface GateOptions {
  readonly root: string;
  readonly policies: Pick<LivePolicy, "state" | "refresh">;
  /** @default none: what asks is denied */
  readonly reviewer?: Reviewer;
  readonly approvalTimeoutMs: number;
  readonly clock: () => number;
  /** Where reviewers put what another process is to answer. */
  readonly approvals: Pick<ApprovalQueue, "ask">;
  /** Writes an allow rule to the user's policy; rejects when it cannot. */
  readonly addUserRule: (rule: string) => Promise<void>;
}

/** Stands in front of every dispatch: policy first, reviewer second. */
export class Gate {
  readonly #options: GateOptions;
  readonly #questions = new OpenQuestions();
  readonly #grants = new SessionGrants();
  readonly #denials = new Denials();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Decides about one call. Never throws: whatever goes wrong is a denial. */
  async decide(request: GateRequest, approvedByReviewer = false): Promise<GateDecision> {
    await this.#options.policies.refresh();
    const { state } = this.#options.policies;
    if (state.status === "unusable") return { outcome: "denied", reason: POLICY_UNUSABLE, decidedBy: "policy" };
    const { policy } = state;
    const { verdict, byTool } = tighten(judge(policy, request.tool, request.input), request.authorize);
    switch (verdict.effect) {
      case "deny":
        return { outcome: "denied", reason: this.#policyDenial(verdict), decidedBy: byTool ? "tool" : "policy" };
      case "allow":
        return this.#permit(request, { verdict, policy, decidedBy: "policy" });
      case "ask":
        return approvedByReviewer
          ? this.#permit(request, { verdict, policy, decidedBy: "reviewer" })
          : await this.#ask(request, { verdict, policy, isAskedEachTime: byTool || request.tool.requiresApproval });
    }
  }

  /**
   * Uses up the permit of a call whose turn has come. A policy that changed since is asked again; says why when it no longer
   * lets the call run.
   * @throws PermitError when the permit was used, has expired, or was given for something else.
   */
  async redeem({ permit, decidedBy }: Permitted, facts: BoundFacts): Promise<string | undefined> {
    const { policies, root, clock } = this.#options;
    await policies.refresh();
    const { state } = policies;
    if (state.status === "unusable") return POLICY_UNUSABLE;
    permit.redeem(subjectOf(facts, { root, policyDigest: permit.policyDigest }), clock());
    if (state.policy.digest === permit.policyDigest) return undefined;
    const { effect, reason } = judge(state.policy, facts.tool, facts.input);
    const isStillRight = effect === "allow" || (effect === "ask" && decidedBy === "reviewer");
    return isStillRight ? undefined : policyChangedSince(reason);
  }

  #permit(request: GateRequest, { verdict, policy, decidedBy }: Grounds): GateDecision {
    const { root, clock } = this.#options;
    const permit = new Permit(subjectOf(request, { root, policyDigest: policy.digest }), clock() + PERMIT_LIFETIME_MS);
    return { outcome: "permitted", permit, verdict, decidedBy };
  }

  /** A model that runs into one rule again and again is told so. */
  #policyDenial({ reason, rule }: Verdict): string {
    if (rule === undefined) return reason;
    const denials = this.#denials.add(`rule\n${rule.source}\n${rule.text}`);
    return denials < MOST_DENIALS ? reason : deniedByRuleAgain(reason, denials);
  }

  async #ask(request: GateRequest, ask: Ask): Promise<GateDecision> {
    const { verdict, policy, isAskedEachTime } = ask;
    const { reviewer, approvalTimeoutMs, approvals, clock } = this.#options;
    if (policy.mode === "dontAsk")
      return { outcome: "denied", reason: askingIsOff(verdict.reason), decidedBy: "policy" };
    const key = callKeyOf(request);
    if (!isAskedEachTime && this.#grants.covers(request, key))
      return this.#permit(request, {
        policy,
        verdict: { ...verdict, reason: APPROVED_FOR_SESSION },
        decidedBy: "reviewer",
      });
    if (this.#denials.of(key) >= MOST_DENIALS)
      return { outcome: "denied", reason: deniedTooOften(MOST_DENIALS), decidedBy: "reviewer" };
    if (reviewer === undefined) return { outcome: "denied", reason: nobodyToAsk(verdict.reason), decidedBy: "nobody" };
    const reach = isAskedEachTime ? undefined : await reachOf(request, verdict);
    const expiresAtMs = clock() + approvalTimeoutMs;
    const question: Question = {
      reviewer,
      request,
      reason: verdict.reason,
      reach,
      timeoutMs: approvalTimeoutMs,
      enqueue: async (shown, signal) => await approvals.ask(shown, { expiresAtMs, signal }),
    };
    const answer = await this.#questions.ask(key, request.signal, async (signal) =>
      this.#remember(await askReviewer(question, signal), { request, key, reach }),
    );
    return answer.kind === "answered"
      ? this.#obey(answer.decision, request, ask)
      : withoutDecision(answer, approvalTimeoutMs);
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

  #obey(decision: ReviewDecision, request: GateRequest, { verdict, policy }: Ask): GateDecision {
    switch (decision.decision) {
      case "approve":
        return this.#permit(request, { verdict, policy, decidedBy: "reviewer" });
      case "edit":
        return { outcome: "edited", input: decision.input };
      case "deny":
        return { outcome: "denied", reason: deniedByReviewer(decision.reason), decidedBy: "reviewer" };
      case "stop":
        return {
          outcome: "denied",
          reason: stoppedByReviewer(decision.reason),
          decidedBy: "reviewer",
          stopsBatch: true,
        };
      case "escalate":
        return { outcome: "denied", reason: NOBODY_DECIDED, decidedBy: "nobody" };
    }
  }
}

/** Long enough for every call of a batch that waits for the ones before it. */
const PERMIT_LIFETIME_MS = 3_600_000;

/** What a permit is given for. */
function subjectOf(facts: BoundFacts, bound: Pick<PermitSubject, "root" | "policyDigest">): PermitSubject {
  const { callId, tool, schemaFingerprint, input, backend } = facts;
  return {
    callId,
    tool: tool.name,
    schemaFingerprint,
    input,
    ...bound,
    ...(backend === undefined ? {} : { backend }),
  };
}

/** Why a permit is given. */
interface Grounds {
  readonly verdict: Verdict;
  readonly policy: Policy;
  readonly decidedBy: Decider;
}

interface Ask extends Omit<Grounds, "decidedBy"> {
  /** The tool wants a person for it, so that nothing is remembered. */
  readonly isAskedEachTime: boolean;
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

function withoutDecision(answer: Exclude<Answer, { kind: "answered" }>, timeoutMs: number): GateDecision {
  switch (answer.kind) {
    case "cancelled":
      return { outcome: "cancelled" };
    case "expired":
      return { outcome: "denied", reason: approvalExpired(timeoutMs), decidedBy: "expiry" };
    case "failed":
      return { outcome: "denied", reason: reviewerFailed(answer.problem), decidedBy: "reviewer" };
  }
}
