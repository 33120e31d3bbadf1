import { deepFreeze } from "../schema/deep-freeze.ts";
import type { RefusedCall, ResolvedCall, ValidatedCall } from "./call-state.ts";

/**
 * Step 2: checks the input and fills in defaults. The value that goes on is a frozen copy, so that nothing which still
 * holds the caller's object, and no earlier attempt, can change what was approved.
 */
export function validate({ call, registered }: ResolvedCall, input: unknown): ValidatedCall | RefusedCall {
  const check = registered.validator.check(input);
  if (!check.valid) {
    const errorKind = check.isToolAtFault === true ? "internal" : "validation";
    return { state: "refused", call, registered, errorKind, error: check.message };
  }
  return { state: "validated", call, registered, input: deepFreeze(check.value), coercions: check.coercions };
}
