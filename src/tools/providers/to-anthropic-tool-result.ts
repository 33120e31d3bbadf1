import type { ContentBlock, ToolResult } from "../../contract/tool-result.ts";
import { providerMessages } from "../../errors/messages/providers.ts";
import { resourceText, resultBlocks } from "./result-text.ts";

/** A block of a `tool_result`. */
export type AnthropicResultBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly source: { readonly type: "base64"; readonly media_type: AnthropicImageType; readonly data: string };
    };

/** The images that the Messages API takes: https://docs.anthropic.com/en/docs/build-with-claude/vision */
export type AnthropicImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** A result as the Messages API takes it, inside of the next user message. */
export interface AnthropicToolResult {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: readonly AnthropicResultBlock[];
  readonly is_error?: true;
}

/** Converts a result for Anthropic, images included. */
export function toAnthropicToolResult(result: ToolResult): AnthropicToolResult {
  return {
    type: "tool_result",
    tool_use_id: result.callId,
    content: resultBlocks(result).map(toBlock),
    ...(result.success ? {} : { is_error: true }),
  };
}

function toBlock(block: ContentBlock): AnthropicResultBlock {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "resource":
      return { type: "text", text: resourceText(block) };
    case "image": {
      const { mimeType, data } = block;
      return isImageType(mimeType)
        ? { type: "image", source: { type: "base64", media_type: mimeType, data } }
        : { type: "text", text: providerMessages.imageNotShown(mimeType) };
    }
  }
}

function isImageType(mimeType: string): mimeType is AnthropicImageType {
  return ["image/jpeg", "image/png", "image/gif", "image/webp"].includes(mimeType);
}
