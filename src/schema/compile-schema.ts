import type { Ajv, ValidateFunction } from "ajv";
import type { JsonSchema, ObjectSchema } from "../contract/json-schema.ts";
import { schemaMessages } from "../errors/messages/schema.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { type AjvPair, createAjvPair, createForeignAjv, type SchemaDraft } from "./ajv-instance.ts";
import { canonicalJson, sha256 } from "./canonical-json.ts";
import { createInputCheck, type InputCheck } from "./check-input.ts";
import { createOutputCheck, type OutputCheck } from "./check-output.ts";
import { closeObjects } from "./close-objects.ts";
import { copyJson } from "./copy-json.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { describeErrors } from "./describe-errors.ts";
import { describeJsonProblem } from "./describe-json-problem.ts";
import { buildErrorTree } from "./error-tree.ts";
import { showValue } from "./show-value.ts";

/** Checks inputs against one schema. */
export interface InputValidator {
  /** A frozen copy of the schema as its author wrote it: what the model is shown. */
  readonly schema: ObjectSchema;
  /** SHA-256 of the canonical schema, in hexadecimal. */
  readonly fingerprint: string;
  /** Checks one input. Never throws, whatever the input is. */
  check(input: unknown): InputCheck;
}

/**
 * Compiles a tool's schema. A schema that came out of a validator (its `schema`) is not compiled again.
 * @throws ToolDefinitionError naming what is wrong in the schema.
 */
export function compileSchema(schema: ObjectSchema): InputValidator {
  const known = compiledSchemas.get(schema);
  if (known !== undefined) return known;
  const copy = copySchema(schema);
  if (!isObjectSchema(copy)) throw cannotCompile(rootProblem(copy));
  const validate = compileCopy(copy);
  assertDefaultsAreValid(validate);
  return remember(copy, validate);
}

/** Checks inputs against a schema that is part of the program and never changes: compiled when it is first needed, and once. */
export function constantCheck(schema: ObjectSchema): InputValidator["check"] {
  const validator = lazily(() => compileSchema(schema));
  return (input) => validator().check(input);
}

function remember(copy: ObjectSchema, validate: ValidateFunction): InputValidator {
  const frozen = deepFreeze(copy);
  const validator: InputValidator = Object.freeze({
    schema: frozen,
    fingerprint: sha256(canonicalJson(frozen)),
    check: createInputCheck(validate),
  });
  compiledSchemas.set(frozen, validator);
  return validator;
}

/**
 * Checks that a value is a JSON Schema, of any type, and gives a frozen copy of it.
 * @throws ToolDefinitionError naming what is wrong in the schema.
 */
export function assertSchema(schema: JsonSchema): JsonSchema {
  const copy = copySchema(schema);
  compileCopy(copy);
  return deepFreeze(copy);
}

/**
 * Compiles the input schema of a tool that somebody else's server offers, as far as it can be checked here; the server
 * has the last word. What is approved is what is sent: no default is filled in. `compileSchema` knows the result.
 * @throws ToolDefinitionError naming what is wrong in the schema.
 */
export function compileForeignSchema(schema: unknown): InputValidator {
  const copy = copyForeignSchema(schema);
  if (!isObjectSchema(copy)) throw cannotCompile(rootProblem(copy));
  const validate = compileWith(foreignAjv(copy), closeIfPossible(copy));
  return remember(copy, validate);
}

/**
 * Compiles the output schema of such a tool. The check gives what is wrong with a value, and nothing when it fits.
 * @throws ToolDefinitionError naming what is wrong in the schema.
 */
export function compileForeignOutput(schema: unknown): (value: unknown) => readonly string[] {
  const copy = copyForeignSchema(schema);
  const validate = compileWith(foreignAjv(copy), copy);
  return (value) => (validate(value) ? [] : describeErrors(buildErrorTree(validate.errors ?? [])));
}

/**
 * Compiles the schema of a structured output, which `assertSchema` has accepted.
 * @throws ToolDefinitionError naming what is wrong in a schema that it has not.
 */
export function compileOutputCheck(schema: JsonSchema): OutputCheck {
  const known = typeof schema === "object" ? compiledOutputs.get(schema) : undefined;
  if (known !== undefined) return known;
  const check = createOutputCheck(compileWith(chooseAjv(schema).lenient, schema));
  if (typeof schema === "object" && Object.isFrozen(schema)) compiledOutputs.set(schema, check);
  return check;
}

/** A memo, keyed by frozen schemas only. */
const compiledOutputs = new WeakMap<object, OutputCheck>();

/** A memo, keyed by the frozen copies made here and nothing else, so that it can never be stale. */
const compiledSchemas = new WeakMap<ObjectSchema, InputValidator>();

/** Schemas are written by people; the limits only keep a generated monster from hanging the compiler. */
const SCHEMA_LIMITS = { maxCharacters: 1_048_576, maxValues: 50_000, maxDepth: 100 };

function copySchema(schema: unknown): JsonSchema {
  const copy = copyJson(schema, { limits: SCHEMA_LIMITS });
  if (!copy.ok) throw cannotCompile(describeJsonProblem(copy.problem, "the schema"));
  if (isJsonSchema(copy.value)) return copy.value;
  throw cannotCompile(schemaMessages.notASchema);
}

function compileCopy(copy: JsonSchema): ValidateFunction {
  const { strict, lenient } = chooseAjv(copy);
  // The closed form is a matter of validation; what the model sees stays as the author wrote it.
  const closed = structuredClone(copy);
  const closing = closeObjects(closed);
  if (closing === "additional") return compileWith(strict, closed);
  compileWith(strict, copy);
  return compileWith(lenient, closed);
}

function compileWith(ajv: Ajv, schema: JsonSchema): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ToolDefinitionError(schemaMessages.cannotCompile(error.message), { cause: error });
  } finally {
    // Ajv would keep every schema for ever.
    if (typeof schema === "object") ajv.removeSchema(schema);
  }
}

function chooseAjv(schema: JsonSchema): AjvPair {
  if (typeof schema === "boolean") return AJV_OF_DRAFT["2020-12"]();
  if (schema["$async"] !== undefined) throw cannotCompile(schemaMessages.asyncSchema);
  const draft = draftOf(schema);
  if (draft !== undefined) return AJV_OF_DRAFT[draft]();
  throw cannotCompile(schemaMessages.unknownDraft(showValue(schema["$schema"])));
}

function draftOf(schema: JsonSchema): SchemaDraft | undefined {
  const uri = typeof schema === "boolean" ? undefined : schema["$schema"];
  if (uri === undefined) return "2020-12";
  if (typeof uri !== "string") return undefined;
  const draft = /\/draft[-/](?<draft>2020-12|07)\/schema#?$/.exec(uri)?.groups?.["draft"];
  return draft === "2020-12" || draft === "07" ? draft : undefined;
}

function foreignAjv(schema: JsonSchema): Ajv {
  if (typeof schema === "object" && schema["$async"] !== undefined) throw cannotCompile(schemaMessages.asyncSchema);
  return FOREIGN_AJV_OF_DRAFT[draftOf(schema) ?? "2020-12"]();
}

/** Servers name drafts that have passed, and dialects of their own; the current one reads nearly all that they write. */
function copyForeignSchema(schema: unknown): JsonSchema {
  const copy = copySchema(schema);
  if (typeof copy === "boolean" || draftOf(copy) !== undefined) return copy;
  const { $schema: _dialect, ...rest } = copy;
  return rest;
}

/** A server may require what it does not describe; its objects then stay as open as it made them. */
function closeIfPossible(copy: JsonSchema): JsonSchema {
  const closed = structuredClone(copy);
  try {
    closeObjects(closed);
    return closed;
  } catch (error) {
    if (error instanceof ToolDefinitionError) return copy;
    throw error;
  }
}

/** One pair per draft, made when first needed: its own check of schemas takes longest to prepare. */
const AJV_OF_DRAFT: Readonly<Record<SchemaDraft, () => AjvPair>> = {
  "2020-12": lazily(() => createAjvPair("2020-12")),
  "07": lazily(() => createAjvPair("07")),
};

const FOREIGN_AJV_OF_DRAFT: Readonly<Record<SchemaDraft, () => Ajv>> = {
  "2020-12": lazily(() => createForeignAjv("2020-12")),
  "07": lazily(() => createForeignAjv("07")),
};

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A default that its own schema refuses would be reported to the model as the model's mistake. */
function assertDefaultsAreValid(validate: ValidateFunction): void {
  validate({});
  const ofDefaults = (validate.errors ?? []).filter((error) => error.instancePath !== "");
  const [problem] = describeErrors(buildErrorTree(ofDefaults));
  if (problem !== undefined) throw cannotCompile(schemaMessages.wrongDefault(problem));
}

function rootProblem(schema: JsonSchema): string {
  return typeof schema === "boolean" ? schemaMessages.notAnObject : schemaMessages.rootType(showValue(schema["type"]));
}

function isObjectSchema(schema: JsonSchema): schema is ObjectSchema {
  return typeof schema === "object" && schema["type"] === "object";
}

function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value));
}

function cannotCompile(problem: string): ToolDefinitionError {
  return new ToolDefinitionError(schemaMessages.cannotCompile(problem));
}
