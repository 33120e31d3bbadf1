import type { Risk } from "./risk.ts";

/** What may still be called while a restriction is in force; what it does not mention it leaves as it is. */
export interface Restriction {
  /** Names of tools, whatever their case. */
  readonly tools?: readonly string[];
  /** The greatest risk: `read` is less than `write`, and that less than `exec`. */
  readonly maxRisk?: Risk;
}
