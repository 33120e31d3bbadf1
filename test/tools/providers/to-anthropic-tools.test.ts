import { describe, expect, it } from "vitest";
import { toAnthropicTools } from "../../../src/tools/providers/to-anthropic-tools.ts";
import { toolWith } from "./make-tool.ts";

function inputSchema(parameters: unknown): unknown {
  return toAnthropicTools([toolWith(parameters)])[0]?.input_schema;
}

describe("toAnthropicTools()", () => {
  it("gives the name, the description and the schema with closed objects", () => {
    const schema = { type: "object", properties: { a: { type: "object", properties: { b: { type: "string" } } } } };
    expect(toAnthropicTools([toolWith(schema)])).toEqual([
      {
        name: "tool",
        description: "A tool",
        input_schema: {
          type: "object",
          properties: {
            a: { type: "object", properties: { b: { type: "string" } }, additionalProperties: false },
          },
          additionalProperties: false,
        },
      },
    ]);
  });

  it("merges alternatives at the top, and says in words what is lost", () => {
    const file = { properties: { kind: { const: "file" }, path: { type: "string" } }, required: ["kind", "path"] };
    const url = { properties: { kind: { const: "url" }, path: { type: "number" } }, required: ["kind"] };
    expect(inputSchema({ type: "object", description: "Where", oneOf: [file, url] })).toEqual({
      type: "object",
      description: `Where. It must also fit this JSON Schema: ${JSON.stringify({ oneOf: [file, url] })}.`,
      properties: { kind: { enum: ["file", "url"] }, path: { anyOf: [{ type: "string" }, { type: "number" }] } },
      required: ["kind"],
      additionalProperties: false,
    });
  });

  it("keeps an object open at the top when an alternative is", () => {
    const open = { properties: { a: { type: "string" } }, additionalProperties: true };
    const other = { properties: { b: { type: "string" } } };
    expect(inputSchema({ type: "object", anyOf: [open, other] })).toEqual({
      type: "object",
      description: `It must also fit this JSON Schema: ${JSON.stringify({ anyOf: [open, other] })}.`,
      properties: {},
      additionalProperties: true,
    });
  });

  it("merges allOf and a reference at the top without a loss", () => {
    const $defs = { base: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } };
    const more = { properties: { b: { type: "number" } } };
    expect(inputSchema({ type: "object", $ref: "#/$defs/base", allOf: [more], $defs })).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a"],
      additionalProperties: false,
    });
  });

  it("leaves alternatives below the top as they are", () => {
    const property = { oneOf: [{ type: "string" }, { type: "number" }] };
    expect(inputSchema({ type: "object", properties: { a: property } })).toEqual({
      type: "object",
      properties: { a: property },
      additionalProperties: false,
    });
  });

  it("writes draft-07 as draft 2020-12, and leaves data alone that looks like a schema", () => {
    expect(
      inputSchema({
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: {
          pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
          a: { type: "string" },
          b: { const: { items: [1], nullable: true } },
        },
        dependencies: { a: ["b"] },
      }),
    ).toEqual({
      type: "object",
      properties: {
        pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
        a: { type: "string" },
        b: { const: { items: [1], nullable: true } },
      },
      dependentRequired: { a: ["b"] },
      additionalProperties: false,
    });
  });

  it("does not change the tool", () => {
    const tool = toolWith({ type: "object", anyOf: [{ required: ["a"] }], properties: { a: { type: "string" } } });
    const before = JSON.stringify(tool.parameters);
    toAnthropicTools([tool]);
    expect(JSON.stringify(tool.parameters)).toBe(before);
  });
});
