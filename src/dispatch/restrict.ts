import { toolMessages } from "../errors/messages/tools.ts";
import type { Permits } from "../tools/restrictions.ts";
import type { PermittedCall, RefusedCall, ResolvedCall } from "./call-state.ts";

/** Refuses a call that a restriction leaves out. Asked when a call comes and again before it runs: either may be too late for the other. */
export function restrict<C extends ResolvedCall | PermittedCall>(call: C, permits: Permits): C | RefusedCall {
  const { tool } = call.registered;
  if (permits(tool)) return call;
  const error = toolMessages.restricted(tool.name);
  const denial = { reason: error, decidedBy: "restriction" } as const;
  return { state: "refused", call: call.call, registered: call.registered, errorKind: "denied", error, denial };
}
