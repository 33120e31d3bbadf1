import type { PolicyMode } from "../../contract/gate.ts";
import type { Risk } from "../../contract/risk.ts";

/** Sentences of the gate: what a policy got wrong, and why a call may or may not run. */

/** A policy file that cannot be read. */
export function unreadablePolicy(file: string, reason: string): string {
  return `Cannot read the policy "${file}": ${reason}`;
}

/** Why a policy file cannot be read, each with what would be right. */
export const policyFileProblems = {
  missing: "there is no such file; name one that exists",
  notPermitted: "permission denied; make it readable for you",
  notRegular: (kind: string) => `it is ${kind}; a policy is a regular file of JSON`,
  link: "it is a symbolic link; a policy in the root must be a regular file itself, so put a copy in its place",
  linksInCircle: "its symbolic links lead in a circle; a policy is a regular file of JSON",
  tooLarge: "it is larger than 1 MiB; a policy is a small file of JSON",
  notUtf8: "it is not UTF-8 text; a policy is a regular file of JSON",
  other: (code: string) => `the system says ${code}; a policy is a regular file of JSON`,
} as const;

/** A policy file that cannot be written. */
export function unwritablePolicy(file: string, code: string): string {
  return `Cannot write the policy "${file}": the system says ${code}; make it and its directory writable for you`;
}

/** A policy that does not parse. Nothing of its text is quoted. */
export function noJson(place: { readonly line: number; readonly column: number } | undefined): string {
  const where = place === undefined ? "" : ` at line ${place.line}, column ${place.column}`;
  return `it is not JSON${where}; a policy is one JSON object such as {"deny": ["shell"]}`;
}

/** A policy that is another JSON value. */
export function noPolicyObject(found: string): string {
  return `it is ${found}; a policy is one JSON object such as {"deny": ["shell"]}`;
}

/** A key that a policy does not have: nothing would enforce it. `near` is what was probably meant. */
export function unknownPolicyKey(key: {
  readonly place: string;
  readonly key: string;
  readonly known: readonly string[];
  readonly near?: string;
}): string {
  const shown = key.key.length > 64 ? `${key.key.slice(0, 64)}…` : key.key;
  const meant =
    key.near === undefined
      ? `the keys are ${key.known.map((each) => `"${each}"`).join(", ")}`
      : `did you mean "${key.near}"?`;
  return `"${key.place}${shown}" is not a key of a policy; ${meant}`;
}

/** A policy that is not what the schema says. */
export function invalidPolicy(source: string, problems: string): string {
  return `Cannot use the policy of ${source}: ${problems}`;
}

/** A selector that is neither `risk:…` nor a tool name or glob. */
export function invalidSelector(rule: string, source: string): string {
  return `Cannot use the rule "${rule}" of ${source}: a selector is "risk:read", "risk:write", "risk:exec", a tool name or a glob of one`;
}

/** A rule whose matcher cannot be understood. */
export function invalidMatcher(rule: {
  readonly text: string;
  readonly source: string;
  readonly line?: number;
  readonly problem: string;
}): string {
  const line = rule.line === undefined ? "" : `, line ${rule.line}`;
  return `Cannot use the rule "${rule.text}" of ${rule.source}${line}: ${rule.problem}`;
}

/** A rule that does not do what its own example says. */
export function wrongExample(example: string, isMatch: boolean): string {
  return isMatch
    ? `it does not hold for ${JSON.stringify(example)}, which is among "match"`
    : `it holds for ${JSON.stringify(example)}, which is among "notMatch"`;
}

/** What is wrong with a matcher, each with what would be right. */
export const matcherProblems = {
  empty: "it matches every call; name the tool without parentheses",
  command: 'a matcher for commands is one command of plain words, with ":*" at the end for any more of them',
  host: 'a host is written as "domain:example.com", or "domain:*.example.com" for what is below it',
  path: 'a matcher for paths is a glob as in ".gitignore" files, without "!"',
  shellAmongOthers: 'name the tools for files, or "shell" alone; a matcher cannot be a path and a command at once',
  argument: 'for this tool a matcher is "domain:…" or "argument=glob"',
} as const;

/** What the root's own file asked for and did not get. */
export function untrustedPart(file: string, part: string): string {
  return `"${part}" in ${file} is not applied: until its content is trusted, a file in the root may only tighten the policy`;
}

/** A policy file that changed while somebody looked at it. */
export function rootPolicyChanged(): string {
  return "Cannot trust the policy in the root: it is not what was shown any more; look at it again";
}

/** Policies that changed while the engine is open, and cannot be used. */
export function policyUnusable(problem: string): string {
  return `Every call is denied until the policy is put right: ${problem}`;
}

/** What the model is told of that; the problem may name the host's files. */
export const POLICY_UNUSABLE = "the policy has changed and cannot be used; the person who runs this has to correct it";

/** Another sandbox than the one that is open. */
export const SANDBOX_SETTINGS_CHANGED =
  'its "sandbox" or "workspace" settings or what it hides have changed while the engine is open; open the engine anew, or take the change back';

/** A permit that a policy no longer stands behind. */
export function policyChangedSince(reason: string): string {
  return `the policy has changed since it was permitted: ${reason}`;
}

/** A rule decided. */
export function decidedByRule(rule: {
  readonly effect: string;
  readonly text: string;
  readonly source: string;
  readonly justification?: string;
}): string {
  const because = rule.justification === undefined ? "" : `: ${rule.justification}`;
  return `the rule "${rule.effect} ${rule.text}" of ${rule.source} says so${because}`;
}

/** No rule spoke. */
export function decidedByMode(mode: PolicyMode, risk: Risk): string {
  return `the mode "${mode}" says so for ${risk} tools`;
}

/** The tool itself wants a person. */
export const TOOL_REQUIRES_APPROVAL = "the tool asks for approval each time";

/** The tool's own say about a call. */
export function decidedByTool(effect: "ask" | "deny", reason: string): string {
  return effect === "ask" ? `the tool asks for approval of this call: ${reason}` : `the tool refuses it: ${reason}`;
}

/** The tool's own check threw. */
export function ownCheckFailed(problem: string): string {
  return `the tool's own check failed: ${problem}`;
}

/** The tool's own check answered neither `"allow"` nor a restriction. */
export const OWN_CHECK_UNCLEAR = "the tool's own check does not say whether the call may run";

/** A mode that lets sandboxes decide has nothing to say of what runs outside of them. */
export const NOT_CONTAINED = 'the mode "auto" allows what a sandbox contains, and this tool works outside of every one';

/** What the model is told of a denial. */
export function callDenied(tool: string, reason: string): string {
  return `Permission denied for "${tool}": ${reason}`;
}

/** An ask that nobody can answer. */
export function nobodyToAsk(reason: string): string {
  return `it has to be approved (${reason}) and nobody is there to answer`;
}

/** `dontAsk`. */
export function askingIsOff(reason: string): string {
  return `it has to be approved (${reason}) and the mode "dontAsk" turns that into a denial`;
}

/** A reviewer said no. */
export function deniedByReviewer(reason: string | undefined): string {
  return reason === undefined || reason === "" ? "the reviewer denied it" : `the reviewer denied it: ${reason}`;
}

/** A reviewer said no, and that nothing else of the batch is to run. */
export function stoppedByReviewer(reason: string | undefined): string {
  const because = reason === undefined || reason === "" ? "" : `: ${reason}`;
  return `the reviewer stopped this and every other call of its batch${because}`;
}

/** A call of a batch that was stopped at another one. */
export function cancelledWithBatch(tool: string, by: "reviewer" | "hook"): string {
  return `Cancelled "${tool}" before it started: ${by === "hook" ? "a hook" : "the reviewer"} stopped the batch`;
}

/** Reviewers left it to each other. */
export const NOBODY_DECIDED = "every reviewer left the decision to another one";

/** The same was denied so often that nobody is asked any more. */
export function deniedTooOften(denials: number): string {
  return `the reviewer has denied this very call ${denials} times and is not asked again; do something else`;
}

/** A deny rule that keeps being run into. */
export function deniedByRuleAgain(reason: string, denials: number): string {
  return `${reason}; this is denial ${denials} by this rule, and asking again changes nothing`;
}

/** An approval that was to be remembered and cannot be. */
export function notRemembered(remember: "session" | "always"): string {
  return `"${remember}" is no answer to this request: ${remember === "always" ? "no rule would be narrow enough" : "it is asked each time"}`;
}

/** What remembering an approval allows. */
export const reachSentences = {
  sameCall: (tool: string) => `"${tool}" with exactly this input`,
  sameCommand: "a command of exactly these words, alone or as a part of a longer line",
  tool: (tool: string, isOutside: boolean) =>
    `every call of "${tool}", with any input${isOutside ? ", outside of the sandbox" : ""}`,
} as const;

/** Why a call runs that was not asked about. */
export const APPROVED_FOR_SESSION = "the reviewer approved it for the session";

/** The user's policy could not take a rule. */
export function ruleNotWritten(problem: string): string {
  return `the reviewer approved it for good, and the rule could not be written: ${problem}`;
}

/** A reviewer threw, or answered something that is no decision. */
export function reviewerFailed(problem: string): string {
  return `the reviewer failed: ${problem}`;
}

/** Whoever was to answer is gone. */
export const REVIEWER_DISCONNECTED = "it is not connected any more";

/** Nobody answered in time. */
export function approvalExpired(timeoutMs: number): string {
  return `nobody answered within ${timeoutMs / 1000} s`;
}

/** An edit that led to another ask that cannot be answered. */
export function editedInputInvalid(problem: string): string {
  return `the reviewer's edit is not valid input: ${problem}`;
}

/** A permit that does not fit. */
export function permitRefused(tool: string, reason: "used" | "expired" | "other call"): string {
  const state = {
    used: "its permit has been used already",
    expired: "its permit has expired",
    "other call": "its permit was given for another call",
  }[reason];
  return `Cannot run "${tool}": ${state}`;
}
