import type { Decider, ReviewDecision, Reviewer, ToolVerdict, Verdict } from "../contract/gate.ts";
import {
  approvalExpired,
  askingIsOff,
  deniedByReviewer,
  nobodyToAsk,
  reviewerFailed,
} from "../errors/messages/gate.ts";
import { judge } from "./judge.ts";
import type { JudgedTool } from "./judge.ts";
import { Permit } from "./permit.ts";
import type { PermitSubject } from "./permit.ts";
import type { DeeplyFrozen } from "../schema/deep-freeze.ts";
import type { Policy } from "./policy.ts";
import { tighten } from "./tighten.ts";

/** A validated call in front of the gate. */
export interface GateRequest {
  readonly callId: string;
  readonly tool: JudgedTool;
  readonly schemaFingerprint: string;
  readonly input: DeeplyFrozen;
  /** Made only when somebody is asked. */
  readonly describe: () => string;
  /** What the tool itself says of the call. @default nothing */
  readonly authorize?: () => ToolVerdict;
  readonly backend?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What the gate says of a call. */
export type GateDecision =
  | {
      readonly outcome: "permitted";
      readonly permit: Permit;
      readonly verdict: Verdict;
      readonly decidedBy: Decider;
    }
  | { readonly outcome: "denied"; readonly reason: string; readonly decidedBy: Decider }
  /** The reviewer wants this input instead; it is validated and comes back with `approvedByReviewer`. */
  | { readonly outcome: "edited"; readonly input: unknown }
  | { readonly outcome: "cancelled" };

/** What the gate needs. */
export interface GateOptions {
  readonly root: string;
  readonly policy: Policy;
  /** @default none: what asks is denied */
  readonly reviewer?: Reviewer;
  readonly approvalTimeoutMs: number;
  readonly clock: () => number;
}

/** Stands in front of every dispatch: policy first, reviewer second. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Decides about one call. Never throws: whatever goes wrong is a denial. */
  async decide(request: GateRequest, approvedByReviewer = false): Promise<GateDecision> {
    const { verdict, byTool } = tighten(judge(this.#options.policy, request.tool), request.authorize);
    switch (verdict.effect) {
      case "deny":
        return { outcome: "denied", reason: verdict.reason, decidedBy: byTool ? "tool" : "policy" };
      case "allow":
        return this.#permit(request, verdict, "policy");
      case "ask":
        return approvedByReviewer ? this.#permit(request, verdict, "reviewer") : await this.#ask(request, verdict);
    }
  }

  /** What a permit for this call is bound to; the dispatcher redeems it with the same facts, read again. */
  subjectOf(request: Pick<GateRequest, "callId" | "tool" | "schemaFingerprint" | "input" | "backend">): PermitSubject {
    return {
      callId: request.callId,
      tool: request.tool.name,
      schemaFingerprint: request.schemaFingerprint,
      input: request.input,
      root: this.#options.root,
      policyDigest: this.#options.policy.digest,
      ...(request.backend === undefined ? {} : { backend: request.backend }),
    };
  }

  #permit(request: GateRequest, verdict: Verdict, decidedBy: Decider): GateDecision {
    const expiresAtMs = this.#options.clock() + PERMIT_LIFETIME_MS;
    return { outcome: "permitted", permit: new Permit(this.subjectOf(request), expiresAtMs), verdict, decidedBy };
  }

  async #ask(request: GateRequest, verdict: Verdict): Promise<GateDecision> {
    const { reviewer, policy, approvalTimeoutMs } = this.#options;
    if (policy.mode === "dontAsk")
      return { outcome: "denied", reason: askingIsOff(verdict.reason), decidedBy: "policy" };
    if (reviewer === undefined) return { outcome: "denied", reason: nobodyToAsk(verdict.reason), decidedBy: "nobody" };
    const answer = await askInTime({ reviewer, request, reason: verdict.reason, timeoutMs: approvalTimeoutMs });
    if (answer.kind !== "answered") return toDecision(answer, approvalTimeoutMs);
    switch (answer.decision.decision) {
      case "approve":
        return this.#permit(request, verdict, "reviewer");
      case "edit":
        return { outcome: "edited", input: answer.decision.input };
      case "deny":
        return { outcome: "denied", reason: deniedByReviewer(answer.decision.reason), decidedBy: "reviewer" };
    }
  }
}

/** Long enough for every call of a batch that waits for the ones before it. */
const PERMIT_LIFETIME_MS = 3_600_000;

type Answer =
  | { readonly kind: "answered"; readonly decision: ReviewDecision }
  | { readonly kind: "expired" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly problem: string };

interface Ask {
  readonly reviewer: Reviewer;
  readonly request: GateRequest;
  readonly reason: string;
  readonly timeoutMs: number;
}

/** Whichever comes first: an answer, the end of the time, the end of the call. */
async function askInTime({ reviewer, request, reason, timeoutMs }: Ask): Promise<Answer> {
  if (request.signal.aborted) return { kind: "cancelled" };
  const over = new AbortController();
  const interrupted = new Promise<Answer>((resolve) => {
    const timer = setTimeout(() => resolve({ kind: "expired" }), timeoutMs);
    over.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    request.signal.addEventListener("abort", () => resolve({ kind: "cancelled" }), { signal: over.signal });
  });
  try {
    return await Promise.race([askReviewer({ reviewer, request, reason, signal: over.signal }), interrupted]);
  } finally {
    over.abort();
  }
}

async function askReviewer(ask: Omit<Ask, "timeoutMs"> & { readonly signal: AbortSignal }): Promise<Answer> {
  const { reviewer, request, reason, signal } = ask;
  try {
    const decision = await reviewer({
      callId: request.callId,
      tool: request.tool.name,
      risk: request.tool.risk,
      // A copy: what a reviewer does to it must not reach what will run.
      input: structuredClone(request.input),
      description: request.describe(),
      reason,
      ...(request.backend === undefined ? {} : { backend: request.backend }),
      timeoutMs: request.timeoutMs,
      signal,
    });
    return isDecision(decision)
      ? { kind: "answered", decision }
      : { kind: "failed", problem: "it did not answer with a decision" };
  } catch (error) {
    return { kind: "failed", problem: error instanceof Error ? error.message : String(error) };
  }
}

/** A reviewer is somebody else's code; its types promise nothing at run time. */
function isDecision(value: unknown): value is ReviewDecision {
  return (
    typeof value === "object" &&
    value !== null &&
    "decision" in value &&
    (value.decision === "approve" || value.decision === "deny" || (value.decision === "edit" && "input" in value))
  );
}

function toDecision(answer: Exclude<Answer, { kind: "answered" }>, timeoutMs: number): GateDecision {
  switch (answer.kind) {
    case "cancelled":
      return { outcome: "cancelled" };
    case "expired":
      return { outcome: "denied", reason: approvalExpired(timeoutMs), decidedBy: "expiry" };
    case "failed":
      return { outcome: "denied", reason: reviewerFailed(answer.problem), decidedBy: "reviewer" };
  }
}
