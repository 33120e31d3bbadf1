import type { Effect, PolicyMode, Verdict } from "../contract/gate.ts";
import type { Risk } from "../contract/risk.ts";
import { decidedByMode, decidedByRule, NOT_CONTAINED, TOOL_REQUIRES_APPROVAL } from "../errors/messages/gate.ts";
import { judgeCommand } from "./judge-command.ts";
import type { CommandVerdict } from "./judge-command.ts";
import { coversCall, touchesCall } from "./match/call-matcher.ts";
import type { JudgedPolicy } from "./policy.ts";
import { RuleIndex } from "./rule-index.ts";
import { SHELL_TOOL } from "./rule.ts";
import type { Rule } from "./rule.ts";
import { strictest } from "./strength.ts";

/** What a policy is asked about. */
export interface JudgedTool {
  readonly name: string;
  readonly risk: Risk;
  readonly requiresApproval: boolean;
  /** @default true */
  readonly contained?: boolean;
}

/**
 * What the policy says of a call. Deny beats ask beats allow wherever the rules stand; the mode decides where no rule
 * speaks, except that `plan` lets no rule widen it; a tool that requires approval is asked for although it is allowed.
 */
export function judge(policy: JudgedPolicy, tool: JudgedTool, input?: unknown): Verdict {
  return explain(policy, tool, input).verdict;
}

/** The same, and how to tell what was said of each part of a command line. */
export function explain(policy: JudgedPolicy, tool: JudgedTool, input?: unknown): CommandVerdict {
  const byMode = judgeByMode(policy.mode, tool);
  const index = policy.index ?? new RuleIndex(policy.rules);
  const base = judgeByRules(index.onCalls, tool, input) ?? byMode;
  const command = commandOf(tool, input);
  const explanation =
    command === undefined || !looksInto(policy)
      ? { verdict: base, describeParts: () => [] }
      : judgeCommand(policy.analyse, { command, index, base });
  const { verdict, describeParts } = explanation;
  if (byMode.effect === "deny" && verdict.effect !== "deny") return { verdict: byMode, describeParts };
  if (tool.requiresApproval && verdict.effect === "allow")
    return { verdict: { effect: "ask", reason: TOOL_REQUIRES_APPROVAL }, describeParts };
  return explanation;
}

/** Without a rule on arguments nothing that a command line holds makes a difference. */
function looksInto(policy: JudgedPolicy): boolean {
  return policy.analyse !== undefined || policy.rules.some(({ matcher }) => matcher !== undefined);
}

function commandOf(tool: JudgedTool, input: unknown): string | undefined {
  if (tool.name !== SHELL_TOOL || typeof input !== "object" || input === null || !("command" in input))
    return undefined;
  return typeof input.command === "string" ? input.command : undefined;
}

/** What `auto` allows is what a sandbox contains. */
function judgeByMode(mode: PolicyMode, { risk, contained = true }: JudgedTool): Verdict {
  if (mode === "auto" && risk === "exec" && !contained) return { effect: "ask", reason: NOT_CONTAINED };
  return { effect: MODE_EFFECTS[mode][risk], reason: decidedByMode(mode, risk) };
}

/** Rules on commands speak of parts, not of the call. */
function judgeByRules(rules: readonly Rule[], tool: JudgedTool, input: unknown): Verdict | undefined {
  const decisive = strictest(rules.filter((rule) => rule.selects(tool) && holds(rule, { tool: tool.name, input })));
  if (decisive === undefined) return undefined;
  const { effect, text, source, line } = decisive;
  return { effect, reason: decidedByRule(decisive), rule: { text, source, ...(line === undefined ? {} : { line }) } };
}

function holds({ matcher, effect }: Rule, call: { readonly tool: string; readonly input: unknown }): boolean {
  if (matcher === undefined) return true;
  // Rules on commands are asked about each part.
  if (matcher.kind === "command") return false;
  return effect === "allow" ? coversCall(matcher, call) : touchesCall(matcher, call);
}

const MODE_EFFECTS: Readonly<Record<PolicyMode, Readonly<Record<Risk, Effect>>>> = {
  plan: { read: "allow", write: "deny", exec: "deny" },
  default: { read: "allow", write: "allow", exec: "ask" },
  acceptEdits: { read: "allow", write: "allow", exec: "ask" },
  auto: { read: "allow", write: "allow", exec: "allow" },
  dontAsk: { read: "allow", write: "allow", exec: "ask" },
};
