/*
 * Every part of a command line has to be allowed on its own, and the strictest verdict on a part is the verdict on the
 * whole. What decides where no rule speaks of a part is what would decide about the call: a rule on the tool, else the mode.
 */
import type { Effect, Verdict } from "../contract/gate.ts";
import {
  assignmentNeeded,
  commandTooLarge,
  decidedByRuleForPart,
  exceedsRule,
  noRuleAllows,
  opaqueNeeded,
  partAllowances,
  ruleNeeded,
} from "../errors/messages/gate-commands.ts";
import type { AnalyseCommand, CommandAnalysis, CommandPart, SimpleCommand } from "./command/analysis.ts";
import { partText } from "./command/analysis.ts";
import { accessesOf, namedFiles } from "./command/program-files.ts";
import { isHarmlessForPrograms, isHarmlessInShell } from "./command/variables.ts";
import { couldMatch, couldMatchOpaque, findMismatch, spellingsOf } from "./match/command-pattern.ts";
import type { CommandPattern } from "./match/command-pattern.ts";
import { isInWorkspace } from "./match/path-pattern.ts";
import type { PathPattern } from "./match/path-pattern.ts";
import type { RuleIndex, RuleWith } from "./rule-index.ts";
import type { Rule } from "./rule.ts";
import { STRENGTH, strictest } from "./strength.ts";

/** What was said of one part of a command line. */
export interface PartVerdict extends Verdict {
  readonly part: CommandPart;
  /** What would have it allowed, when it is not. */
  readonly needed?: string;
}

/** What decided about a part; sentences are made of it for those who read them. */
type Judgement = { readonly part: CommandPart; readonly effect: Effect } & (
  | { readonly by: "rule"; readonly rule: Rule }
  /** It is of a kind that needs no rule. */
  | { readonly by: "kind"; readonly reason: string }
  /** No rule speaks of it. */
  | { readonly by: "base"; readonly needed: string }
);

/** A command line in front of a policy. */
export interface JudgedCommand {
  readonly command: string;
  readonly index: RuleIndex;
  /** What is said of the call itself; it decides where no rule speaks of a part. */
  readonly base: Verdict;
}

/** The verdict on a command line, and how to tell what was said of its parts. */
export interface CommandVerdict {
  readonly verdict: Verdict;
  readonly describeParts: () => readonly PartVerdict[];
}

/** What the rules say of a command line. */
export function judgeCommand(
  analyse: AnalyseCommand | undefined,
  { command, index, base }: JudgedCommand,
): CommandVerdict {
  const analysis: CommandAnalysis = analyse?.(command) ?? NOT_LOOKED_AT;
  if (analysis.kind === "too-large") {
    return { verdict: { effect: "deny", reason: commandTooLarge(analysis.reason) }, describeParts: () => [] };
  }
  const judge = new PartJudge(index, { base, directories: analysis.directories });
  const judgements = analysis.parts.map((part) => judge.judge(part));
  const describeParts = () => judgements.map((judgement) => describe(judgement, base));
  const decisive = strictest(judgements);
  const isRuled = base.rule !== undefined && STRENGTH[base.effect] >= STRENGTH[decisive?.effect ?? "allow"];
  if (isRuled || decisive === undefined) return { verdict: base, describeParts };
  const { effect, reason, rule } = describe(decisive, base);
  return { verdict: { effect, reason, ...(rule === undefined ? {} : { rule }) }, describeParts };
}

function describe(judgement: Judgement, base: Verdict): PartVerdict {
  const { part, effect } = judgement;
  switch (judgement.by) {
    case "rule": {
      const { text, source, line } = judgement.rule;
      const rule = { text, source, ...(line === undefined ? {} : { line }) };
      return { effect, reason: decidedByRuleForPart(judgement.rule, shortened(part)), rule, part };
    }
    case "kind":
      return { effect, reason: judgement.reason, part };
    case "base":
      if (effect === "allow") return { ...base, part };
      return { effect, reason: noRuleAllows(shortened(part), base.reason), part, needed: judgement.needed };
  }
}

/** A policy that was put together without a way to look at commands. */
const NOT_LOOKED_AT: CommandAnalysis = {
  kind: "analysed",
  parts: [{ kind: "opaque", reason: "it was not looked at", via: [], line: 1 }],
};

interface PartContext {
  readonly base: Verdict;
  readonly directories: readonly string[] | undefined;
}

class PartJudge {
  readonly #index: RuleIndex;
  readonly #context: PartContext;

  constructor(index: RuleIndex, context: PartContext) {
    this.#index = index;
    this.#context = context;
  }

  judge(part: CommandPart): Judgement {
    const restricting = strictest(this.#restricting(part));
    if (restricting !== undefined) return byRule(restricting, part);
    switch (part.kind) {
      case "command":
        return this.#command(part);
      case "assignment":
        return (part.isExported ? isHarmlessForPrograms : isHarmlessInShell)(part.assignment)
          ? allowed(part, partAllowances.assignment)
          : this.#byBase(part, assignmentNeeded(part.assignment.name));
      case "redirection":
        return this.#opensHarmlessly(part)
          ? allowed(part, partAllowances.redirection)
          : this.#byBase(part, partAllowances.inWorkspace);
      case "opaque":
        return this.#byBase(part, opaqueNeeded(part.reason));
    }
  }

  /** The rules that deny or ask, and hold for a part or could. */
  #restricting(part: CommandPart): readonly Rule[] {
    const onCommands = this.#commandRules(part);
    const onFiles = this.#fileRules(part);
    if (onCommands.length === 0 && onFiles.length === 0) return [];
    return [...onCommands, ...onFiles].map(({ rule }) => rule);
  }

  #commandRules(part: CommandPart): readonly RuleWith<CommandPattern>[] {
    if (part.kind === "opaque")
      return this.#index.restrictingCommands.filter(({ pattern }) => couldMatchOpaque(pattern, part));
    if (part.kind !== "command") return [];
    return spellingsOf(part).flatMap((spelling) =>
      this.#index.restricting(spelling.program).filter(({ pattern }) => couldMatch(pattern, spelling)),
    );
  }

  #fileRules(part: CommandPart): readonly RuleWith<PathPattern>[] {
    if (!accessesOf(part).some((access) => this.#index.onFiles(access).length > 0)) return [];
    return namedFiles(part).flatMap(({ access, word }) =>
      this.#index.onFiles(access).filter(({ pattern }) => pattern.couldMatch(word, this.#context.directories)),
    );
  }

  #command(part: SimpleCommand): Judgement {
    const [first] = part.args;
    let needed: string | undefined;
    for (const { rule, pattern } of this.#index.allowing(
      part.program,
      first?.kind === "static" ? first.text : undefined,
    )) {
      const mismatch = findMismatch(pattern, part, this.#context.directories);
      if (mismatch === undefined) return byRule(rule, part);
      if (mismatch.kind === "exceeds") needed = exceedsRule(rule, mismatch.what);
    }
    const isPlainWrapper = part.isTransparent && !part.isShadowed && !part.program.includes("/");
    if (isPlainWrapper && part.assignments.every(isHarmlessForPrograms)) return allowed(part, partAllowances.wrapper);
    return this.#byBase(part, needed ?? ruleNeeded(part.program));
  }

  #opensHarmlessly({ access, target }: Extract<CommandPart, { kind: "redirection" }>): boolean {
    if (access === "read") return true;
    if (target.kind === "open") return false;
    if (HARMLESS_TARGET.test(target.text)) return !target.text.split("/").includes("..");
    return isInWorkspace(target.text, this.#context.directories);
  }

  #byBase(part: CommandPart, needed: string): Judgement {
    return { part, effect: this.#context.base.effect, by: "base", needed };
  }
}

/** Devices that keep nothing, and what is gone with the sandbox. */
const HARMLESS_TARGET = /^\/(?:dev\/(?:null|stdout|stderr|fd\/\d+)$|tmp\/)/;

function allowed(part: CommandPart, reason: string): Judgement {
  return { part, effect: "allow", by: "kind", reason };
}

function byRule(rule: Rule, part: CommandPart): Judgement {
  return { part, effect: rule.effect, by: "rule", rule };
}

const LONGEST_SHOWN = 200;

/** In a sentence only; whoever is asked sees the whole input. */
function shortened(part: CommandPart): string {
  const text = partText(part);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
