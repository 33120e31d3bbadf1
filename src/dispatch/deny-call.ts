import { callDenied } from "../errors/messages/gate.ts";
import type { PermittedCall, RefusedCall, ValidatedCall } from "./call-state.ts";

/** Why, and by whom a call is denied. */
export type Denial = NonNullable<RefusedCall["denial"]>;

/** A call that is answered with a denial instead of being run. */
export function denyCall({ call, registered }: ValidatedCall | PermittedCall, denial: Denial): RefusedCall {
  const error = callDenied(registered.tool.name, denial.reason);
  return { state: "refused", call, registered, errorKind: "denied", error, denial };
}
