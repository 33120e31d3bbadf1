import type { Risk } from "../../contract/risk.ts";

/** What a server says of a tool, as far as it is listened to. */
export interface RiskAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
}

/**
 * The risk of a tool. Anyone can say of his own tool that it is harmless, so that is not heard; nobody has a reason to say
 * falsely that it is not.
 */
export function raiseRisk(configured: Risk, { readOnlyHint, destructiveHint }: RiskAnnotations = {}): Risk {
  if (destructiveHint === true) return "exec";
  return readOnlyHint === false && configured === "read" ? "write" : configured;
}
