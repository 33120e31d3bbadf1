import { describe, expect, it } from "vitest";
import type { ContentBlock, ToolResult } from "../../../src/contract/tool-result.ts";
import { toAnthropicToolResult } from "../../../src/tools/providers/to-anthropic-tool-result.ts";
import { toGeminiResponseParts } from "../../../src/tools/providers/to-gemini-response-parts.ts";
import { toMcpResult } from "../../../src/tools/providers/to-mcp-result.ts";
import {
  toOpenAiFunctionOutput,
  toOpenAiToolMessage,
  toOpenAiToolMessages,
} from "../../../src/tools/providers/to-openai-tool-messages.ts";

const FIELDS = { callId: "c1", tool: "look", metadata: { secret: 1 }, changes: [], attempts: 1, durationMs: 1 };
const IMAGE: ContentBlock = { type: "image", data: "aGk=", mimeType: "image/png" };
const DRAWING: ContentBlock = { type: "image", data: "aGk=", mimeType: "image/svg+xml" };

function success(output: string, content?: readonly ContentBlock[], structured?: unknown): ToolResult {
  const blocks: readonly ContentBlock[] = content ?? (output === "" ? [] : [{ type: "text", text: output }]);
  const rest = structured === undefined ? {} : { structured };
  return { ...FIELDS, success: true, output, content: blocks, ...rest };
}

function failure(error: string, output = ""): ToolResult {
  const content: readonly ContentBlock[] = output === "" ? [] : [{ type: "text", text: output }];
  return { ...FIELDS, success: false, output, content, error, errorKind: "business" };
}

describe("toAnthropicToolResult()", () => {
  it("gives text and images as blocks, and nothing of the metadata", () => {
    expect(toAnthropicToolResult(success("a cat", [{ type: "text", text: "a cat" }, IMAGE, DRAWING]))).toEqual({
      type: "tool_result",
      tool_use_id: "c1",
      content: [
        { type: "text", text: "a cat" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
        { type: "text", text: "[an image of type image/svg+xml, which cannot be shown]" },
      ],
    });
  });

  it("says the error before what had been produced when the call failed", () => {
    expect(toAnthropicToolResult(failure("Exit code 1", "half"))).toEqual({
      type: "tool_result",
      tool_use_id: "c1",
      content: [
        { type: "text", text: "Exit code 1" },
        { type: "text", text: "half" },
      ],
      is_error: true,
    });
  });

  it("is never empty, because an empty text block is refused", () => {
    expect(toAnthropicToolResult(success("")).content).toEqual([{ type: "text", text: "(no output)" }]);
    expect(toAnthropicToolResult(success("said", [IMAGE])).content[0]).toEqual({ type: "text", text: "said" });
  });

  it("gives a resource as text when it has one", () => {
    const content: readonly ContentBlock[] = [
      { type: "resource", uri: "file:///a", text: "inside" },
      { type: "resource", uri: "file:///b" },
    ];
    expect(toAnthropicToolResult(success("", content)).content).toEqual([
      { type: "text", text: "[resource file:///a]\ninside" },
      { type: "text", text: "[resource file:///b]" },
    ]);
  });
});

describe("toOpenAiToolMessage()", () => {
  it("marks a failure in the text, for the API has no flag", () => {
    expect(toOpenAiToolMessage(failure("no such file"))).toEqual({
      role: "tool",
      tool_call_id: "c1",
      content: "Error: no such file",
    });
  });

  it("says that images are shown below", () => {
    expect(toOpenAiToolMessage(success("two", [{ type: "text", text: "two" }, IMAGE, IMAGE])).content).toBe(
      "two\n[2 images, shown below]",
    );
  });
});

describe("toOpenAiToolMessages()", () => {
  it("puts every image into one message of the user behind all results", () => {
    expect(toOpenAiToolMessages([success("", [IMAGE]), success("b")])).toEqual([
      { role: "tool", tool_call_id: "c1", content: "[an image, shown below]" },
      { role: "tool", tool_call_id: "c1", content: "b" },
      {
        role: "user",
        content: [
          { type: "text", text: "Images from look:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
        ],
      },
    ]);
  });

  it("adds no message when there are no images", () => {
    expect(toOpenAiToolMessages([success("a")])).toEqual([{ role: "tool", tool_call_id: "c1", content: "a" }]);
  });
});

describe("toOpenAiFunctionOutput()", () => {
  it("holds the images itself", () => {
    expect(toOpenAiFunctionOutput(success("a", [{ type: "text", text: "a" }, IMAGE]))).toEqual({
      type: "function_call_output",
      call_id: "c1",
      output: [
        { type: "input_text", text: "a" },
        { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "auto" },
      ],
    });
    expect(toOpenAiFunctionOutput(failure("bad", "half")).output).toBe("Error: bad\nhalf");
  });
});

describe("toGeminiResponseParts()", () => {
  it("gives the output or the error, and the images behind it", () => {
    expect(toGeminiResponseParts(success("a", [{ type: "text", text: "a" }, IMAGE]))).toEqual([
      { functionResponse: { id: "c1", name: "look", response: { output: "a\n[an image, shown below]" } } },
      { inlineData: { mimeType: "image/png", data: "aGk=" } },
    ]);
    expect(toGeminiResponseParts(failure("bad"))).toEqual([
      { functionResponse: { id: "c1", name: "look", response: { error: "bad" } } },
    ]);
  });
});

describe("toMcpResult()", () => {
  it("keeps blocks and the structured value when it is an object", () => {
    expect(toMcpResult(success("{}", undefined, { a: 1 }))).toEqual({
      content: [{ type: "text", text: "{}" }],
      structuredContent: { a: 1 },
    });
    expect(toMcpResult(success("[1]", undefined, [1]))).toEqual({ content: [{ type: "text", text: "[1]" }] });
    expect(toMcpResult(failure("bad"))).toEqual({ content: [{ type: "text", text: "bad" }], isError: true });
  });

  it("embeds a resource that has a text and links to one that has none", () => {
    const content: readonly ContentBlock[] = [
      { type: "resource", uri: "file:///a", mimeType: "text/plain", text: "inside" },
      { type: "resource", uri: "file:///b" },
    ];
    expect(toMcpResult(success("", content)).content).toEqual([
      { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "inside" } },
      { type: "resource_link", uri: "file:///b", name: "file:///b" },
    ]);
  });
});
