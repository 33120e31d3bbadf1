import { editedInputInvalid } from "../errors/messages/gate.ts";
import { cancelledBeforeStart } from "../errors/messages/dispatch.ts";
import type { BoundFacts, GateRequest } from "../gate/gate-request.ts";
import type { Gate } from "../gate/gate.ts";
import type { CallScope } from "./call-scope.ts";
import type { PermittedCall, RefusedCall, ValidatedCall } from "./call-state.ts";
import { denyCall } from "./deny-call.ts";
import { validate } from "./validate.ts";

/** What the gate is told beside the call. */
export interface AuthorizeOptions {
  readonly gate: Gate;
  /** The backend that was asked for; it is part of what is approved. */
  readonly backend: string;
  readonly timeoutMs: number;
  readonly scope: CallScope;
  /** Lets the hooks look at what a reviewer edited. */
  readonly recheck: (edited: ValidatedCall) => Promise<ValidatedCall | RefusedCall>;
}

/**
 * Step 5: policy, then reviewer. An edit by the reviewer is validated and judged again; being the reviewer's own words
 * it is not asked about a second time, but a deny rule still stands.
 */
export async function authorize(call: ValidatedCall, options: AuthorizeOptions): Promise<PermittedCall | RefusedCall> {
  const decision = await options.gate.decide(gateRequest(call, options));
  if (decision.outcome !== "edited") return conclude(call, decision);
  const edited = validate({ ...call, state: "resolved" }, decision.input);
  if (edited.state === "refused")
    return denyCall(call, { reason: editedInputInvalid(edited.error), decidedBy: "reviewer" });
  const rechecked = await options.recheck(edited);
  if (rechecked.state === "refused") return rechecked;
  const second = await options.gate.decide(gateRequest(rechecked, options), true);
  return second.outcome === "edited"
    ? denyCall(call, { reason: editedInputInvalid("it was edited again"), decidedBy: "reviewer" })
    : conclude(rechecked, second);
}

/** The facts that a permit is bound to, read from the call as it is now. */
export function boundFacts(call: Omit<ValidatedCall, "state">, backend: string): BoundFacts {
  const { tool, validator } = call.registered;
  const facts = { callId: call.call.id, tool, schemaFingerprint: validator.fingerprint, input: call.input };
  return tool.risk === "exec" && tool.contained !== false ? { ...facts, backend } : facts;
}

function gateRequest(call: ValidatedCall, { backend, timeoutMs, scope }: AuthorizeOptions): GateRequest {
  // The tool's own methods take the input that its own schema has just accepted.
  const authorize = call.registered.tool.authorize?.bind(call.registered.tool);
  return {
    ...boundFacts(call, backend),
    describe: () => describeCall(call),
    ...(authorize === undefined ? {} : { authorize: () => authorize(call.input as never) }),
    ...(call.askedBecause === undefined ? {} : { askReason: call.askedBecause }),
    ...(scope.parent === undefined ? {} : { parentCallId: scope.parent.callId }),
    timeoutMs,
    signal: scope.signal,
  };
}

function describeCall({ registered, input }: Omit<ValidatedCall, "state">): string {
  return registered.tool.describe?.(input as never) ?? registered.tool.description;
}

type FinalDecision = Exclude<Awaited<ReturnType<Gate["decide"]>>, { outcome: "edited" }>;

function conclude(call: ValidatedCall, decision: FinalDecision): PermittedCall | RefusedCall {
  switch (decision.outcome) {
    case "permitted":
      return {
        ...call,
        state: "permitted",
        permit: decision.permit,
        verdict: decision.verdict,
        decidedBy: decision.decidedBy,
      };
    case "denied": {
      const { outcome: _outcome, ...denial } = decision;
      return denyCall(call, denial);
    }
    case "cancelled": {
      const error = cancelledBeforeStart(call.registered.tool.name);
      return { state: "refused", call: call.call, registered: call.registered, errorKind: "cancelled", error };
    }
  }
}
