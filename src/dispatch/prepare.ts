import type { ToolCall } from "../contract/tool-call.ts";
import { callRepeated } from "../errors/messages/dispatch.ts";
import { authorize } from "./authorize.ts";
import type { CallScope } from "./call-scope.ts";
import type { PermittedCall, PreparedCall, RefusedCall, ValidatedCall } from "./call-state.ts";
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
  const validated = checkCall(call, options);
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
  { signal }: CallScope,
): Promise<PermittedCall | RefusedCall> {
  const { hooks } = options;
  const hooked = hooks === undefined ? validated : await runBeforeHook(validated, hooks, signal);
  if (hooked.state === "refused") return hooked;
  const { tool } = hooked.registered;
  const { ready, reason = "", retryAfterMs } = readinessOf(tool, options.breakers);
  if (!ready)
    return { ...refuse(hooked, "unavailable", reason), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return await authorize(hooked, {
    ...gateFactsOf(tool, options),
    gate: options.gate,
    signal,
    recheck: async (edited) => (hooks === undefined ? edited : await runHookOnEdit(edited, hooks, signal)),
  });
}

/** Steps 1 and 2, and whether the model makes one call again and again. A call that fails them stands between two that are alike. */
function checkCall(call: ToolCall, options: PrepareOptions): ValidatedCall | RefusedCall {
  const { registry, restrictions, repeats, maxRepeats } = options;
  const found = resolve(call, registry);
  const resolved = found.state === "refused" ? found : restrict(found, restrictions.now());
  const validated = resolved.state === "refused" ? resolved : validate(resolved, call.input);
  if (validated.state === "refused") {
    repeats.forget();
    return validated;
  }
  const { name } = validated.registered.tool;
  if (!repeats.isRepeated(name, validated.input)) return validated;
  return refuse(validated, "business", callRepeated(name, maxRepeats));
}

function refuse({ call, registered }: ValidatedCall, errorKind: RefusedCall["errorKind"], error: string): RefusedCall {
  return { state: "refused", call, registered, errorKind, error };
}
