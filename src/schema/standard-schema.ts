/**
 * A Standard Schema is used twice. Its JSON Schema is what the model sees and what Ajv checks, with the same messages and
 * coercions as for every other tool. Its own `validate` runs after that, so that refinements count before anybody is asked
 * to approve, and once more when the tool starts, so that the tool gets what the transforms make of the input. What is
 * approved and bound by the permit is therefore always the plain JSON that the model sent, never a value that only
 * the tool's library understands.
 *
 * `validate` may be asynchronous by the standard. Inputs are checked synchronously here, so such a schema is refused.
 */
import type { StandardIssue, StandardResult, StandardSchema } from "../contract/standard-schema.ts";
import { schemaMessages } from "../errors/messages/schema.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { formatPath } from "./format-path.ts";

/** What a Standard Schema makes of a value. */
export type StandardParse =
  { readonly valid: true; readonly value: unknown } | { readonly valid: false; readonly problems: readonly string[] };

/** Tells a Standard Schema from a JSON Schema. Some libraries make functions of them. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  return ((typeof value === "object" && value !== null) || typeof value === "function") && "~standard" in value;
}

/**
 * The JSON Schema of one side of a Standard Schema.
 * @throws ToolDefinitionError when the library cannot write one, or checks asynchronously.
 */
export function jsonSchemaOf(schema: StandardSchema, side: "input" | "output"): Record<string, unknown> {
  // Whatever has the key is asked; it may be written by hand.
  const standard: Partial<StandardSchema["~standard"]> = Object(schema["~standard"]);
  const { vendor = "unknown", validate, jsonSchema } = standard;
  if (typeof validate !== "function" || typeof jsonSchema?.[side] !== "function")
    throw new ToolDefinitionError(schemaMessages.cannotCompile(schemaMessages.noJsonSchema(vendor)));
  assertIsSynchronous(schema);
  const { $schema: _dialect, ...written } = writeJsonSchema(schema, side);
  return written;
}

/**
 * Checks and transforms a value. The schema gets a copy of its own, so that it can change nothing that was approved.
 * @throws ToolDefinitionError when the schema itself fails or answers with a promise.
 */
export function parseStandard(schema: StandardSchema, value: unknown): StandardParse {
  const result = runValidate(schema, structuredClone(value));
  if (isPromiseLike(result)) {
    abandon(result);
    throw new ToolDefinitionError(schemaMessages.cannotCheck(schemaMessages.asyncStandard));
  }
  if (result.issues === undefined) return { valid: true, value: result.value };
  return { valid: false, problems: result.issues.slice(0, MAX_PROBLEMS).map(describeIssue) };
}

const MAX_PROBLEMS = 10;
const MAX_PROBLEM_CHARACTERS = 300;

function writeJsonSchema(schema: StandardSchema, side: "input" | "output"): Record<string, unknown> {
  try {
    return schema["~standard"].jsonSchema[side]({ target: "draft-2020-12" });
  } catch (error) {
    throw new ToolDefinitionError(schemaMessages.cannotCompile(schemaMessages.unwritable(textOf(error))), {
      cause: error,
    });
  }
}

/** Some libraries are asynchronous always, which shows at once; in others one refinement is, which shows when it runs. */
function assertIsSynchronous(schema: StandardSchema): void {
  let result: unknown;
  try {
    result = schema["~standard"].validate({});
  } catch {
    // An empty object may be nothing that a refinement is made for; a call will say what is wrong with a real input.
    return;
  }
  if (!isPromiseLike(result)) return;
  abandon(result);
  throw new ToolDefinitionError(schemaMessages.cannotCompile(schemaMessages.asyncStandard));
}

function runValidate(
  schema: StandardSchema,
  value: unknown,
): StandardResult<unknown> | Promise<StandardResult<unknown>> {
  try {
    return schema["~standard"].validate(value);
  } catch (error) {
    throw new ToolDefinitionError(schemaMessages.cannotCheck(schemaMessages.brokenStandard(textOf(error))), {
      cause: error,
    });
  }
}

/** Nobody waits for the answer; its failure must not end the process. */
function abandon(result: PromiseLike<unknown>): void {
  result.then(undefined, () => undefined);
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function describeIssue({ message, path = [] }: StandardIssue): string {
  const parts = path.map((part) => String(typeof part === "object" ? part.key : part));
  const shown = message.length > MAX_PROBLEM_CHARACTERS ? `${message.slice(0, MAX_PROBLEM_CHARACTERS)}…` : message;
  return schemaMessages.refined(formatPath(parts), shown);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
