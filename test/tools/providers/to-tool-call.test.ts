import { describe, expect, it } from "vitest";
import { toToolCall } from "../../../src/tools/providers/to-tool-call.ts";
import { toolWithProperty } from "./make-tool.ts";

const tool = { ...toolWithProperty({ type: "integer" }, []), name: "mcp.server.tool" };
const tools = [tool];
const name = "mcp_server_tool_4ca396b7";

describe("toToolCall()", () => {
  it("gives the tool its own name, parses the arguments of OpenAI and takes nulls out in strict mode", () => {
    expect(toToolCall({ id: "1", name, input: '{"x": null}' }, { tools, provider: "openai", strict: true })).toEqual({
      id: "1",
      name: "mcp.server.tool",
      input: {},
    });
  });

  it("keeps nulls without strict mode", () => {
    expect(toToolCall({ id: "1", name, input: { x: null } }, { tools, provider: "anthropic" })).toEqual({
      id: "1",
      name: "mcp.server.tool",
      input: { x: null },
    });
  });

  it("passes on what it cannot read", () => {
    const cut = { id: "1", name: "nobody", input: '{"x": ' };
    expect(toToolCall(cut, { tools, provider: "openai-responses", strict: true })).toEqual(cut);
  });
});
