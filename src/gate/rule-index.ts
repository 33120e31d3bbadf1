import { programName } from "./command/analysis.ts";
import type { NamedFile } from "./command/program-files.ts";
import { FILE_TOOL_NAMES } from "./match/file-tools.ts";
import type { CommandPattern } from "./match/command-pattern.ts";
import type { PathPattern } from "./match/path-pattern.ts";
import type { Matcher, Rule } from "./rule.ts";

/** A rule with what its matcher holds. */
export interface RuleWith<P> {
  readonly rule: Rule;
  readonly pattern: P;
}

const NONE: readonly never[] = [];

/** Rules by what they speak of: a policy has hundreds, and few of them are about the program at hand. */
export class RuleIndex {
  /** Rules on calls as a whole. */
  readonly onCalls: readonly Rule[];
  /** Rules on commands that deny or ask. */
  readonly restrictingCommands: readonly RuleWith<CommandPattern>[];
  /** By program, then by the first word behind it. */
  readonly #allowing: ReadonlyMap<string, ReadonlyMap<string, readonly RuleWith<CommandPattern>[]>>;
  readonly #restricting: ReadonlyMap<string, readonly RuleWith<CommandPattern>[]>;
  readonly #paths: Readonly<Record<NamedFile["access"], readonly RuleWith<PathPattern>[]>>;

  constructor(rules: readonly Rule[]) {
    this.onCalls = rules.filter(({ matcher }) => matcher?.kind !== "command");
    const commands = rules.flatMap((rule) => withPattern(rule, "command"));
    this.restrictingCommands = commands.filter(({ rule }) => rule.effect !== "allow");
    const allowing = commands.filter(({ rule }) => rule.effect === "allow");
    this.#allowing = new Map(
      Array.from(
        Map.groupBy(allowing, ({ pattern }) => pattern.program),
        ([program, rules]) => [program, Map.groupBy(rules, ({ pattern }) => firstWord(pattern.words[0] ?? ""))],
      ),
    );
    this.#restricting = Map.groupBy(this.restrictingCommands, ({ pattern }) => programName(pattern.program));
    const paths = rules.filter(({ effect }) => effect !== "allow").flatMap((rule) => withPattern(rule, "path"));
    const speaking = (access: NamedFile["access"]) =>
      paths.filter(({ rule }) => FILE_TOOL_NAMES.some((tool) => tool.risk === access && rule.selects(tool)));
    this.#paths = { read: speaking("read"), write: speaking("write") };
  }

  /** Rules that may allow a program with this word behind it. */
  allowing(program: string, word: string | undefined): readonly RuleWith<CommandPattern>[] {
    const rules = this.#allowing.get(program);
    if (rules === undefined) return NONE;
    const withWord = word === undefined ? undefined : rules.get(firstWord(word));
    const withoutWord = rules.get("");
    if (withWord === undefined || withoutWord === undefined) return withWord ?? withoutWord ?? NONE;
    return [...withWord, ...withoutWord];
  }

  /** Rules that may deny a program or ask about it. */
  restricting(program: string): readonly RuleWith<CommandPattern>[] {
    return this.#restricting.get(program) ?? NONE;
  }

  /** Rules that may deny a file or ask about it. */
  onFiles(access: NamedFile["access"]): readonly RuleWith<PathPattern>[] {
    return this.#paths[access];
  }
}

/** `test:unit` fits a rule on `test`. */
function firstWord(word: string): string {
  const colon = word.indexOf(":");
  return colon > 0 ? word.slice(0, colon) : word;
}

type PatternOf<K extends Matcher["kind"]> = Extract<Matcher, { readonly kind: K }>["pattern"];

function withPattern<K extends "command" | "path">(rule: Rule, kind: K): readonly RuleWith<PatternOf<K>>[] {
  // The kind has just been compared.
  return rule.matcher?.kind === kind ? [{ rule, pattern: rule.matcher.pattern as PatternOf<K> }] : [];
}
