import type { Tool } from "../../contract/tool.ts";
import type { OpenAiOptions, Provider } from "./provider.ts";
import { toAnthropicTools } from "./to-anthropic-tools.ts";
import { toGeminiTools } from "./to-gemini-tools.ts";
import { toMcpTools } from "./to-mcp-tools.ts";
import { toOpenAiChatTools, toOpenAiResponsesTools } from "./to-openai-tools.ts";

/**
 * Converts tools for the provider that is named; where it is known beforehand, its own function has the better type.
 * @throws ToolDefinitionError when two tools have the same name.
 */
export function convertTools(
  tools: readonly Tool[],
  provider: Provider,
  options: OpenAiOptions = {},
): readonly unknown[] {
  switch (provider) {
    case "anthropic":
      return toAnthropicTools(tools);
    case "openai":
      return toOpenAiChatTools(tools, options);
    case "openai-responses":
      return toOpenAiResponsesTools(tools, options);
    case "gemini":
      return toGeminiTools(tools);
    case "mcp":
      return toMcpTools(tools);
  }
}
