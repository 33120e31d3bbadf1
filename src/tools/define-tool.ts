import type { ObjectSchema } from "../contract/json-schema.ts";
import type { Risk } from "../contract/risk.ts";
import type { InputSchema, OutputSchema } from "../contract/standard-schema.ts";
import type { Tool, ToolChanges } from "../contract/tool.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { checkDefinition } from "./check-definition.ts";
import { copyTool } from "./copy-tool.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { readOutput, readParameters } from "./tool-schemas.ts";
import type { ToolInput } from "./tool-schemas.ts";

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
export function defineTool<
  const S extends InputSchema = ObjectSchema,
  R extends Risk = "exec",
  const O extends OutputSchema = never,
>(definition: ToolDefinition<S, R, O>): Tool {
  // The types of input and result are the caller's; from here on every part is checked as the value that it is.
  return define(definition as unknown as AnyDefinition);
}

type AnyDefinition = ToolDefinition<InputSchema, Risk, OutputSchema>;

function define(definition: AnyDefinition): Tool {
  checkDefinition(definition);
  const { name, description } = definition;
  const risk = definition.risk ?? "exec";
  const input = schemaField(name, "parameters", () => readParameters(definition.parameters));
  const { schema: parameters } = input;
  const optional = optionalFields(definition, input);
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
    ...withoutDefault(definition),
    ...optional,
    spec: Object.freeze({ name, description, parameters }),
    copy: (changes: ToolChanges) => copyTool(definition, changes, (changed) => define(changed as AnyDefinition)),
    // Called as a method, so that a definition may use `this`; the engine passes only what was validated.
    execute: (given: never, context: never) => definition.execute(input.transform(given), context),
  });
}

type WithoutDefault = Pick<Tool, "contained" | "destructive" | "openWorld" | "maxOutputCharacters">;

/** What is not said is not there, so that it shows. */
function withoutDefault(definition: AnyDefinition): WithoutDefault {
  const { contained, destructive, openWorld, maxOutputCharacters } = definition;
  const options = { contained, destructive, openWorld, maxOutputCharacters };
  // What is left has exactly the options that were given.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as WithoutDefault;
}

function optionalFields(
  definition: AnyDefinition,
  { findProblems, transform }: ToolInput,
): Pick<Tool, "output" | "ready" | "describe" | "resources" | "authorize" | "onError" | "findProblems"> {
  const { output } = definition;
  // Bound, so that a definition may use `this`; what they answer is left as it is, for the engine to judge.
  const ready = definition.ready?.bind(definition);
  const describe = definition.describe?.bind(definition);
  const resources = definition.resources?.bind(definition);
  const authorize = definition.authorize?.bind(definition);
  const onError = definition.onError?.bind(definition);
  return {
    ...(output === undefined ? {} : { output: schemaField(definition.name, "output", () => readOutput(output)) }),
    ...(findProblems === undefined ? {} : { findProblems }),
    ...(ready === undefined ? {} : { ready }),
    ...(describe === undefined ? {} : { describe: (input: never) => describe(transform(input)) }),
    ...(resources === undefined ? {} : { resources: (input: never) => resources(transform(input)) }),
    ...(authorize === undefined ? {} : { authorize: (input: never) => authorize(transform(input)) }),
    ...(onError === undefined ? {} : { onError }),
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
