import type { JsonSchema, ObjectSchema } from "../contract/json-schema.ts";
import type { InputSchema, OutputSchema } from "../contract/standard-schema.ts";
import { schemaMessages } from "../errors/messages/schema.ts";
import { ToolError } from "../errors/tool-error.ts";
import { assertSchema, compileSchema } from "../schema/compile-schema.ts";
import { isStandardSchema, jsonSchemaOf, parseStandard } from "../schema/standard-schema.ts";

/** What a definition's `parameters` come to. */
export interface ToolInput {
  /** What the model sees. */
  readonly schema: ObjectSchema;
  /** What an input breaks beyond the JSON Schema; absent when that says everything. */
  readonly findProblems?: (input: unknown) => readonly string[];
  /**
   * Makes of a checked input what the tool's code works on.
   * @throws ToolError of the kind "validation" when a tool is executed with an input that nothing has checked.
   */
  readonly transform: (input: unknown) => unknown;
}

/**
 * Reads `parameters`.
 * @throws ToolDefinitionError naming what is wrong in the schema.
 */
export function readParameters(parameters: InputSchema = NO_INPUT): ToolInput {
  if (!isStandardSchema(parameters)) {
    return { schema: compileSchema(parameters).schema, transform: (input) => input };
  }
  // The compiler refuses whatever the library wrote that does not describe an object.
  const written = jsonSchemaOf(parameters, "input") as unknown as ObjectSchema;
  return {
    schema: compileSchema(written).schema,
    findProblems: (input) => {
      const parsed = parseStandard(parameters, input);
      return parsed.valid ? [] : parsed.problems;
    },
    transform: (input) => {
      const parsed = parseStandard(parameters, input);
      if (parsed.valid) return parsed.value;
      throw new ToolError(schemaMessages.inputError(parsed.problems, 0), { kind: "validation" });
    },
  };
}

/**
 * Reads `output`.
 * @throws ToolDefinitionError naming what is wrong in the schema.
 */
export function readOutput(output: OutputSchema): JsonSchema {
  return assertSchema(isStandardSchema(output) ? jsonSchemaOf(output, "output") : output);
}

/** An object without keys, which every provider accepts. */
const NO_INPUT: ObjectSchema = { type: "object", properties: {}, additionalProperties: false };
