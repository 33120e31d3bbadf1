import type { ErrorObject } from "ajv";
import { distance } from "fastest-levenshtein";
import { schemaMessages } from "../errors/messages/schema.ts";
import { type ErrorBranch, type ErrorNode, viableBranches } from "./error-tree.ts";
import { formatPath } from "./format-path.ts";
import { listWords, nameType, showValue } from "./show-value.ts";

/** Says what is wrong with an input: one phrase per problem, each once, in the order of the errors. */
export function describeErrors(nodes: readonly ErrorNode[]): readonly string[] {
  const phrases = nodes.filter((node) => !isRepetition(node, nodes)).flatMap(describeNode);
  return [...new Set(phrases)];
}

function describeNode(node: ErrorNode): readonly string[] {
  return node.kind === "single" ? [describeSingle(node.error)] : describeChoice(node);
}

/**
 * `if` only repeats what `then` or `else` found. And a key looks unknown as long as the schema that knows it does not
 * match, so that is said only when there is nothing else at or below its place.
 */
function isRepetition(node: ErrorNode, all: readonly ErrorNode[]): boolean {
  const { keyword, instancePath } = node.error;
  if (keyword !== "if" && keyword !== "unevaluatedProperties") return false;
  return all.some(
    ({ error }) =>
      error.keyword !== "if" &&
      error.keyword !== "unevaluatedProperties" &&
      (error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`)),
  );
}

const MAX_FORMS = 4;

function describeChoice(choice: Extract<ErrorNode, { kind: "choice" }>): readonly string[] {
  const { error, branches } = choice;
  const path = pathOf(error);
  if (Array.isArray(error.params["passingSchemas"])) return [schemaMessages.tooManyForms(path)];
  const viable = viableBranches(choice);
  if (viable.length === 0 && branches.length > 0) {
    return [schemaMessages.mustBe(path, listWords(wantedTypes(branches, error).map(nameType)), showValue(error.data))];
  }
  const [only] = viable;
  if (viable.length === 1 && only !== undefined) return describeErrors(only);
  const forms = viable.slice(0, MAX_FORMS).flatMap((branch) => describeErrors(branch).slice(0, 1));
  return [schemaMessages.noForm(path, [...new Set(forms)])];
}

/** The types that the branches of a choice ask for at the place of the choice itself. */
export function wantedTypes(branches: readonly ErrorBranch[], owner: ErrorObject): readonly string[] {
  const errors = branches.flatMap((branch) => branch.map((node) => node.error));
  const ofPlace = errors.filter((error) => error.keyword === "type" && error.instancePath === owner.instancePath);
  return [...new Set(ofPlace.flatMap(typesOf))];
}

/** The types that an error of the keyword `type` asks for. */
export function typesOf(error: ErrorObject): readonly string[] {
  const types: unknown = error.params["type"];
  return (Array.isArray(types) ? types : [types]).filter((type) => typeof type === "string");
}

/** One phrase for one error. Ajv's `params` are untyped; each case knows those of its keyword. */
function describeSingle(error: ErrorObject): string {
  const path = pathOf(error);
  const { params, data } = error;
  const comparison = COMPARISONS[error.keyword];
  if (comparison !== undefined) return schemaMessages.mustBe(path, comparison(params), showValue(data));
  const size = SIZES[error.keyword];
  if (size !== undefined) return describeSize(error, size);
  switch (error.keyword) {
    case "required":
      return schemaMessages.required(pathOf(error, params["missingProperty"]));
    case "additionalProperties":
      return describeUnknown(error, params["additionalProperty"]);
    case "unevaluatedProperties":
      return describeUnknown(error, params["unevaluatedProperty"]);
    case "dependentRequired":
    case "dependencies":
      return schemaMessages.neededBeside(pathOf(error, params["missingProperty"]), pathOf(error, params["property"]));
    case "propertyNames":
      return schemaMessages.nameNotAllowed(pathOf(error, params["propertyName"]));
    case "pattern":
      return schemaMessages.mustMatch(path, String(params["pattern"]), showValue(data));
    case "uniqueItems":
      return schemaMessages.repeatedItems(path, Number(params["first"]), Number(params["second"]));
    case "false schema":
      return schemaMessages.notAllowed(path);
    case "not":
      return schemaMessages.valueNotAllowed(path, showValue(data));
    case "contains":
      return schemaMessages.missingItem(path);
    default:
      return schemaMessages.otherwise(path, error.message ?? `does not meet "${error.keyword}"`);
  }
}

type Params = Readonly<Record<string, unknown>>;

const COMPARISONS: Readonly<Record<string, (params: Params) => string>> = {
  type: (params) => listWords([params["type"]].flat().map(String).map(nameType)),
  enum: (params) => listWords((Array.isArray(params["allowedValues"]) ? params["allowedValues"] : []).map(showValue)),
  const: (params) => showValue(params["allowedValue"]),
  minimum: (params) => `at least ${String(params["limit"])}`,
  maximum: (params) => `at most ${String(params["limit"])}`,
  exclusiveMinimum: (params) => `greater than ${String(params["limit"])}`,
  exclusiveMaximum: (params) => `less than ${String(params["limit"])}`,
  multipleOf: (params) => `a multiple of ${String(params["multipleOf"])}`,
  format: (params) => `in the format "${String(params["format"])}"`,
};

interface Size {
  readonly bound: "at least" | "at most";
  readonly unit: readonly [one: string, many: string];
}

const SIZES: Readonly<Record<string, Size>> = {
  minLength: { bound: "at least", unit: ["character", "characters"] },
  maxLength: { bound: "at most", unit: ["character", "characters"] },
  minItems: { bound: "at least", unit: ["item", "items"] },
  maxItems: { bound: "at most", unit: ["item", "items"] },
  minProperties: { bound: "at least", unit: ["property", "properties"] },
  maxProperties: { bound: "at most", unit: ["property", "properties"] },
};

function describeSize(error: ErrorObject, { bound, unit: [one, many] }: Size): string {
  const limit = Number(error.params["limit"]);
  return schemaMessages.mustHave(
    pathOf(error),
    `${bound} ${limit} ${limit === 1 ? one : many}`,
    String(sizeOf(error.data)),
  );
}

function sizeOf(data: unknown): number {
  // Characters are code points, as JSON Schema counts them.
  if (typeof data === "string") return Array.from(data).length;
  return typeof data === "object" && data !== null ? Object.keys(data).length : 0;
}

function describeUnknown(error: ErrorObject, name: unknown): string {
  return schemaMessages.unknownArgument(pathOf(error, name), suggestProperty(error, String(name).slice(0, 64)));
}

/** The nearest property that the schema knows and the input does not have yet. */
function suggestProperty(error: ErrorObject, name: string): string | undefined {
  const known = Object.keys(error.parentSchema?.["properties"] ?? {});
  const given = typeof error.data === "object" && error.data !== null ? error.data : {};
  const near = known
    .filter((candidate) => !Object.hasOwn(given, candidate))
    .map((candidate) => ({ candidate, steps: distance(candidate.toLowerCase(), name.toLowerCase()) }))
    .filter(({ candidate, steps }) => steps <= Math.ceil(Math.max(candidate.length, name.length) * 0.6))
    .sort((left, right) => left.steps - right.steps);
  return near[0]?.candidate;
}

/** The dotted path of the error's place, or of a property of it. */
function pathOf(error: ErrorObject, property?: unknown): string {
  const parts = error.instancePath.split("/").slice(1).map(decodePointerPart);
  return formatPath(typeof property === "string" ? [...parts, property] : parts);
}

/** Undoes the escaping of a part of a JSON pointer. */
export function decodePointerPart(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
