import type { ToolResult } from "../../contract/tool-result.ts";
import { providerMessages } from "../../errors/messages/providers.ts";
import { mapToolNames } from "./provider-names.ts";
import { resourceText, resultBlocks } from "./result-text.ts";

/** A part of the content that answers Gemini. */
export type GeminiResponsePart =
  | {
      readonly functionResponse: {
        readonly id: string;
        readonly name: string;
        readonly response: { readonly output: string } | { readonly error: string };
      };
    }
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } };

/**
 * Converts one result for Gemini: the response under `output` or `error`
 * (https://ai.google.dev/api/caching#FunctionResponse), and the images as parts behind it.
 */
export function toGeminiResponseParts(result: ToolResult): readonly GeminiResponsePart[] {
  const blocks = resultBlocks(result);
  const images = blocks.filter((block) => block.type === "image");
  const below = images.length === 0 ? [] : [providerMessages.imageBelow(images.length)];
  const texts = blocks.flatMap((block) => {
    if (block.type === "image") return [];
    return [block.type === "text" ? block.text : resourceText(block)];
  });
  const text = [...texts, ...below].join("\n");
  return [
    {
      functionResponse: {
        id: result.callId,
        name: mapToolNames([], "gemini").toProvider(result.tool),
        response: result.success ? { output: text } : { error: text },
      },
    },
    ...images.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } })),
  ];
}
