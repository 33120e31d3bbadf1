import picomatch from "picomatch";
import type { Effect, PolicyRule } from "../contract/gate.ts";
import type { Risk } from "../contract/risk.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { argumentMatcher, invalidSelector } from "../errors/messages/gate.ts";

/** A rule, ready to be asked. */
export interface Rule {
  readonly effect: Effect;
  /** The selector as it was written. */
  readonly text: string;
  /** Where it was written, for a person. */
  readonly source: string;
  readonly justification?: string;
  matches(tool: { readonly name: string; readonly risk: Risk }): boolean;
}

/**
 * Reads one rule of a policy.
 * @throws ConfigurationError when the selector cannot be understood, or selects by arguments: a rule that nothing
 * enforces is never ignored.
 */
export function parseRule(rule: PolicyRule, effect: Effect, source: string): Rule {
  const text = typeof rule === "string" ? rule : rule.rule;
  const justification = typeof rule === "string" ? undefined : rule.justification;
  return {
    effect,
    text,
    source,
    ...(justification === undefined ? {} : { justification }),
    matches: compileSelector(text, source),
  };
}

function compileSelector(text: string, source: string): Rule["matches"] {
  const risk = RISK_SELECTOR.exec(text)?.[1];
  if (risk !== undefined) return (tool) => tool.risk === risk;
  if (/[()]/.test(text)) throw new ConfigurationError(argumentMatcher(text, source));
  if (!TOOL_SELECTOR.test(text)) throw new ConfigurationError(invalidSelector(text, source));
  const matchesName = picomatch(text, { nobrace: true, noextglob: true, nonegate: true, dot: true });
  return (tool) => matchesName(tool.name);
}

const RISK_SELECTOR = /^risk:(read|write|exec)$/;

/** A tool name, or a glob of one with `*`, `?` and `[…]`. */
const TOOL_SELECTOR = /^[A-Za-z0-9_.*?[\]^-]+$/;
