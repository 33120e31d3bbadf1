import type { Tool } from "../../contract/tool.ts";
import { type InputJsonSchema, openAiParameters } from "./convert-parameters.ts";
import type { OpenAiOptions } from "./provider.ts";
import { mapToolNames } from "./provider-names.ts";
import { sortedByName } from "./sorted-by-name.ts";

/** A function as OpenAI takes it. */
export interface OpenAiFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: InputJsonSchema;
  /** The model produces only inputs that fit; `toToolCall` reads them. */
  readonly strict: boolean;
}

/** A tool as the Chat Completions API takes it. */
export interface OpenAiChatTool {
  readonly type: "function";
  readonly function: OpenAiFunction;
}

/** A tool as the Responses API takes it. */
export type OpenAiResponsesTool = OpenAiFunction & { readonly type: "function" };

/**
 * Converts tools for the `tools` of OpenAI's Chat Completions, sorted by name.
 * @throws ToolDefinitionError when two tools have the same name.
 */
export function toOpenAiChatTools(tools: readonly Tool[], options: OpenAiOptions = {}): readonly OpenAiChatTool[] {
  return toFunctions(tools, options).map((each) => ({ type: "function", function: each }));
}

/**
 * Converts tools for the `tools` of OpenAI's Responses, sorted by name.
 * @throws ToolDefinitionError when two tools have the same name.
 */
export function toOpenAiResponsesTools(
  tools: readonly Tool[],
  options: OpenAiOptions = {},
): readonly OpenAiResponsesTool[] {
  return toFunctions(tools, options).map((each) => ({ type: "function", ...each }));
}

/** `strict` is always said: the Responses API takes its absence for true. */
function toFunctions(tools: readonly Tool[], { strict = false }: OpenAiOptions): readonly OpenAiFunction[] {
  const names = mapToolNames(tools, "openai");
  return sortedByName(tools).map((tool) => {
    const parameters = openAiParameters(tool, strict);
    return {
      name: names.toProvider(tool.name),
      description: tool.description,
      parameters: parameters.schema,
      strict: parameters.strict,
    };
  });
}
