/**
 * A message of the role `tool` holds text only in Chat Completions, and all of them must stand directly behind the message
 * that asked (https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages). So images follow in one
 * message of the user, behind the last result; the text says so. The Responses API takes images in the output itself
 * (https://platform.openai.com/docs/api-reference/responses/create#responses-create-input).
 * Neither has a mark for errors, so a failure begins with "Error: ".
 */
import type { ContentBlock, ToolResult } from "../../contract/tool-result.ts";
import { providerMessages } from "../../errors/messages/providers.ts";
import { resourceText, resultBlocks } from "./result-text.ts";

/** An answer to one call in Chat Completions. */
export interface OpenAiToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}

/** The images of results, for the model to look at. */
export interface OpenAiImageMessage {
  readonly role: "user";
  readonly content: readonly (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  )[];
}

/** An answer to one call in Responses. */
export interface OpenAiFunctionOutput {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output:
    | string
    | readonly (
        | { readonly type: "input_text"; readonly text: string }
        | { readonly type: "input_image"; readonly image_url: string; readonly detail: "auto" }
      )[];
}

/** Converts one result for Chat Completions. Its images are not in it; `toOpenAiToolMessages` adds them. */
export function toOpenAiToolMessage(result: ToolResult): OpenAiToolMessage {
  const blocks = textBlocks(result);
  const images = blocks.filter((block) => block.type === "image").length;
  const below = images === 0 ? [] : [providerMessages.imageBelow(images)];
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { role: "tool", tool_call_id: result.callId, content: [...texts, ...below].join("\n") };
}

/** Converts the results of one turn for Chat Completions: a message for each, and one with all their images at the end. */
export function toOpenAiToolMessages(
  results: readonly ToolResult[],
): readonly (OpenAiToolMessage | OpenAiImageMessage)[] {
  const images = results.flatMap((result): OpenAiImageMessage["content"] => {
    const urls = textBlocks(result).flatMap((block) => (block.type === "image" ? [block.url] : []));
    if (urls.length === 0) return [];
    const title = { type: "text" as const, text: providerMessages.imagesOf(result.tool) };
    return [title, ...urls.map((url) => ({ type: "image_url" as const, image_url: { url } }))];
  });
  const messages = results.map(toOpenAiToolMessage);
  return images.length === 0 ? messages : [...messages, { role: "user", content: images }];
}

/** Converts one result for the Responses API, images included. */
export function toOpenAiFunctionOutput(result: ToolResult): OpenAiFunctionOutput {
  const blocks = textBlocks(result);
  const hasImages = blocks.some((block) => block.type === "image");
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return {
    type: "function_call_output",
    call_id: result.callId,
    output: hasImages
      ? blocks.map((block) =>
          block.type === "text"
            ? { type: "input_text", text: block.text }
            : { type: "input_image", image_url: block.url, detail: "auto" },
        )
      : texts.join("\n"),
  };
}

type TextOrImage = { readonly type: "text"; readonly text: string } | { readonly type: "image"; readonly url: string };

function textBlocks(result: ToolResult): readonly TextOrImage[] {
  const blocks = resultBlocks(result).map(toTextOrImage);
  const [first, ...rest] = blocks;
  if (result.success || first?.type !== "text") return blocks;
  return [{ type: "text", text: providerMessages.error(first.text) }, ...rest];
}

/** The images that OpenAI takes: https://platform.openai.com/docs/guides/images-vision */
const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function toTextOrImage(block: ContentBlock): TextOrImage {
  switch (block.type) {
    case "text":
      return block;
    case "resource":
      return { type: "text", text: resourceText(block) };
    case "image":
      return IMAGE_TYPES.has(block.mimeType)
        ? { type: "image", url: `data:${block.mimeType};base64,${block.data}` }
        : { type: "text", text: providerMessages.imageNotShown(block.mimeType) };
  }
}
