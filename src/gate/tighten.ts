import type { ToolVerdict, Verdict } from "../contract/gate.ts";
import { decidedByTool, OWN_CHECK_UNCLEAR, ownCheckFailed } from "../errors/messages/gate.ts";

/** A verdict, and whether the tool itself restricts the call. */
export interface TightenedVerdict {
  readonly verdict: Verdict;
  /** Also where the policy asks as well: what was approved for the policy's sake does not answer the tool. */
  readonly byTool: boolean;
}

/**
 * The stricter of what the policy says and what the tool itself says of a call. A tool cannot loosen a policy, and a check
 * that fails, or answers what is no verdict, denies: it was written to hold something back.
 */
export function tighten(verdict: Verdict, ask: (() => ToolVerdict) | undefined): TightenedVerdict {
  if (ask === undefined || verdict.effect === "deny") return { verdict, byTool: false };
  const own = ownVerdict(ask);
  const isStricter = own.effect === "deny" || (own.effect === "ask" && verdict.effect === "allow");
  return { verdict: isStricter ? own : verdict, byTool: own.effect !== "allow" };
}

function ownVerdict(ask: () => unknown): Verdict {
  let answer: unknown;
  try {
    answer = ask();
  } catch (error) {
    return { effect: "deny", reason: ownCheckFailed(error instanceof Error ? error.message : String(error)) };
  }
  if (answer === "allow") return { effect: "allow", reason: "" };
  // Nobody waits for a promise; its failure must not end the process.
  if (answer instanceof Promise) answer.catch(() => undefined);
  if (!isRestriction(answer)) return { effect: "deny", reason: OWN_CHECK_UNCLEAR };
  return { effect: answer.effect, reason: decidedByTool(answer.effect, answer.reason) };
}

/** The check is somebody else's code; its type promises nothing at run time. */
function isRestriction(value: unknown): value is Exclude<ToolVerdict, "allow"> {
  return (
    typeof value === "object" &&
    value !== null &&
    "effect" in value &&
    (value.effect === "ask" || value.effect === "deny") &&
    "reason" in value &&
    typeof value.reason === "string"
  );
}
