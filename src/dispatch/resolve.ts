import type { ToolCall } from "../contract/tool-call.ts";
import { MALFORMED_CALL, unknownTool } from "../errors/messages/dispatch.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { RefusedCall, ResolvedCall } from "./call-state.ts";

/** Step 1: finds the tool. An unknown name is an answer that the model can act on. */
export function resolve(call: ToolCall, registry: ToolRegistry): ResolvedCall | RefusedCall {
  const malformed = malformedCall(call);
  if (malformed !== undefined)
    return { state: "refused", call: malformed, errorKind: "validation", error: MALFORMED_CALL };
  const registered = registry.find(call.name);
  if (registered !== undefined) {
    // Asked here too, because a model may name a tool that it was never shown.
    if (registry.isAllowed(call.name)) return { state: "resolved", call, registered };
    const error = toolMessages.notAllowed(call.name);
    const denial = { reason: error, decidedBy: "policy" } as const;
    return { state: "refused", call, registered, errorKind: "denied", error, denial };
  }
  const names = registry.tools.map((tool) => tool.name);
  const error = unknownTool(call.name, registry.suggest(call.name), names);
  return { state: "refused", call, errorKind: "not-found", error };
}

/**
 * What can be said of a call that is none. Calls come from a model's reply, so the type promises nothing at run time.
 */
function malformedCall(call: unknown): ToolCall | undefined {
  const { id, name }: { readonly id?: unknown; readonly name?: unknown } = Object(call);
  if (typeof id === "string" && typeof name === "string") return undefined;
  return { id: typeof id === "string" ? id : "", name: typeof name === "string" ? name : "", input: undefined };
}
