import { describe, expect, it } from "vitest";
import { compileSchema } from "../../../src/schema/compile-schema.ts";
import { toGeminiTools } from "../../../src/tools/providers/to-gemini-tools.ts";
import { toolWith, toolWithProperty } from "./make-tool.ts";

function geminiProperty(property: unknown): unknown {
  const [tool] = toGeminiTools([toolWithProperty(property)]);
  return tool?.functionDeclarations[0]?.parameters?.properties?.["x"];
}

describe("toGeminiTools()", () => {
  it("declares all functions in one entry, and leaves out the parameters of one without input", () => {
    expect(toGeminiTools([toolWithProperty({ type: "string" }), toolWith(undefined, { name: "now" })])).toEqual([
      {
        functionDeclarations: [
          { name: "now", description: "A tool" },
          {
            name: "tool",
            description: "A tool",
            parameters: { type: "OBJECT", properties: { x: { type: "STRING" } }, required: ["x"] },
          },
        ],
      },
    ]);
    expect(toGeminiTools([])).toEqual([]);
  });

  const properties: readonly [name: string, property: unknown, expected: unknown][] = [
    [
      "a type array with null",
      { type: ["integer", "null"], minimum: 1 },
      { type: "INTEGER", nullable: true, minimum: 1 },
    ],
    ["const", { const: "a" }, { type: "STRING", format: "enum", enum: ["a"] }],
    ["enum with null", { enum: ["a", null] }, { type: "STRING", format: "enum", enum: ["a"], nullable: true }],
    [
      "a choice of numbers",
      { enum: [1, 2] },
      { type: "NUMBER", description: 'It must also fit this JSON Schema: {"enum":[1,2]}.' },
    ],
    [
      "an empty text in a choice",
      { type: "string", enum: ["", "a"] },
      { type: "STRING", description: 'It must also fit this JSON Schema: {"enum":["","a"]}.' },
    ],
    [
      "exclusive limits of integers",
      { type: "integer", exclusiveMinimum: 0, minimum: -5, exclusiveMaximum: 9.5 },
      { type: "INTEGER", minimum: 1, maximum: 9 },
    ],
    [
      "exclusive limits of numbers",
      { type: "number", exclusiveMinimum: 0, description: "A rate" },
      { type: "NUMBER", description: 'A rate. It must also fit this JSON Schema: {"exclusiveMinimum":0}.' },
    ],
    [
      "counts and formats",
      { type: "string", minLength: 1, maxLength: 5, pattern: "^a", format: "email" },
      {
        type: "STRING",
        minLength: "1",
        maxLength: "5",
        pattern: "^a",
        description: 'It must also fit this JSON Schema: {"format":"email"}.',
      },
    ],
    ["a date and time", { type: "string", format: "date-time" }, { type: "STRING", format: "date-time" }],
    [
      "several types",
      { type: ["string", "boolean", "null"], description: "Either", default: true },
      {
        anyOf: [
          { type: "STRING", description: "Either. The default is true.", nullable: true },
          { type: "BOOLEAN", description: "Either. The default is true.", nullable: true },
        ],
      },
    ],
    [
      "a union of one form and null",
      { anyOf: [{ type: "array", items: { type: "string" }, maxItems: 3 }, { type: "null" }] },
      { type: "ARRAY", items: { type: "STRING" }, maxItems: "3", nullable: true },
    ],
    [
      "oneOf of forms that exclude each other",
      {
        oneOf: [
          { type: "object", properties: { kind: { const: "a" } }, required: ["kind"] },
          { type: "object", properties: { kind: { const: "b" }, n: { type: "integer" } }, required: ["kind"] },
        ],
      },
      {
        anyOf: [
          { type: "OBJECT", properties: { kind: { type: "STRING", format: "enum", enum: ["a"] } }, required: ["kind"] },
          {
            type: "OBJECT",
            properties: { kind: { type: "STRING", format: "enum", enum: ["b"] }, n: { type: "INTEGER" } },
            required: ["kind"],
          },
        ],
      },
    ],
    [
      "a tuple",
      { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false, minItems: 2 },
      { type: "ARRAY", items: { anyOf: [{ type: "STRING" }, { type: "INTEGER" }] }, minItems: "2" },
    ],
    [
      "keys that are not listed",
      { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "number" } },
      {
        type: "OBJECT",
        properties: { a: { type: "STRING" } },
        description: 'It must also fit this JSON Schema: {"additionalProperties":{"type":"number"}}.',
      },
    ],
    [
      "any value",
      { description: "Whatever" },
      {
        anyOf: [
          { type: "STRING", description: "Whatever", nullable: true },
          { type: "NUMBER", description: "Whatever", nullable: true },
          { type: "BOOLEAN", description: "Whatever", nullable: true },
        ],
      },
    ],
    [
      "an object of any keys beside a text",
      { anyOf: [{ type: "string" }, { type: "object" }, { type: "number" }] },
      { anyOf: [{ type: "STRING" }, { type: "NUMBER" }] },
    ],
  ];

  it.each(properties)("writes %s in the subset of OpenAPI", (_name, property, expected) => {
    expect(geminiProperty(property)).toEqual(expected);
  });

  it("asks for the JSON text of an object with keys of any name, which the pipeline reads", () => {
    const tool = toolWithProperty({ type: "object", additionalProperties: { type: "number" } });
    expect(geminiProperty(tool.parameters.properties?.["x"])).toEqual({
      type: "STRING",
      description:
        'It must also fit this JSON Schema: {"additionalProperties":{"type":"number"}}. Give the JSON text of it.',
    });
    expect(compileSchema(tool.parameters).check({ x: '{"a": 1}' })).toMatchObject({
      valid: true,
      value: { x: { a: 1 } },
    });
  });

  it("follows a reference to itself once, and asks for JSON text from there on", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" }, n: { type: "integer" } } };
    const tool = toolWith({ type: "object", properties: { first: { $ref: "#/$defs/node" } }, $defs: { node } });
    expect(toGeminiTools([tool])[0]?.functionDeclarations[0]?.parameters).toEqual({
      type: "OBJECT",
      properties: {
        first: {
          type: "OBJECT",
          properties: { next: { type: "STRING", description: "Give the JSON text of it." }, n: { type: "INTEGER" } },
        },
      },
    });
  });

  it("ends when references multiply", () => {
    const level = (index: number) => ({
      type: "object",
      properties: Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, { $ref: `#/$defs/l${index + 1}` }])),
    });
    const levels = Array.from({ length: 12 }, (_, index) => [`l${index}`, level(index)] as const);
    const $defs = Object.fromEntries([...levels, ["l12", { type: "string" }]]);
    const tool = toolWith({ type: "object", properties: { x: { $ref: "#/$defs/l0" } }, $defs });
    expect(JSON.stringify(toGeminiTools([tool])).length).toBeLessThan(1_000_000);
  });
});
