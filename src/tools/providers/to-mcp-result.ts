import type { ContentBlock, ToolResult } from "../../contract/tool-result.ts";
import { resultBlocks } from "./result-text.ts";
import { isSchemaObject } from "./schema-object.ts";

/** A block of MCP's content. */
export type McpContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly mimeType?: string; readonly text: string };
    }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string; readonly mimeType?: string };

/** The answer to MCP's `tools/call`: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result */
export interface McpToolResult {
  readonly content: readonly McpContentBlock[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

/** Converts a result for MCP. A structured value that is no object stays in the text, since MCP takes objects only. */
export function toMcpResult(result: ToolResult): McpToolResult {
  const content = resultBlocks(result).map(toBlock);
  if (!result.success) return { content, isError: true };
  return isSchemaObject(result.structured) ? { content, structuredContent: result.structured } : { content };
}

function toBlock(block: ContentBlock): McpContentBlock {
  if (block.type !== "resource") return block;
  const { uri, mimeType, text } = block;
  const type = mimeType === undefined ? {} : { mimeType };
  // A resource without its text can only be linked to.
  if (text === undefined) return { type: "resource_link", uri, name: uri, ...type };
  return { type: "resource", resource: { uri, ...type, text } };
}
