import { basename, join } from "node:path";
import type { Effect, PolicyDefinition, PolicyMode } from "../contract/gate.ts";
import { untrustedPart } from "../errors/messages/gate.ts";
import { canonicalJson, sha256 } from "../schema/canonical-json.ts";
import type { AnalyseCommand } from "./command/analysis.ts";
import { createCommandAnalyser } from "./command/analyse-command.ts";
import { checkPolicy } from "./check-policy.ts";
import { parsePolicy } from "./parse-policy.ts";
import type { Policy } from "./policy.ts";
import { readPolicyFile } from "./read-policy-file.ts";
import { parseRule } from "./rule.ts";

/** Where policies come from. */
export interface PolicySources {
  readonly root: string;
  /** The user's own file; it need not exist. */
  readonly userFile: string;
  /** What the engine was given: a policy, or the path of a file, which must exist. */
  readonly option?: PolicyDefinition | string;
  /** Beats the mode of the option and of the user's file. */
  readonly mode?: PolicyMode;
}

/**
 * Merges every policy that applies. Rules add up; of `mode` and `sandbox` the option beats the user's file. The file in
 * the root belongs to whoever wrote the repository, so it may only tighten: its deny and ask rules count, and its mode
 * when it is stricter; the rest is left out and said in `notices`.
 * @throws ConfigurationError when a policy cannot be read or understood.
 */
export async function loadPolicy(sources: PolicySources): Promise<Policy> {
  const rootFile = join(sources.root, ROOT_FILE_NAME);
  const parts = [
    await readOptional(rootFile, `${ROOT_FILE_NAME} in the root`, "untrusted"),
    await readOptional(sources.userFile, "the user's policy", "trusted"),
    await readOption(sources.option),
  ].filter((part) => part !== undefined);
  return merge(parts, { wantedMode: sources.mode, analyse: await loadAnalyser(parts) });
}

/** The parser is large, and only rules on arguments need it. */
async function loadAnalyser(parts: readonly PolicyPart[]): Promise<AnalyseCommand | undefined> {
  const rules = parts.flatMap(({ definition }) => EFFECTS.flatMap((effect) => definition[effect] ?? []));
  const isNeeded = rules.some((rule) => (typeof rule === "string" ? rule : rule.rule).includes("("));
  return isNeeded ? await createCommandAnalyser() : undefined;
}

const ROOT_FILE_NAME = "cofferdam.json";

interface PolicyPart {
  readonly definition: PolicyDefinition;
  readonly source: string;
  readonly trust: "trusted" | "untrusted";
}

async function readOptional(file: string, source: string, trust: PolicyPart["trust"]): Promise<PolicyPart | undefined> {
  const text = await readPolicyFile(file, { mayBeMissing: true, followsLink: trust === "trusted" });
  return text === undefined ? undefined : { definition: parsePolicy(text, source), source, trust };
}

async function readOption(option: PolicySources["option"]): Promise<PolicyPart | undefined> {
  if (option === undefined) return undefined;
  if (typeof option !== "string") {
    const source = "the policy option";
    return { definition: checkPolicy(option, source), source, trust: "trusted" };
  }
  const source = `"${basename(option)}"`;
  const text = await readPolicyFile(option, { mayBeMissing: false, followsLink: true });
  return { definition: parsePolicy(text ?? "", source), source, trust: "trusted" };
}

interface MergeOptions {
  readonly wantedMode: PolicyMode | undefined;
  readonly analyse: AnalyseCommand | undefined;
}

function merge(parts: readonly PolicyPart[], { wantedMode, analyse }: MergeOptions): Policy {
  const trusted = parts.filter((part) => part.trust === "trusted");
  const chosenMode =
    wantedMode ?? trusted.findLast((part) => part.definition.mode !== undefined)?.definition.mode ?? "default";
  const mode = parts
    .flatMap(({ definition, trust }) => (trust === "untrusted" ? (definition.mode ?? []) : []))
    .reduce((strictest, wanted) => (isStricter(wanted, strictest) ? wanted : strictest), chosenMode);
  const looking = analyse === undefined ? {} : { analyse };
  const rules = parts.flatMap((part) =>
    EFFECTS.filter((effect) => effect !== "allow" || part.trust === "trusted").flatMap((effect) =>
      (part.definition[effect] ?? []).map((rule) => parseRule(rule, { effect, source: part.source, ...looking })),
    ),
  );
  const sandbox = Object.assign({}, ...trusted.map((part) => part.definition.sandbox));
  const digest = sha256(canonicalJson([mode, ...parts]));
  return { mode, rules, ...looking, sandbox, digest, notices: parts.flatMap((part) => leftOut(part, mode)) };
}

const EFFECTS: readonly Effect[] = ["allow", "ask", "deny"];

function leftOut({ definition, source, trust }: PolicyPart, mode: PolicyMode): readonly string[] {
  if (trust === "trusted") return [];
  const isLeftOut = {
    mode: definition.mode !== undefined && definition.mode !== mode,
    allow: definition.allow !== undefined,
    sandbox: definition.sandbox !== undefined,
  };
  return (["mode", "allow", "sandbox"] as const)
    .filter((part) => isLeftOut[part])
    .map((part) => untrustedPart(source, part));
}

function isStricter(mode: PolicyMode, than: PolicyMode): boolean {
  return STRICTNESS[mode] > STRICTNESS[than];
}

const STRICTNESS: Readonly<Record<PolicyMode, number>> = { auto: 0, acceptEdits: 1, default: 1, dontAsk: 2, plan: 3 };
