import { describe, expect, it } from "vitest";
import type { Tool } from "../../../src/contract/tool.ts";
import { coreTools } from "../../../src/tools/core-tools.ts";
import { lintTools, type ToolProblem } from "../../../src/tools/providers/lint-tools.ts";
import { toolWith, toolWithProperty } from "./make-tool.ts";

function problem(text: string, lossy: boolean): ToolProblem {
  return { tool: "tool", problem: text, lossy };
}

describe("lintTools()", () => {
  it("has nothing to say of the built-in tools for Anthropic, OpenAI without strict mode, and MCP", () => {
    const tools = coreTools();
    expect([lintTools(tools, "anthropic"), lintTools(tools, "openai"), lintTools(tools, "mcp")]).toEqual([[], [], []]);
  });

  const cases: readonly [name: string, found: readonly ToolProblem[], expected: readonly ToolProblem[]][] = [
    [
      "alternatives at the top",
      lintTools([toolWith({ type: "object", properties: { a: {} }, anyOf: [{ required: ["a"] }] })], "anthropic"),
      [problem('"anyOf" at the top is refused; its properties are merged and the description says the rest', true)],
    ],
    [
      "allOf at the top, which loses nothing",
      lintTools([toolWith({ type: "object", allOf: [{ type: "object", properties: { a: {} } }] })], "openai-responses"),
      [problem('"allOf" at the top is refused; its properties are merged and the description says the rest', false)],
    ],
    [
      "a key that Anthropic refuses",
      lintTools([toolWith({ type: "object", properties: { $top: {} } })], "anthropic"),
      [problem('the key "$top" is refused; use 1 to 64 letters, digits, "_", "." and "-"', true)],
    ],
    [
      "a constraint that strict mode has no place for",
      lintTools([toolWithProperty({ type: "array", items: { type: "string", minLength: 1 } })], "openai", {
        strict: true,
      }),
      [problem('x.items: "minLength" cannot be said; the description says it', true)],
    ],
    [
      "a null that may mean two things",
      lintTools([toolWithProperty({ type: ["string", "null"] }, [])], "openai", { strict: true }),
      [problem("x: null and leaving it out cannot be told apart; null is sent on as null", true)],
    ],
    [
      "a tool without strict mode",
      lintTools([toolWithProperty({ type: "object" })], "openai", { strict: true }),
      [problem('strict mode cannot be used, so "strict" is false: it accepts keys that are not listed', false)],
    ],
    [
      "what Gemini rewrites and what it loses",
      lintTools([toolWithProperty({ type: "integer", exclusiveMinimum: 0, multipleOf: 5 })], "gemini"),
      [
        problem('x: "exclusiveMinimum" is written as "minimum"', false),
        problem('x: "multipleOf" cannot be said; the description says it', true),
      ],
    ],
    [
      "oneOf of forms that a value may both have",
      lintTools(
        [
          toolWithProperty({
            oneOf: [
              { type: "string", maxLength: 2 },
              { type: "string", minLength: 2 },
            ],
          }),
        ],
        "gemini",
      ),
      [problem('x: "oneOf" cannot be said; "anyOf" accepts a value that fits more than one form', true)],
    ],
    [
      "an output that MCP cannot announce",
      lintTools([toolWith(undefined, { output: { type: "string" } })], "mcp"),
      [problem("an output that is no object cannot be announced; it is left out", true)],
    ],
    [
      "a name",
      lintTools([toolWith(undefined, { name: "a.b" })], "openai"),
      [{ tool: "a.b", problem: 'the name "a.b" is refused; it is sent as "a_b_2e7336dc"', lossy: false }],
    ],
  ];

  it.each(cases)("says %s", (_name, found, expected) => {
    expect(found).toEqual(expected);
  });

  it("says which tools are too many for one request", () => {
    const tool = toolWith(undefined);
    const tools = Array.from({ length: 129 }, (_, index): Tool => ({
      ...tool,
      name: `t${String(index).padStart(3, "0")}`,
    }));
    expect(lintTools(tools, "openai")).toEqual([
      { tool: "t128", problem: "more than 128 tools are refused in one request; leave some out", lossy: true },
    ]);
    expect(lintTools(tools, "gemini")).toEqual([]);
  });
});
