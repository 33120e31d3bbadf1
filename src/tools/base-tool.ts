import type { ObjectSchema } from "../contract/json-schema.ts";
import type { Risk } from "../contract/risk.ts";
import type { InferInput, InputSchema, OutputSchema } from "../contract/standard-schema.ts";
import type { ContextFor, Tool, ToolChanges, ToolCollection, ToolSpec } from "../contract/tool.ts";
import { defineTool } from "./define-tool.ts";
import { definitionOptions } from "./definition-options.ts";
import type { ToolDefinition, ToolReturn } from "./tool-definition.ts";

/**
 * A tool as a class, for one with settings or state of its own. Everything but `name`, `description` and `execute` has
 * the defaults of `defineTool`; fields that are no options are the class's own. An instance can be given wherever tools
 * are taken. It is read and checked once, when it is first used: changing it afterwards changes nothing.
 * @example
 * ```ts
 * const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
 * class Weather extends BaseTool<typeof CITY, "read"> {
 *   readonly name = "weather";
 *   readonly description = "Says how the weather is in a city";
 *   override readonly risk = "read";
 *   override readonly parameters = CITY;
 *   execute({ city }: InferInput<typeof CITY>) {
 *     return `Sunny in ${city}`;
 *   }
 * }
 * ```
 */
export abstract class BaseTool<
  S extends InputSchema = ObjectSchema,
  R extends Risk = "exec",
  O extends OutputSchema = never,
>
  implements ToolDefinition<S, R, O>, ToolCollection
{
  abstract readonly name: string;
  abstract readonly description: string;
  declare readonly risk?: R;
  declare readonly parameters?: S;
  declare readonly timeoutMs?: number;
  declare readonly maxRetries?: number;
  declare readonly idempotent?: boolean;
  declare readonly parallel?: boolean;
  declare readonly capabilities?: readonly string[];
  declare readonly tier?: Tool["tier"];
  declare readonly requiresApproval?: boolean;
  declare readonly contained?: boolean;
  declare readonly destructive?: boolean;
  declare readonly openWorld?: boolean;
  declare readonly maxOutputCharacters?: number;
  declare readonly output?: O;
  #tool: Tool | undefined;

  /** Does the work; see `ToolDefinition`. */
  abstract execute(input: InferInput<S>, context: ContextFor<R>): ToolReturn<O>;

  /**
   * The tool that this is.
   * @throws ToolDefinitionError naming what is wrong in the class.
   */
  toTool(): Tool {
    // What defineTool takes and what the class declares is the same by the type above.
    this.#tool ??= defineTool(definitionOptions(this) as unknown as ToolDefinition);
    return this.#tool;
  }

  toTools(): readonly Tool[] {
    return [this.toTool()];
  }

  /** What the model sees. */
  get spec(): ToolSpec {
    return this.toTool().spec;
  }

  /** The same tool with some options changed; see `Tool`. */
  copy(changes: ToolChanges): Tool {
    return this.toTool().copy(changes);
  }
}
