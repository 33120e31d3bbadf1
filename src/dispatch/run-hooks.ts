import type { HookCall, HookDecision, Hooks } from "../contract/hooks.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import { cancelledBeforeStart } from "../errors/messages/dispatch.ts";
import { hookMessages } from "../errors/messages/hooks.ts";
import { canonicalJson } from "../schema/canonical-json.ts";
import type { CallScope, ParentCall } from "./call-scope.ts";
import type { PreparedCall, RefusedCall, ValidatedCall } from "./call-state.ts";
import { denyCall } from "./deny-call.ts";
import { inTime } from "../resilience/in-time.ts";
import type { TimedOutcome } from "../resilience/in-time.ts";
import { validate } from "./validate.ts";

/** The hooks, and how long each may take. */
export interface HookSettings {
  readonly hooks: Hooks;
  readonly timeoutMs: number;
}

/** Step 3: lets a hook look at a validated call. It blocks when it says so, throws, or takes too long. */
export async function runBeforeHook(
  call: ValidatedCall,
  { hooks, timeoutMs }: HookSettings,
  { signal, parent }: CallScope,
): Promise<ValidatedCall | RefusedCall> {
  if (hooks.beforeCall === undefined) return call;
  const answer = await inTime(
    // Read in there as well: what a hook answers may be an object whose fields throw.
    async (time) => readDecision(await hooks.beforeCall?.(hookCallOf({ call, parent }, time.signal))),
    { timeoutMs, signal },
  );
  if (answer.how === "cancelled") {
    const error = cancelledBeforeStart(call.registered.tool.name);
    return { state: "refused", call: call.call, registered: call.registered, errorKind: "cancelled", error };
  }
  const decision = decisionOf(answer, timeoutMs);
  switch (decision.decision) {
    case "continue":
      return call;
    case "block":
      return deny(call, decision.reason);
    case "stop":
      return denyCall(call, { reason: decision.reason, decidedBy: "hook", stopsBatch: true });
    case "ask":
      return { ...call, askedBecause: decision.reason };
    case "edit": {
      const edited = validate({ ...call, state: "resolved" }, decision.input);
      return edited.state === "refused" ? deny(call, hookMessages.invalidEdit(edited.error)) : edited;
    }
  }
}

/**
 * Step 3 for what a reviewer edited. The reviewer has seen these very words, so a hook may block them and not change them.
 */
export async function runHookOnEdit(
  edited: ValidatedCall,
  settings: HookSettings,
  scope: CallScope,
): Promise<ValidatedCall | RefusedCall> {
  const looked = await runBeforeHook(edited, settings, scope);
  if (looked === edited || looked.state === "refused") return looked;
  const isSame = canonicalJson(looked.input) === canonicalJson(edited.input);
  return isSame ? edited : deny(edited, hookMessages.editedTwice);
}

/** Tells the observing hooks how a call ended, and waits for them for their time. */
export async function runAfterHooks(
  hooked: HookedCall,
  result: ToolResult,
  { hooks, timeoutMs }: HookSettings,
): Promise<void> {
  const wanted = [
    ...(result.attempts > 0 ? [hooks.afterCall?.bind(hooks)] : []),
    ...(result.success
      ? []
      : [result.errorKind === "denied" ? hooks.onDenied?.bind(hooks) : hooks.onFailure?.bind(hooks)]),
  ].filter((hook) => hook !== undefined);
  // The call is over: neither its cancellation nor what a hook throws changes the answer any more.
  for (const hook of wanted) await inTime((time) => hook(hookCallOf(hooked, time.signal), result), { timeoutMs });
}

/** A call, and the one whose tool made it. */
export interface HookedCall {
  readonly call: PreparedCall | ValidatedCall;
  readonly parent: ParentCall | undefined;
}

/** What a hook is told of a call. */
export function hookCallOf({ call, parent }: HookedCall, signal: AbortSignal): HookCall {
  return {
    callId: call.call.id,
    tool: call.call.name,
    ...(parent === undefined ? {} : { parentCallId: parent.callId }),
    ...(call.registered === undefined ? {} : { risk: call.registered.tool.risk }),
    input: call.state === "refused" ? call.call.input : call.input,
    signal,
  };
}

function decisionOf(
  answer: Exclude<TimedOutcome<HookDecision>, { readonly how: "cancelled" }>,
  timeoutMs: number,
): HookDecision {
  switch (answer.how) {
    case "expired":
      return { decision: "block", reason: hookMessages.expired(timeoutMs) };
    case "failed":
      return { decision: "block", reason: hookMessages.failed(sayError(answer.error)) };
    case "done":
      return answer.value;
  }
}

/** A hook is somebody else's code; its types promise nothing at run time, and what is no decision blocks. */
function readDecision(value: unknown): HookDecision {
  if (value === undefined) return { decision: "continue" };
  const { decision, reason, input }: Readonly<Record<string, unknown>> = Object(value);
  if (decision === "continue") return { decision };
  if (decision === "edit") return { decision, input };
  if (decision === "ask") return { decision, reason: hookMessages.asks(typeof reason === "string" ? reason : "") };
  if (decision === "block") return { decision, reason: hookMessages.blocked(typeof reason === "string" ? reason : "") };
  if (decision === "stop") return { decision, reason: hookMessages.stopped(typeof reason === "string" ? reason : "") };
  return { decision: "block", reason: hookMessages.failed(hookMessages.noDecision) };
}

/** What went wrong in a hook. */
export function sayError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function deny(call: ValidatedCall, reason: string): RefusedCall {
  return denyCall(call, { reason, decidedBy: "hook" });
}
