import type { PolicyMode, SandboxSettings, WorkspaceLimits } from "../contract/gate.ts";
import type { AnalyseCommand } from "./command/analysis.ts";
import type { RuleIndex } from "./rule-index.ts";
import type { Rule } from "./rule.ts";

/** All policies that apply, merged into one. */
export interface Policy {
  readonly mode: PolicyMode;
  /** Every rule of every source; order has no meaning, for deny beats ask beats allow. */
  readonly rules: readonly Rule[];
  /** The same rules by what they speak of. @default made anew for each call */
  readonly index?: RuleIndex;
  /** Looks at command lines, when a rule speaks of arguments. */
  readonly analyse?: AnalyseCommand;
  /** Globs of paths that no tool and no command sees; those of all policies add up. */
  readonly hide: readonly string[];
  readonly workspace: WorkspaceLimits;
  readonly sandbox: SandboxSettings;
  /** Names this very policy; a permit given under another one is void. */
  readonly digest: string;
  /** What was written and is not applied, in sentences for the person who runs the engine. */
  readonly notices: readonly string[];
}

/** What of a policy a verdict is made of. */
export type JudgedPolicy = Pick<Policy, "mode" | "rules" | "index" | "analyse">;
