import type { ContentBlock, ToolResult } from "../../contract/tool-result.ts";
import { providerMessages } from "../../errors/messages/providers.ts";

/** What the model reads of a result: the error first when it failed, then what the tool gave. Never empty. */
export function resultBlocks(result: ToolResult): readonly ContentBlock[] {
  const { content, output } = result;
  const isSaid = content.some((block) => block.type === "text" && block.text !== "");
  // Blocks of the tool's own may be images only; the output goes with them.
  const given: readonly ContentBlock[] =
    isSaid || output === "" ? content : [{ type: "text", text: output }, ...content];
  const filled = given.filter((block) => block.type !== "text" || block.text !== "");
  if (!result.success) return [{ type: "text", text: result.error }, ...filled];
  return filled.length > 0 ? filled : [{ type: "text", text: providerMessages.noOutput }];
}

/** A resource as text, for a provider that has no block for it. */
export function resourceText(block: Extract<ContentBlock, { type: "resource" }>): string {
  const named = providerMessages.resource(block.uri);
  return block.text === undefined ? named : `${named}\n${block.text}`;
}
