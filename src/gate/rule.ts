import picomatch from "picomatch";
import type { Effect, PolicyRule } from "../contract/gate.ts";
import type { Risk } from "../contract/risk.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { invalidMatcher, invalidSelector, matcherProblems } from "../errors/messages/gate.ts";
import type { AnalyseCommand } from "./command/analysis.ts";
import type { CallMatcher } from "./match/call-matcher.ts";
import { parseCommandPattern } from "./match/command-pattern.ts";
import type { CommandPattern } from "./match/command-pattern.ts";
import { FILE_TOOL_NAMES } from "./match/file-tools.ts";
import { parseHostPattern } from "./match/host-pattern.ts";
import { parsePathPattern } from "./match/path-pattern.ts";

/** A tool as selectors see it. */
export interface SelectedTool {
  readonly name: string;
  readonly risk: Risk;
}

/** What a rule says of the arguments of a call. */
export type Matcher = CallMatcher | { readonly kind: "command"; readonly pattern: CommandPattern };

/** Where a rule was written. */
export interface RulePlace {
  /** For a person. */
  readonly source: string;
  /** Line of a file, from 1. */
  readonly line?: number;
}

/** A rule, ready to be asked. */
export interface Rule extends RulePlace {
  readonly effect: Effect;
  /** The selector as it was written. */
  readonly text: string;
  readonly justification?: string;
  /** Whether the rule speaks of a tool at all. */
  readonly selects: (tool: SelectedTool) => boolean;
  /** What the arguments have to be; nothing when it speaks of every call. */
  readonly matcher?: Matcher;
}

/** What rules are read with. */
export interface RuleContext extends RulePlace {
  readonly effect: Effect;
  /** Needed for rules on commands. */
  readonly analyse?: AnalyseCommand;
}

/** The tool whose argument is a command line. */
export const SHELL_TOOL = "shell";

/**
 * Reads one rule of a policy.
 * @throws ConfigurationError when the selector or its matcher cannot be understood: a rule that nothing enforces is never
 * ignored.
 */
export function parseRule(rule: PolicyRule, context: RuleContext): Rule {
  const text = typeof rule === "string" ? rule : rule.rule;
  const justification = typeof rule === "string" ? undefined : rule.justification;
  const { effect, source, line } = context;
  const parts = /^(?<selector>[^()]*)\((?<matcher>.*)\)$/s.exec(text)?.groups;
  const selects = compileSelector(parts?.["selector"] ?? text, { text, source });
  return {
    effect,
    text,
    source,
    ...(line === undefined ? {} : { line }),
    ...(justification === undefined ? {} : { justification }),
    selects,
    ...(parts?.["matcher"] === undefined
      ? {}
      : { matcher: parseMatcher(parts["matcher"], { ...context, text, selects }) }),
  };
}

function compileSelector(
  selector: string,
  { text, source }: { readonly text: string; readonly source: string },
): Rule["selects"] {
  const risk = RISK_SELECTOR.exec(selector)?.[1];
  if (risk !== undefined) return (tool) => tool.risk === risk;
  if (!TOOL_SELECTOR.test(selector)) throw new ConfigurationError(invalidSelector(text, source));
  if (PLAIN_NAME.test(selector)) return (tool) => tool.name === selector;
  const matchesName = picomatch(selector, { nobrace: true, noextglob: true, nonegate: true, dot: true });
  return (tool) => matchesName(tool.name);
}

const RISK_SELECTOR = /^risk:(read|write|exec)$/;

/** A tool name, or a glob of one with `*`, `?` and `[…]`. */
const TOOL_SELECTOR = /^[A-Za-z0-9_.*?[\]^-]+$/;

const PLAIN_NAME = /^[\w.-]+$/;

interface MatcherContext extends RuleContext {
  readonly text: string;
  readonly selects: Rule["selects"];
}

function parseMatcher(matcher: string, context: MatcherContext): Matcher {
  const parsed = readMatcher(matcher.trim(), context);
  if (typeof parsed === "string") throw new ConfigurationError(invalidMatcher({ ...context, problem: parsed }));
  return parsed;
}

/** A matcher, or what is wrong with it. What it is about follows from the tools that the selector names. */
function readMatcher(matcher: string, { selects, effect, analyse, text }: MatcherContext): Matcher | string {
  if (matcher === "" || matcher === "*") return matcherProblems.empty;
  if (text.startsWith(`${SHELL_TOOL}(`)) {
    const pattern = analyse === undefined ? undefined : parseCommandPattern(matcher, analyse);
    return pattern === undefined ? matcherProblems.command : { kind: "command", pattern };
  }
  if (matcher.startsWith("domain:")) {
    const pattern = parseHostPattern(matcher.slice("domain:".length));
    return pattern === undefined ? matcherProblems.host : { kind: "host", pattern };
  }
  if (FILE_TOOL_NAMES.some(selects)) {
    if (selects({ name: SHELL_TOOL, risk: "exec" })) return matcherProblems.shellAmongOthers;
    const pattern = parsePathPattern(matcher, { ignoresCase: effect !== "allow" });
    return pattern === undefined ? matcherProblems.path : { kind: "path", pattern };
  }
  const argument = /^(?<name>[\w-]+(?:\.[\w-]+)*)=(?<glob>.*)$/s.exec(matcher)?.groups;
  if (argument === undefined) return matcherProblems.argument;
  return { kind: "argument", name: argument["name"] ?? "", pattern: textGlob(argument["glob"] ?? "") };
}

/** `*` for anything and `?` for one character. */
function textGlob(glob: string): RegExp {
  const source = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "su");
}
