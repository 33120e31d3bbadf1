import type { ToolCall } from "../contract/tool-call.ts";
import { authorize } from "./authorize.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { gateFactsOf } from "./gate-facts.ts";
import { resolve } from "./resolve.ts";
import { runBeforeHook, runHookOnEdit } from "./run-hooks.ts";
import type { PreparedCall } from "./stages.ts";
import { validate } from "./validate.ts";

/** Steps 1 to 5: what has to be known before a call may run. */
export async function prepare(call: ToolCall, options: DispatcherOptions, signal: AbortSignal): Promise<PreparedCall> {
  const resolved = resolve(call, options.registry);
  if (resolved.state === "refused") return resolved;
  const validated = validate(resolved, call.input);
  if (validated.state === "refused") return validated;
  const { hooks } = options;
  const hooked = hooks === undefined ? validated : await runBeforeHook(validated, hooks, signal);
  if (hooked.state === "refused") return hooked;
  return await authorize(hooked, {
    ...gateFactsOf(resolved.registered.tool, options),
    gate: options.gate,
    signal,
    recheck: async (edited) => (hooks === undefined ? edited : await runHookOnEdit(edited, hooks, signal)),
  });
}
