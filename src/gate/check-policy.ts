/*
 * The schema's own sentences are written for a model and its arguments. A policy is written by a person in a file, so its
 * shape and its unknown keys are named here, and the schema checks the rest.
 */
import { distance } from "fastest-levenshtein";
import type { PolicyDefinition } from "../contract/gate.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { invalidPolicy, noPolicyObject, unknownPolicyKey } from "../errors/messages/gate.ts";
import { constantCheck } from "../schema/compile-schema.ts";
import { POLICY_SCHEMA } from "./policy-schema.ts";

/**
 * Checks what a policy holds.
 * @throws ConfigurationError saying everything that is wrong, in the words of whoever writes policies.
 */
export function checkPolicy(value: unknown, source: string): PolicyDefinition {
  if (!isObject(value)) throw new ConfigurationError(invalidPolicy(source, noPolicyObject(nameOf(value))));
  const unknown = findUnknownKeys(value);
  if (unknown.length > 0) throw new ConfigurationError(invalidPolicy(source, unknown.join("; ")));
  const check = checkShape(value);
  const problems = check.valid
    ? check.coercions
    : check.problems.map((problem) => problem.replace(/^the input /, "it "));
  if (!check.valid || problems.length > 0) throw new ConfigurationError(invalidPolicy(source, problems.join("; ")));
  // The schema has just said so.
  return check.value as PolicyDefinition;
}

const checkShape = constantCheck(POLICY_SCHEMA);

function findUnknownKeys(policy: Readonly<Record<string, unknown>>): readonly string[] {
  const { sandbox, workspace } = policy;
  return [
    ...unknownIn(policy, Object.keys(POLICY_SCHEMA.properties), ""),
    ...(isObject(sandbox)
      ? unknownIn(sandbox, Object.keys(POLICY_SCHEMA.properties.sandbox.properties), "sandbox.")
      : []),
    ...(isObject(workspace)
      ? unknownIn(workspace, Object.keys(POLICY_SCHEMA.properties.workspace.properties), "workspace.")
      : []),
    ...(["allow", "ask", "deny"] as const).flatMap((effect) => unknownInRules(policy[effect], effect)),
  ];
}

function unknownInRules(rules: unknown, effect: string): readonly string[] {
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule, index) => (isObject(rule) ? unknownIn(rule, RULE_KEYS, `${effect}.${index}.`) : []));
}

const RULE_KEYS = ["rule", "justification", "match", "notMatch"];

function unknownIn(
  object: Readonly<Record<string, unknown>>,
  known: readonly string[],
  place: string,
): readonly string[] {
  return Object.keys(object)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const near = nearest(
        key,
        known.filter((candidate) => !Object.hasOwn(object, candidate)),
      );
      return unknownPolicyKey({ place, key, known, ...(near === undefined ? {} : { near }) });
    });
}

/** A key that was probably meant: at most a third of it has to change. */
function nearest(key: string, candidates: readonly string[]): string | undefined {
  const written = key.slice(0, LONGEST_COMPARED).toLowerCase();
  return candidates
    .map((candidate) => ({ candidate, steps: distance(candidate.toLowerCase(), written) }))
    .filter(({ candidate, steps }) => steps <= Math.max(1, Math.floor(Math.max(candidate.length, written.length) / 3)))
    .toSorted((left, right) => left.steps - right.steps)[0]?.candidate;
}

const LONGEST_COMPARED = 64;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
