import type { Tool } from "../../contract/tool.ts";
import { providerMessages } from "../../errors/messages/providers.ts";
import { ToolDefinitionError } from "../../errors/tool-definition-error.ts";
import { closeObjects } from "../../schema/close-objects.ts";
import type { ConversionNote } from "./conversion-note.ts";
import { opennessOf } from "./flatten-place.ts";
import { flattenTop, ONLY_BELOW_TOP } from "./flatten-top.ts";
import type { GeminiSchema } from "./gemini-form.ts";
import { toGeminiSchema } from "./gemini-schema.ts";
import { toModernSchema } from "./modern-schema.ts";
import { describe } from "./moved-text.ts";
import { isSchemaObject, listedTexts, type SchemaObject } from "./schema-object.ts";
import { strictSchemaOf } from "./strict-input.ts";

/** The JSON Schema of an input: an object at the top. */
export interface InputJsonSchema {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** A tool's input in a provider's form, and what has been changed for it. */
export interface ConvertedParameters<S> {
  readonly schema: S;
  readonly notes: readonly ConversionNote[];
}

/**
 * For Anthropic, which takes draft 2020-12 without `anyOf`, `oneOf` and `allOf` at the top:
 * https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use
 */
export function anthropicParameters(tool: Tool): ConvertedParameters<InputJsonSchema> {
  return jsonSchemaParameters(tool, ["anyOf", "oneOf", "allOf", "$ref"]);
}

/**
 * For OpenAI, with `strict` when the tool can be said in strict mode. Without it the same keywords are refused at the top:
 * https://platform.openai.com/docs/guides/function-calling
 */
export function openAiParameters(
  tool: Tool,
  isStrict: boolean,
): ConvertedParameters<InputJsonSchema> & { readonly strict: boolean } {
  const strict = isStrict ? strictSchemaOf(tool) : undefined;
  if (strict?.fits === true) return { schema: asInput(strict.schema), strict: true, notes: strict.notes };
  const loose = jsonSchemaParameters(tool, ONLY_BELOW_TOP);
  const reasons = strict?.reasons ?? [];
  const notes = reasons.map((reason) => ({ problem: providerMessages.notStrict(reason), lossy: false }));
  return { schema: loose.schema, strict: false, notes: [...loose.notes, ...notes] };
}

/** For Gemini. There is no schema of an input without properties, which is refused. */
export function geminiParameters(tool: Tool): ConvertedParameters<GeminiSchema | undefined> {
  const { schema, notes } = toGeminiSchema(toModernSchema(tool.parameters));
  return { schema, notes };
}

/** For MCP, which takes draft 2020-12: https://modelcontextprotocol.io/specification/2025-11-25/server/tools */
export function mcpParameters(tool: Tool): ConvertedParameters<InputJsonSchema> {
  return jsonSchemaParameters(tool, []);
}

/** The schema as the pipeline reads it: unknown keys are refused where it says nothing about them. */
function jsonSchemaParameters(tool: Tool, refused: readonly string[]): ConvertedParameters<InputJsonSchema> {
  const top = flattenTop(toModernSchema(tool.parameters), refused);
  const text = typeof top.schema["description"] === "string" ? top.schema["description"] : undefined;
  const schema = closed({
    ...top.schema,
    ...satisfiable(top.schema),
    ...describe(text, top.moved),
  });
  const { $defs, definitions, ...own } = schema;
  const isReferring = JSON.stringify(own).includes('"$ref"');
  const kept = Object.entries({ $defs, definitions }).filter(([, value]) => isReferring && value !== undefined);
  return { schema: asInput({ ...own, ...Object.fromEntries(kept) }), notes: top.notes };
}

/** A schema of somebody else may require what it does not list; the pipeline leaves it open then, and so does this. */
function closed(schema: SchemaObject): SchemaObject {
  const copy = structuredClone(schema);
  try {
    closeObjects(copy);
    return copy;
  } catch (error) {
    if (error instanceof ToolDefinitionError) return schema;
    throw error;
  }
}

/** Merging may bring together a list of properties and a demand for one that is not in it, which nothing can fulfil. */
function satisfiable(schema: SchemaObject): SchemaObject {
  const { properties, required } = schema;
  if (required === undefined || !isSchemaObject(properties) || opennessOf(schema) === "open") return {};
  return { required: listedTexts(required).filter((name) => Object.hasOwn(properties, name)) };
}

/** The type has been checked where the tool was defined, and no conversion changes it. */
function asInput(schema: SchemaObject): InputJsonSchema {
  return { ...schema, type: "object" };
}
