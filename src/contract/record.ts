import type { Risk } from "./risk.ts";
import type { ErrorKind } from "./tool-result.ts";

/** The journal's account of one dispatch. */
export interface DispatchRecord {
  readonly callId: string;
  readonly tool: string;
  /** Absent for a name that is no tool. */
  readonly risk?: Risk;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly attempts: number;
  readonly outcome: "success" | ErrorKind;
  /** What let it run or stopped it. */
  readonly verdict?: string;
  /** The layer that was kept. */
  readonly layer?: number;
  readonly backend?: string;
  readonly termination?: string;
  /** What was filled in or coerced before validation passed. */
  readonly coercions?: readonly string[];
}
