import type { JsonSchema, ObjectSchema } from "../contract/json-schema.ts";
import type { Risk } from "../contract/risk.ts";
import type { Tool } from "../contract/tool.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { assertSchema, compileSchema } from "../schema/compile-schema.ts";
import { checkDefinition } from "./check-definition.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/**
 * Defines a tool. Every mistake in the definition is reported now, not when a model calls it.
 * @throws ToolDefinitionError naming the tool and the field.
 * @example
 * ```ts
 * const weather = defineTool({
 *   name: "weather",
 *   description: "Says how the weather is in a city",
 *   risk: "read",
 *   parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
 *   execute: ({ city }) => `Sunny in ${city}`,
 * });
 * ```
 */
export function defineTool<const S extends ObjectSchema, R extends Risk = "exec">(
  definition: ToolDefinition<S, R>,
): Tool {
  checkDefinition(definition);
  const { name, description } = definition;
  const risk = definition.risk ?? "exec";
  const parameters = schemaField(name, "parameters", () => compileSchema(definition.parameters ?? NO_INPUT).schema);
  const optional = optionalFields(definition);
  return Object.freeze({
    name,
    description,
    risk,
    parameters,
    timeoutMs: definition.timeoutMs ?? (risk === "exec" ? 600_000 : 30_000),
    maxRetries: definition.maxRetries ?? 0,
    idempotent: definition.idempotent ?? false,
    parallel: definition.parallel ?? risk === "read",
    capabilities: Object.freeze([...(definition.capabilities ?? [])]),
    tier: definition.tier ?? "core",
    requiresApproval: definition.requiresApproval ?? false,
    ...optional,
    spec: Object.freeze({ name, description, parameters }),
    // Called as a method, so that a definition may use `this`; the engine passes only what was validated.
    execute: (input: never, context: never) => definition.execute(input, context),
  });
}

/** An object without keys, which every provider accepts. */
const NO_INPUT: ObjectSchema = { type: "object", properties: {}, additionalProperties: false };

function optionalFields<S extends ObjectSchema, R extends Risk>(
  definition: ToolDefinition<S, R>,
): Pick<Tool, "output" | "describe"> {
  const { output } = definition;
  return {
    ...(output === undefined
      ? {}
      : { output: schemaField<JsonSchema>(definition.name, "output", () => assertSchema(output)) }),
    ...(definition.describe === undefined
      ? {}
      : { describe: (input: never) => definition.describe?.(input) ?? definition.description }),
  };
}

/** Adds the tool and the field to what the schema's compiler says. */
function schemaField<T>(name: string, field: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof ToolDefinitionError)) throw error;
    const problem = toolMessages.schema(field, error.message);
    throw new ToolDefinitionError(toolMessages.cannotDefine(name, problem), { cause: error });
  }
}
