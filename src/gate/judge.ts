import type { Effect, PolicyMode, Verdict } from "../contract/gate.ts";
import type { Risk } from "../contract/risk.ts";
import { decidedByMode, decidedByRule, NOT_CONTAINED, TOOL_REQUIRES_APPROVAL } from "../errors/messages/gate.ts";
import type { Policy } from "./policy.ts";
import type { Rule } from "./rule.ts";

/** What a policy is asked about. */
export interface JudgedTool {
  readonly name: string;
  readonly risk: Risk;
  readonly requiresApproval: boolean;
  /** @default true */
  readonly contained?: boolean;
}

/**
 * What the policy says of a tool. Deny beats ask beats allow wherever the rules stand; the mode decides where no rule
 * speaks, except that `plan` lets no rule widen it; a tool that requires approval is asked for although it is allowed.
 */
export function judge(policy: Policy, tool: JudgedTool): Verdict {
  const byMode = judgeByMode(policy.mode, tool);
  const verdict = strictestRule(policy.rules, tool) ?? byMode;
  if (byMode.effect === "deny" && verdict.effect !== "deny") return byMode;
  if (tool.requiresApproval && verdict.effect === "allow") return { effect: "ask", reason: TOOL_REQUIRES_APPROVAL };
  return verdict;
}

/** What `auto` allows is what a sandbox contains. */
function judgeByMode(mode: PolicyMode, { risk, contained = true }: JudgedTool): Verdict {
  if (mode === "auto" && risk === "exec" && !contained) return { effect: "ask", reason: NOT_CONTAINED };
  return { effect: MODE_EFFECTS[mode][risk], reason: decidedByMode(mode, risk) };
}

function strictestRule(rules: readonly Rule[], tool: JudgedTool): Verdict | undefined {
  let strictest: Rule | undefined;
  for (const rule of rules) {
    if (strictest !== undefined && STRENGTH[rule.effect] <= STRENGTH[strictest.effect]) continue;
    if (rule.matches(tool)) strictest = rule;
  }
  if (strictest === undefined) return undefined;
  const { effect, text, source } = strictest;
  return { effect, reason: decidedByRule(strictest), rule: { text, source } };
}

const STRENGTH: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

const MODE_EFFECTS: Readonly<Record<PolicyMode, Readonly<Record<Risk, Effect>>>> = {
  plan: { read: "allow", write: "deny", exec: "deny" },
  default: { read: "allow", write: "allow", exec: "ask" },
  acceptEdits: { read: "allow", write: "allow", exec: "ask" },
  auto: { read: "allow", write: "allow", exec: "allow" },
  dontAsk: { read: "allow", write: "allow", exec: "ask" },
};
