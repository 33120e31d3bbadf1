import { closest, distance } from "fastest-levenshtein";
import type { EngineOptions } from "./contract/engine.ts";
import type { ObjectSchema } from "./contract/json-schema.ts";
import { ConfigurationError } from "./errors/configuration-error.ts";
import { badOptions, unknownOption, wrongOption } from "./errors/messages/engine.ts";
import { POLICY_SCHEMA } from "./gate/policy-schema.ts";
import { constantCheck } from "./schema/compile-schema.ts";

/**
 * Checks everything that `createEngine` is given, before anything is opened. A mistyped limit would be no limit, so an
 * option that nobody knows is refused like one of the wrong kind.
 * @throws ConfigurationError naming every option that is wrong.
 */
export function checkEngineOptions(options: unknown): asserts options is EngineOptions {
  if (typeof options !== "object" || options === null) throw new ConfigurationError(badOptions([]));
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const problems = given.flatMap(([name, value]) => findProblem(name, value));
  const data = Object.fromEntries(given.filter(([name]) => name in DATA_OPTIONS));
  const check = checkData(data);
  if (!check.valid) problems.push(...check.problems);
  else problems.push(...check.coercions);
  if (problems.length > 0) throw new ConfigurationError(badOptions(problems));
}

/** What is wrong with one option that is not plain data. */
function findProblem(name: string, value: unknown): readonly string[] {
  const kind = LIVE_OPTIONS[name];
  if (kind !== undefined) return kind.fits(value) ? [] : [wrongOption(name, kind.wanted)];
  return name in DATA_OPTIONS ? [] : [unknownOption(name, suggest(name))];
}

function suggest(name: string): string | undefined {
  const nearest = closest(name, [...Object.keys(DATA_OPTIONS), ...Object.keys(LIVE_OPTIONS)]);
  return distance(name, nearest) <= 3 ? nearest : undefined;
}

interface LiveKind {
  readonly wanted: string;
  readonly fits: (value: unknown) => boolean;
}

const FUNCTION: LiveKind = { wanted: "a function", fits: (value) => typeof value === "function" };
const ARRAY: LiveKind = { wanted: "an array", fits: Array.isArray };
const OBJECT: LiveKind = {
  wanted: "an object",
  fits: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** Options that hold code or are checked by those who read them. */
const LIVE_OPTIONS: Readonly<Record<string, LiveKind>> = {
  tools: ARRAY,
  backends: ARRAY,
  reviewer: FUNCTION,
  ask: FUNCTION,
  hooks: OBJECT,
  policy: {
    wanted: "a policy or the path of a policy file",
    fits: (value) => typeof value === "string" || OBJECT.fits(value),
  },
};

const milliseconds = { type: "integer", minimum: 1, maximum: 2_147_483_647 } as const;
const text = { type: "string", minLength: 1 } as const;

/** Options that are plain data. */
const DATA_OPTIONS = {
  root: text,
  stateHome: text,
  allowedTools: { type: "array", items: { type: "string" } },
  toolSearch: {
    type: "object",
    properties: {
      above: { type: "integer", minimum: 0 },
      always: { type: "array", items: { type: "string" } },
    },
  },
  mode: POLICY_SCHEMA.properties.mode,
  sandbox: POLICY_SCHEMA.properties.sandbox,
  workspace: POLICY_SCHEMA.properties.workspace,
  approvalTimeoutMs: milliseconds,
  retryDelayMs: milliseconds,
  maxOutputCharacters: { type: "integer", minimum: 2_000, maximum: 10_000_000 },
  hookTimeoutMs: milliseconds,
  breaker: {
    type: "object",
    properties: {
      failures: { type: "integer", minimum: 1, maximum: 1_000_000 },
      openMs: { type: "integer", minimum: 1, maximum: 86_400_000 },
      probes: { type: "integer", minimum: 1, maximum: 1_000 },
    },
  },
  maxRepeats: { type: "integer", minimum: 1, maximum: 2_147_483_647 },
  onThrow: { type: "string", enum: ["result", "stop"] },
} as const satisfies ObjectSchema["properties"];

const checkData = constantCheck({ type: "object", properties: DATA_OPTIONS, required: ["root"] });
