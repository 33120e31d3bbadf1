import type { Effect, PolicyDefinition } from "../contract/gate.ts";
import type { AnalyseCommand } from "./command/analysis.ts";
import { createCommandAnalyser } from "./command/analyse-command.ts";
import { checkExamples } from "./check-examples.ts";
import { locateRules } from "./locate-rules.ts";
import { RuleIndex } from "./rule-index.ts";
import { parseRule } from "./rule.ts";
import type { Rule } from "./rule.ts";
import { STOCK_POLICY } from "./stock/stock-policy.ts";

/** One policy that rules are read from. */
export interface RuleSource {
  readonly definition: PolicyDefinition;
  readonly source: string;
  /** The text of the file, for the lines of its rules. */
  readonly text?: string;
  /** Only a trusted policy may allow. */
  readonly trust: "trusted" | "untrusted";
}

/** Rules, and what they look at command lines with. */
export interface ReadRules {
  readonly rules: readonly Rule[];
  readonly index: RuleIndex;
  readonly analyse?: AnalyseCommand;
}

/**
 * Reads the rules of several policies, and those that ship where a trusted policy includes them.
 * @throws ConfigurationError when a rule cannot be understood, or is not what its own examples say.
 */
export async function readRules(sources: readonly RuleSource[]): Promise<ReadRules> {
  const all = sources.flatMap((each) => [...includedIn(each), each]);
  const analyse = all.some(({ definition }) => hasMatchers(definition)) ? await createCommandAnalyser() : undefined;
  const rules = all.flatMap((each) => rulesOf(each, analyse));
  return { rules, index: new RuleIndex(rules), ...(analyse === undefined ? {} : { analyse }) };
}

function includedIn({ definition, trust }: RuleSource): readonly RuleSource[] {
  return trust === "trusted" && definition.include?.includes("stock") === true
    ? [{ definition: STOCK_POLICY, source: "the stock policy", trust }]
    : [];
}

/** The parser of commands is large, and only rules on arguments need it. */
function hasMatchers(definition: PolicyDefinition): boolean {
  return EFFECTS.some((effect) =>
    definition[effect]?.some((rule) => (typeof rule === "string" ? rule : rule.rule).includes("(")),
  );
}

function rulesOf(
  { definition, source, text, trust }: RuleSource,
  analyse: AnalyseCommand | undefined,
): readonly Rule[] {
  const lineOf = locateRules(text);
  return EFFECTS.filter((effect) => effect !== "allow" || trust === "trusted").flatMap((effect) =>
    (definition[effect] ?? []).map((written, index) => {
      const line = lineOf(effect, index);
      const place = { effect, source, ...(line === undefined ? {} : { line }) };
      const rule = parseRule(written, analyse === undefined ? place : { ...place, analyse });
      if (typeof written !== "string") checkExamples(rule, written, analyse);
      return rule;
    }),
  );
}

const EFFECTS: readonly Effect[] = ["allow", "ask", "deny"];
