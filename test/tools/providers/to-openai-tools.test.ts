import { describe, expect, it } from "vitest";
import { coreTools } from "../../../src/tools/core-tools.ts";
import { fromStrictInput } from "../../../src/tools/providers/strict-input.ts";
import { toOpenAiChatTools, toOpenAiResponsesTools } from "../../../src/tools/providers/to-openai-tools.ts";
import { toolWith, toolWithProperty } from "./make-tool.ts";

function strictParameters(parameters: unknown): unknown {
  const [tool] = toOpenAiResponsesTools([toolWith(parameters)], { strict: true });
  return tool?.strict === true ? tool.parameters : "not strict";
}

function strictProperty(property: unknown): unknown {
  const parameters = strictParameters({ type: "object", properties: { x: property }, required: ["x"] });
  if (typeof parameters === "string") return parameters;
  return (parameters as { readonly properties: { readonly x: unknown } }).properties.x;
}

describe("toOpenAiChatTools()", () => {
  it("gives functions sorted by name, whatever the order of the tools", () => {
    const names = toOpenAiChatTools(coreTools().toReversed()).map((tool) => tool.function.name);
    expect(names).toEqual(
      coreTools()
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  it("closes objects as the pipeline does, and says that strict mode is off", () => {
    expect(toOpenAiChatTools([toolWithProperty({ type: "string", default: "a" }, [])])).toEqual([
      {
        type: "function",
        function: {
          name: "tool",
          description: "A tool",
          parameters: {
            type: "object",
            properties: { x: { type: "string", default: "a" } },
            required: [],
            additionalProperties: false,
          },
          strict: false,
        },
      },
    ]);
  });

  it("takes every keyword that is refused off the top", () => {
    const parameters = { type: "object", properties: { a: {}, b: {} }, not: { required: ["a", "b"] } };
    expect(toOpenAiChatTools([toolWith(parameters)])[0]?.function.parameters).toEqual({
      type: "object",
      properties: { a: {}, b: {} },
      additionalProperties: false,
      description: 'It must also fit this JSON Schema: {"not":{"required":["a","b"]}}.',
    });
  });
});

describe("toOpenAiResponsesTools() in strict mode", () => {
  it("requires every property and lets null stand for one that is left out", () => {
    expect(
      strictParameters({
        type: "object",
        properties: {
          path: { type: "string", description: "Where" },
          limit: { type: "integer", minimum: 1, default: 10, description: "How many" },
          mode: { enum: ["a", "b"] },
          size: { type: ["string", "null"] },
          nested: { type: "object", properties: { on: { type: "boolean" } } },
        },
        required: ["path"],
      }),
    ).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "Where" },
        limit: {
          type: ["integer", "null"],
          minimum: 1,
          description: "How many. null stands for the default, 10.",
        },
        mode: { type: ["string", "null"], enum: ["a", "b", null] },
        size: { type: ["string", "null"] },
        nested: {
          type: ["object", "null"],
          properties: { on: { type: ["boolean", "null"] } },
          required: ["on"],
          additionalProperties: false,
        },
      },
      required: ["path", "limit", "mode", "size", "nested"],
      additionalProperties: false,
    });
  });

  const properties: readonly [name: string, property: unknown, expected: unknown][] = [
    ["const", { const: "a" }, { type: "string", enum: ["a"] }],
    ["nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
    ["a kept format", { type: "string", format: "uuid" }, { type: "string", format: "uuid" }],
    [
      "another format",
      { type: "string", format: "uri", maxLength: 9 },
      { type: "string", description: 'It must also fit this JSON Schema: {"format":"uri","maxLength":9}.' },
    ],
    ["several types", { type: ["string", "integer"] }, { anyOf: [{ type: "string" }, { type: "integer" }] }],
    [
      "anyOf",
      { anyOf: [{ type: "string" }, { type: "array", items: { type: "number" }, minItems: 1 }, { type: "null" }] },
      { anyOf: [{ type: "string" }, { type: "array", items: { type: "number" }, minItems: 1 }, { type: "null" }] },
    ],
    [
      "allOf",
      {
        allOf: [
          { type: "number", minimum: 1 },
          { type: "integer", maximum: 5 },
        ],
      },
      { type: "integer", minimum: 1, maximum: 5 },
    ],
    ["keys of any name", { type: "object", additionalProperties: { type: "string" } }, "not strict"],
    ["any value", {}, "not strict"],
    ["a tuple", { type: "array", prefixItems: [{ type: "string" }], minItems: 1 }, "not strict"],
    ["a list of anything", { type: "array" }, "not strict"],
    ["a choice of lists", { enum: [["a"], ["b"]] }, "not strict"],
  ];

  it.each(properties)("writes %s so that it is accepted, or goes without strict mode", (_name, property, expected) => {
    expect(strictProperty(property)).toEqual(expected);
  });

  it("follows references, and goes without strict mode when one leads back to itself", () => {
    const point = { type: "object", properties: { at: { type: "number" } }, required: ["at"] };
    const properties = { a: { $ref: "#/$defs/point", description: "First" } };
    expect(strictParameters({ type: "object", properties, required: ["a"], $defs: { point } })).toEqual({
      type: "object",
      properties: { a: { ...point, description: "First", additionalProperties: false } },
      required: ["a"],
      additionalProperties: false,
    });
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    const list = { type: "object", properties: { first: { $ref: "#/$defs/node" } }, $defs: { node } };
    expect(strictParameters(list)).toBe("not strict");
  });

  it("goes without strict mode beyond its limits", () => {
    const deep = Array.from({ length: 10 }).reduce<unknown>(
      (inner) => ({ type: "object", properties: { in: inner }, required: ["in"] }),
      { type: "string" },
    );
    expect(strictProperty(deep)).toBe("not strict");
    expect(strictProperty({ enum: Array.from({ length: 1_001 }, (_, index) => index) })).toBe("not strict");
    expect(strictProperty({ enum: Array.from({ length: 251 }, (_, index) => "x".repeat(60) + String(index)) })).toBe(
      "not strict",
    );
  });
});

describe("fromStrictInput()", () => {
  const tool = toolWith({
    type: "object",
    properties: {
      limit: { type: "integer", default: 10 },
      size: { type: ["string", "null"] },
      parts: {
        type: "array",
        items: {
          anyOf: [
            { type: "object", properties: { kind: { const: "a" }, note: { type: "string" } }, required: ["kind"] },
            {
              type: "object",
              properties: { kind: { const: "b" }, note: { type: ["string", "null"] } },
              required: ["kind"],
            },
          ],
        },
      },
    },
  });

  it("takes out the nulls that stand for a property that is left out, and no other", () => {
    const parts = [
      { kind: "a", note: null },
      { kind: "b", note: null },
    ];
    expect(fromStrictInput(tool, { limit: null, size: null, parts })).toEqual({
      size: null,
      parts: [{ kind: "a" }, { kind: "b", note: null }],
    });
  });

  it("passes on what does not fit, for the pipeline to refuse", () => {
    expect(fromStrictInput(tool, { parts: [{ kind: "c", note: null }], other: null })).toEqual({
      parts: [{ kind: "c", note: null }],
      other: null,
    });
    expect(fromStrictInput(tool, "no object")).toBe("no object");
    expect(fromStrictInput(tool, undefined)).toBe(undefined);
  });

  it("leaves the input of a tool alone that is not shown in strict mode", () => {
    const open = toolWith({ type: "object", properties: { a: { type: "string" } }, additionalProperties: true });
    expect(fromStrictInput(open, { a: null })).toEqual({ a: null });
  });
});
