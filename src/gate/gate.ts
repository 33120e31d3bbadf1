import type { Decider, Verdict } from "../contract/gate.ts";
import { askingIsOff, deniedByRuleAgain, POLICY_UNUSABLE, policyChangedSince } from "../errors/messages/gate.ts";
import { Denials, MOST_DENIALS } from "./denials.ts";
import type { BoundFacts, GateRequest } from "./gate-request.ts";
import { judge } from "./judge.ts";
import type { LivePolicy } from "./live-policy.ts";
import { Permit } from "./permit.ts";
import type { PermitSubject } from "./permit.ts";
import type { Policy } from "./policy.ts";
import { ReviewDesk } from "./review-desk.ts";
import type { AskedCall, ReviewDeskOptions, ReviewOutcome } from "./review-desk.ts";
import { tighten } from "./tighten.ts";

/** What the gate says of a call. */
export type GateDecision =
  | {
      readonly outcome: "permitted";
      readonly permit: Permit;
      readonly verdict: Verdict;
      readonly decidedBy: Decider;
    }
  | Exclude<ReviewOutcome, { readonly outcome: "approved" }>;

/** A call that the gate has permitted. */
export type Permitted = Pick<Extract<GateDecision, { readonly outcome: "permitted" }>, "permit" | "decidedBy">;

/** What the gate needs. */
export interface GateOptions extends ReviewDeskOptions {
  readonly root: string;
  readonly policies: Pick<LivePolicy, "state" | "refresh">;
}

/** Stands in front of every dispatch: policy first, reviewer second. */
export class Gate {
  readonly #options: GateOptions;
  readonly #desk: ReviewDesk;
  readonly #denials = new Denials();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#desk = new ReviewDesk(options);
  }

  /** Decides about one call. Never throws: whatever goes wrong is a denial. */
  async decide(request: GateRequest, approvedByReviewer = false): Promise<GateDecision> {
    const refreshing = this.#options.policies.refresh();
    if (refreshing !== undefined) await refreshing;
    const { state } = this.#options.policies;
    if (state.status === "unusable") return { outcome: "denied", reason: POLICY_UNUSABLE, decidedBy: "policy" };
    const { policy } = state;
    const { verdict: said, byTool } = tighten(judge(policy, request.tool, request.input), request.authorize);
    const verdict = askedByHook(said, request);
    switch (verdict.effect) {
      case "deny":
        return { outcome: "denied", reason: this.#policyDenial(verdict), decidedBy: byTool ? "tool" : "policy" };
      case "allow":
        return this.#permit(request, { verdict, policy, decidedBy: "policy" });
      case "ask":
        if (approvedByReviewer) return this.#permit(request, { verdict, policy, decidedBy: "reviewer" });
        return await this.#ask({ request, verdict, isAskedEachTime: byTool || isAskedEachTime(request) }, policy);
    }
  }

  /**
   * Uses up the permit of a call whose turn has come. A policy that changed since is asked again; says why when it no longer
   * lets the call run.
   * @throws PermitError when the permit was used, has expired, or was given for something else.
   */
  async redeem({ permit, decidedBy }: Permitted, facts: BoundFacts): Promise<string | undefined> {
    const { policies, root, clock } = this.#options;
    const refreshing = policies.refresh();
    if (refreshing !== undefined) await refreshing;
    const { state } = policies;
    if (state.status === "unusable") return POLICY_UNUSABLE;
    permit.redeem(subjectOf(facts, { root, policyDigest: permit.policyDigest }), clock());
    if (state.policy.digest === permit.policyDigest) return undefined;
    const { effect, reason } = judge(state.policy, facts.tool, facts.input);
    const isStillRight = effect === "allow" || (effect === "ask" && decidedBy === "reviewer");
    return isStillRight ? undefined : policyChangedSince(reason);
  }

  async #ask(asked: AskedCall, policy: Policy): Promise<GateDecision> {
    if (policy.mode === "dontAsk")
      return { outcome: "denied", reason: askingIsOff(asked.verdict.reason), decidedBy: "policy" };
    const review = await this.#desk.review(asked);
    if (review.outcome !== "approved") return review;
    return this.#permit(asked.request, { verdict: review.verdict, policy, decidedBy: "reviewer" });
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

/** A hook turns what is allowed into a question; what is denied stays so. */
function askedByHook(verdict: Verdict, { askReason }: GateRequest): Verdict {
  return verdict.effect === "allow" && askReason !== undefined ? { effect: "ask", reason: askReason } : verdict;
}

function isAskedEachTime({ tool, askReason }: GateRequest): boolean {
  return tool.requiresApproval || askReason !== undefined;
}
