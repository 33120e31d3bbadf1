import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ContentBlock } from "../../contract/tool-result.ts";
import type { ToolOutcome } from "../../contract/tool.ts";
import { mcpMessages } from "../../errors/messages/mcp.ts";
import { toolMessages } from "../../errors/messages/tools.ts";

/**
 * Turns what a server answered into an outcome. Images and resources stay what they are; the output has a line for
 * each, so that it tells the whole answer in words. What has no counterpart (audio, binary resources) is only named.
 */
export function readResult(result: CallToolResult): ToolOutcome {
  const parts = result.content.map(readBlock);
  const text = parts.map((part) => part.text).join("\n");
  const content = parts.map((part) => part.block);
  if (result.isError === true) return { ...readError(text, content), ...readRetryAfter(result) };
  const { structuredContent: structured } = result;
  const output = parts.length > 0 ? text : describeStructured(structured);
  return {
    success: true,
    output,
    content: parts.length > 0 ? content : [{ type: "text", text: output }],
    ...(structured === undefined ? {} : { structured }),
  };
}

const MAX_ERROR_CHARACTERS = 2_000;

/** A long error message is the answer of the tool and is kept as such. */
function readError(text: string, content: readonly ContentBlock[]): ToolOutcome {
  if (text === "") return { success: false, error: mcpMessages.silentFailure };
  if (text.length <= MAX_ERROR_CHARACTERS) return { success: false, error: text, content };
  return { success: false, error: `${text.slice(0, MAX_ERROR_CHARACTERS)}…`, output: text, content };
}

function describeStructured(structured: unknown): string {
  return structured === undefined ? toolMessages.done : JSON.stringify(structured);
}

/** The protocol has no field for it; servers that say it do so beside their answer. */
function readRetryAfter({ _meta }: CallToolResult): { readonly retryAfterMs?: number } {
  const retryAfterMs = _meta?.["retryAfterMs"];
  return typeof retryAfterMs === "number" && retryAfterMs >= 0 ? { retryAfterMs } : {};
}

interface Part {
  readonly text: string;
  readonly block: ContentBlock;
}

function readBlock(block: CallToolResult["content"][number]): Part {
  switch (block.type) {
    case "text":
      return asText(block.text);
    case "image":
      return imagePart(block.data, block.mimeType);
    case "audio":
      return asText(mcpMessages.audio(block.mimeType));
    case "resource_link": {
      const { uri, mimeType } = block;
      return { text: mcpMessages.resource(uri), block: { type: "resource", uri, ...withType(mimeType) } };
    }
    case "resource":
      return readResource(block.resource);
  }
}

type Resource = Extract<CallToolResult["content"][number], { readonly type: "resource" }>["resource"];

function readResource(resource: Resource): Part {
  const { uri, mimeType } = resource;
  if ("blob" in resource && mimeType?.startsWith("image/") === true) return imagePart(resource.blob, mimeType);
  const text = "text" in resource ? resource.text : undefined;
  return {
    text: text ?? mcpMessages.resource(uri),
    block: { type: "resource", uri, ...withType(mimeType), ...(text === undefined ? {} : { text }) },
  };
}

function asText(text: string): Part {
  return { text, block: { type: "text", text } };
}

function imagePart(data: string, mimeType: string): Part {
  return { text: mcpMessages.image(mimeType), block: { type: "image", data, mimeType } };
}

function withType(mimeType: string | undefined): { readonly mimeType?: string } {
  return mimeType === undefined ? {} : { mimeType };
}
