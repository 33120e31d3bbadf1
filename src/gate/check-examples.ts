import { ConfigurationError } from "../errors/configuration-error.ts";
import { invalidMatcher, wrongExample } from "../errors/messages/gate.ts";
import type { AnalyseCommand } from "./command/analysis.ts";
import { judge } from "./judge.ts";
import { hostOf } from "./match/host-pattern.ts";
import type { JudgedPolicy } from "./policy.ts";
import { SHELL_TOOL } from "./rule.ts";
import type { Rule } from "./rule.ts";

/** What a rule shall and shall not hold for: command lines, paths, URLs or values, as its matcher is about; else tools. */
export interface RuleExamples {
  readonly match?: readonly string[];
  readonly notMatch?: readonly string[];
}

/**
 * Holds a rule to its own examples.
 * @throws ConfigurationError naming the first one that it does not do as it says.
 */
export function checkExamples(rule: Rule, examples: RuleExamples, analyse: AnalyseCommand | undefined): void {
  const groups = [
    { isMatch: true, texts: examples.match ?? [] },
    { isMatch: false, texts: examples.notMatch ?? [] },
  ];
  for (const { isMatch, texts } of groups) {
    const wrong = texts.find((text) => holdsFor(rule, text, analyse) !== isMatch);
    if (wrong !== undefined)
      throw new ConfigurationError(invalidMatcher({ ...rule, problem: wrongExample(wrong, isMatch) }));
  }
}

/** Whether a rule alone decides about an example. */
export function holdsFor(rule: Rule, example: string, analyse: AnalyseCommand | undefined): boolean {
  const { matcher } = rule;
  switch (matcher?.kind) {
    case undefined:
      return rule.selects({ name: example, risk: "exec" });
    case "command": {
      const mode = rule.effect === "allow" ? "default" : "auto";
      const policy: JudgedPolicy = { mode, rules: [rule], ...(analyse === undefined ? {} : { analyse }) };
      const shell = { name: SHELL_TOOL, risk: "exec", requiresApproval: false } as const;
      return judge(policy, shell, { command: example }).effect === rule.effect;
    }
    case "path":
      return matcher.pattern.couldMatch({ kind: "static", text: example }, [""]);
    case "host":
      return matcher.pattern(hostOf(example) ?? example.toLowerCase());
    case "argument":
      return matcher.pattern.test(example);
  }
}
