import type { ToolCall } from "../contract/tool-call.ts";
import { callRepeated } from "../errors/messages/dispatch.ts";
import { nestedMessages } from "../errors/messages/nested.ts";
import { authorize } from "./authorize.ts";
import type { CallScope, ParentCall } from "./call-scope.ts";
import type { PermittedCall, PreparedCall, RefusedCall, ResolvedCall, ValidatedCall } from "./call-state.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { gateFactsOf } from "./gate-facts.ts";
import { answerKnown, ledgerCallOf } from "./guard-replay.ts";
import { readinessOf } from "./readiness.ts";
import type { RepeatGuard } from "./repeat-guard.ts";
import { resolve } from "./resolve.ts";
import { restrict } from "./restrict.ts";
import { runBeforeHook, runHookOnEdit } from "./run-hooks.ts";
import { validate } from "./validate.ts";

/** What preparing needs beside the call. */
export interface PrepareOptions extends DispatcherOptions {
  readonly repeats: RepeatGuard;
}

/** Steps 1 to 5: what has to be known before a call may run. */
export async function prepare(call: ToolCall, options: PrepareOptions, scope: CallScope): Promise<PreparedCall> {
  const validated = checkCall(call, options, scope);
  if (validated.state === "refused") return validated;
  const noted = ledgerCallOf(validated, scope.conversation);
  if (noted === undefined) return await decide(validated, options, scope);
  const finding = options.ledger.find(noted);
  if (finding.state !== "new") return answerKnown(validated, finding);
  const decided = await decide(validated, options, scope);
  return decided.state === "permitted" ? { ...decided, noted } : decided;
}

/** Steps 3 to 5. */
async function decide(
  validated: ValidatedCall,
  options: PrepareOptions,
  scope: CallScope,
): Promise<PermittedCall | RefusedCall> {
  const { hooks } = options;
  const hooked = hooks === undefined ? validated : await runBeforeHook(validated, hooks, scope);
  if (hooked.state === "refused") return hooked;
  const { tool } = hooked.registered;
  const { ready, reason = "", retryAfterMs } = readinessOf(tool, options.breakers);
  if (!ready)
    return { ...refuse(hooked, "unavailable", reason), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return await authorize(hooked, {
    ...gateFactsOf(tool, options),
    gate: options.gate,
    scope,
    recheck: async (edited) => (hooks === undefined ? edited : await runHookOnEdit(edited, hooks, scope)),
  });
}

/** Steps 1 and 2, and whether the model makes one call again and again. A call that fails them stands between two that are alike. */
function checkCall(call: ToolCall, options: PrepareOptions, { parent }: CallScope): ValidatedCall | RefusedCall {
  const { repeats, maxRepeats } = options;
  const resolved = findTool(call, options, parent);
  const validated = resolved.state === "refused" ? resolved : validate(resolved, call.input);
  // What a tool repeats is its own matter; the guard is about a model that goes round in circles.
  if (parent !== undefined) return validated;
  if (validated.state === "refused") {
    repeats.forget();
    return validated;
  }
  const { name } = validated.registered.tool;
  if (!repeats.isRepeated(name, validated.input)) return validated;
  return refuse(validated, "business", callRepeated(name, maxRepeats));
}

function findTool(call: ToolCall, options: PrepareOptions, parent: ParentCall | undefined): ResolvedCall | RefusedCall {
  const found = resolve(call, options.registry);
  if (found.state === "refused") return found;
  const restricted = restrict(found, options.restrictions.now());
  if (parent === undefined || restricted.state === "refused") return restricted;
  if (parent.depth >= MOST_DEPTH) return refuse(restricted, "business", nestedMessages.tooDeep(call.name, MOST_DEPTH));
  return restrict(restricted, parent.permits);
}

/** A call of the model is the first; without a limit, tools that call each other would do so until the memory is full. */
const MOST_DEPTH = 4;

function refuse(
  { call, registered }: ResolvedCall | ValidatedCall,
  errorKind: RefusedCall["errorKind"],
  error: string,
): RefusedCall {
  return { state: "refused", call, registered, errorKind, error };
}
