import type { ToolCall } from "../../contract/tool-call.ts";
import type { Tool } from "../../contract/tool.ts";
import type { OpenAiOptions, Provider } from "./provider.ts";
import { mapToolNames } from "./provider-names.ts";
import { fromStrictInput } from "./strict-input.ts";

/** What the model was shown. */
export interface ShownTools extends OpenAiOptions {
  readonly tools: readonly Tool[];
  readonly provider: Provider;
}

/**
 * Makes a call for `dispatch` of what a model asked for: the tool's own name, the JSON of OpenAI's `arguments` parsed, and
 * the nulls of strict mode taken out. What cannot be read is passed on as it is, and the pipeline answers it.
 * @throws ToolDefinitionError when two tools have the same name.
 */
export function toToolCall(asked: ToolCall, { tools, provider, strict = false }: ShownTools): ToolCall {
  const name = mapToolNames(tools, provider).fromProvider(asked.name);
  const isOpenAi = provider === "openai" || provider === "openai-responses";
  const input = isOpenAi && typeof asked.input === "string" ? parseArguments(asked.input) : asked.input;
  const tool = tools.find((each) => each.name === name);
  return { id: asked.id, name, input: isOpenAi && strict && tool !== undefined ? fromStrictInput(tool, input) : input };
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A reply that was cut off, mostly: validation tells the model that it sent no object.
    return text;
  }
}
