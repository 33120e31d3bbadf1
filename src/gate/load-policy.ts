import { basename, join } from "node:path";
import type { PolicyDefinition, PolicyMode } from "../contract/gate.ts";
import { untrustedPart } from "../errors/messages/gate.ts";
import { canonicalJson, sha256 } from "../schema/canonical-json.ts";
import { checkPolicy } from "./check-policy.ts";
import { parsePolicy } from "./parse-policy.ts";
import type { Policy } from "./policy.ts";
import { readPolicyFile } from "./read-policy-file.ts";
import { readRules } from "./read-rules.ts";
import type { ReadRules, RuleSource } from "./read-rules.ts";
import { isTrusted, ROOT_FILE_NAME } from "./trusted-root-policy.ts";

/** Where policies come from. */
export interface PolicySources {
  readonly root: string;
  /** The user's own file; it need not exist. */
  readonly userFile: string;
  /** Says which content of the root's file is trusted. @default none is */
  readonly trustFile?: string;
  /** What the engine was given: a policy, or the path of a file, which must exist. */
  readonly option?: PolicyDefinition | string;
  /** Beats the mode of the option and of the user's file. */
  readonly mode?: PolicyMode;
}

/**
 * Merges every policy that applies. Rules add up; of `mode` and `sandbox` the option beats the user's file. The file in
 * the root belongs to whoever wrote the repository, so until its content is trusted it may only tighten: its deny and ask
 * rules and what it hides count, and its mode when it is stricter; the rest is left out and said in `notices`. Trusted, it counts less than
 * the user's own file.
 * @throws ConfigurationError when a policy cannot be read or understood.
 */
export async function loadPolicy(sources: PolicySources): Promise<Policy> {
  const parts = [await readRootFile(sources), await readUserFile(sources), await readOption(sources.option)].filter(
    (part) => part !== undefined,
  );
  return merge(parts, { wantedMode: sources.mode, ...(await readRules(parts)) });
}

async function readRootFile({ root, trustFile }: PolicySources): Promise<RuleSource | undefined> {
  const source = `${ROOT_FILE_NAME} in the root`;
  const text = await readPolicyFile(join(root, ROOT_FILE_NAME), { mayBeMissing: true, followsLink: false });
  if (text === undefined) return undefined;
  const isTrustedText = trustFile !== undefined && (await isTrusted(trustFile, text));
  return { definition: parsePolicy(text, source), text, source, trust: isTrustedText ? "trusted" : "untrusted" };
}

async function readUserFile({ userFile }: PolicySources): Promise<RuleSource | undefined> {
  const source = "the user's policy";
  const text = await readPolicyFile(userFile, { mayBeMissing: true, followsLink: true });
  return text === undefined ? undefined : { definition: parsePolicy(text, source), text, source, trust: "trusted" };
}

async function readOption(option: PolicySources["option"]): Promise<RuleSource | undefined> {
  if (option === undefined) return undefined;
  if (typeof option !== "string") {
    const source = "the policy option";
    return { definition: checkPolicy(option, source), source, trust: "trusted" };
  }
  const source = `"${basename(option)}"`;
  const text = await readPolicyFile(option, { mayBeMissing: false, followsLink: true });
  return { definition: parsePolicy(text ?? "", source), text: text ?? "", source, trust: "trusted" };
}

interface MergeOptions extends ReadRules {
  readonly wantedMode: PolicyMode | undefined;
}

function merge(parts: readonly RuleSource[], { wantedMode, ...read }: MergeOptions): Policy {
  const trusted = parts.filter((part) => part.trust === "trusted");
  const chosenMode =
    wantedMode ?? trusted.findLast((part) => part.definition.mode !== undefined)?.definition.mode ?? "default";
  const mode = parts
    .flatMap(({ definition, trust }) => (trust === "untrusted" ? (definition.mode ?? []) : []))
    .reduce((strictest, wanted) => (isStricter(wanted, strictest) ? wanted : strictest), chosenMode);
  const sandbox = Object.assign({}, ...trusted.map((part) => part.definition.sandbox));
  const workspace = Object.assign({}, ...trusted.map((part) => part.definition.workspace));
  const hide = parts.flatMap((part) => part.definition.hide ?? []);
  const written = parts.map(({ definition, source, trust }) => ({ definition, source, trust }));
  // Rules that ship change with the version.
  const digest = sha256(canonicalJson([mode, written, read.rules.map(({ effect, text }) => [effect, text])]));
  return { mode, ...read, hide, workspace, sandbox, digest, notices: parts.flatMap((part) => leftOut(part, mode)) };
}

function leftOut({ definition, source, trust }: RuleSource, mode: PolicyMode): readonly string[] {
  if (trust === "trusted") return [];
  const isLeftOut = {
    mode: definition.mode !== undefined && definition.mode !== mode,
    allow: definition.allow !== undefined,
    include: definition.include !== undefined,
    workspace: definition.workspace !== undefined,
    sandbox: definition.sandbox !== undefined,
  };
  return (["mode", "allow", "include", "workspace", "sandbox"] as const)
    .filter((part) => isLeftOut[part])
    .map((part) => untrustedPart(source, part));
}

function isStricter(mode: PolicyMode, than: PolicyMode): boolean {
  return STRICTNESS[mode] > STRICTNESS[than];
}

const STRICTNESS: Readonly<Record<PolicyMode, number>> = { auto: 0, acceptEdits: 1, default: 1, dontAsk: 2, plan: 3 };
