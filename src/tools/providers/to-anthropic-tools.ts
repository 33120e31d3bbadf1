import type { Tool } from "../../contract/tool.ts";
import { anthropicParameters, type InputJsonSchema } from "./convert-parameters.ts";
import { mapToolNames } from "./provider-names.ts";
import { sortedByName } from "./sorted-by-name.ts";

/** A tool as the Messages API of Anthropic takes it. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: InputJsonSchema;
}

/**
 * Converts tools for Anthropic's `tools`, sorted by name.
 * @throws ToolDefinitionError when two tools have the same name.
 */
export function toAnthropicTools(tools: readonly Tool[]): readonly AnthropicTool[] {
  const names = mapToolNames(tools, "anthropic");
  return sortedByName(tools).map((tool) => ({
    name: names.toProvider(tool.name),
    description: tool.description,
    input_schema: anthropicParameters(tool).schema,
  }));
}
