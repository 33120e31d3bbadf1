/** Whose tool format: Anthropic, OpenAI's Chat Completions or Responses, Gemini, or the Model Context Protocol. */
export type Provider = "anthropic" | "openai" | "openai-responses" | "gemini" | "mcp";

/** How OpenAI is given tools. */
export interface OpenAiOptions {
  /**
   * Use strict mode for every tool that can be said in it. Inputs then go through `fromStrictInput` or `toToolCall`.
   * @default false
   */
  readonly strict?: boolean;
}
