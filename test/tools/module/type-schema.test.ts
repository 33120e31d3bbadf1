import { expect, it } from "vitest";
import type { Tool } from "../../../src/contract/tool.ts";
import { toolsFromModule } from "../../../src/tools/module/tools-from-module.ts";
import { writeModule } from "./written-module.ts";

const DECLARATIONS = `
  enum Color { Red = "red", Blue = "blue" }
  enum Level { Low, High = 5 }
  /** Where it is. */
  interface Place {
    /** Its name. */
    readonly city: string;
    /** Two letters,
     * in capitals. */
    country?: string;
    zip: string | undefined;
  }
  interface Tree { readonly value: number; readonly children: readonly Tree[] }
  type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
  interface Chain { next?: Link | null }
  interface Link { chain: Chain; again: Chain }
  type Shape = { kind: "circle"; radius: number } | { kind: "square"; side: number };
  interface Named extends Place { nick: "a" | "b" }
  namespace Other { export interface Tree { leaf: boolean; trees: Tree[] } }
`;

const PLACE = {
  type: "object",
  properties: {
    city: { type: "string", description: "Its name." },
    country: { type: "string", description: "Two letters, in capitals." },
    zip: { type: "string" },
  },
  required: ["city"],
};

const CIRCLE = {
  type: "object",
  properties: { kind: { type: "string", enum: ["circle"] }, radius: { type: "number" } },
  required: ["kind", "radius"],
};

const SQUARE = {
  type: "object",
  properties: { kind: { type: "string", enum: ["square"] }, side: { type: "number" } },
  required: ["kind", "side"],
};

/** Type and default, as written behind the parameter's name, and the schema. */
const CASES: readonly (readonly [written: string, schema: object, definitions?: object])[] = [
  [": string", { type: "string" }],
  [": number", { type: "number" }],
  [": boolean", { type: "boolean" }],
  [": null", { type: "null" }],
  [": unknown", {}],
  [': "a"', { type: "string", enum: ["a"] }],
  [': "a" | "b"', { type: "string", enum: ["a", "b"] }],
  [": 1 | -2.5", { type: "number", enum: [1, -2.5] }],
  [": true", { type: "boolean", enum: [true] }],
  [': 7 | "z"', { type: ["number", "string"], enum: [7, "z"] }],
  [": Color", { type: "string", enum: ["red", "blue"] }],
  [": Color.Red", { type: "string", enum: ["red"] }],
  [": Level", { type: "number", enum: [0, 5] }],
  [": string[]", { type: "array", items: { type: "string" } }],
  [": ReadonlyArray<readonly number[]>", { type: "array", items: { type: "array", items: { type: "number" } } }],
  [": Record<string, number>", { type: "object", additionalProperties: { type: "number" } }],
  [
    ": { [key: string]: boolean; on: true }",
    {
      type: "object",
      properties: { on: { type: "boolean", enum: [true] } },
      required: ["on"],
      additionalProperties: { type: "boolean" },
    },
  ],
  [
    ': Record<"x" | "y", number>',
    {
      type: "object",
      properties: { x: { type: "number" }, y: { type: "number" } },
      required: ["x", "y"],
    },
  ],
  [": string | null", { anyOf: [{ type: "string" }, { type: "null" }] }],
  [': "a" | "b" | null', { anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] }],
  [": string | number | boolean", { anyOf: [{ type: "boolean" }, { type: "string" }, { type: "number" }] }],
  [": Place", PLACE],
  [": Partial<Place>", { type: "object", properties: PLACE.properties }],
  [': Pick<Place, "city">', { ...PLACE, properties: { city: PLACE.properties.city } }],
  [
    ": Place & { extra: null }",
    {
      ...PLACE,
      properties: { ...PLACE.properties, extra: { type: "null" } },
      required: ["city", "extra"],
    },
  ],
  [
    ": Named",
    {
      ...PLACE,
      properties: { nick: { type: "string", enum: ["a", "b"] }, ...PLACE.properties },
      required: ["nick", "city"],
    },
  ],
  [": Shape", { anyOf: [CIRCLE, SQUARE] }],
  [
    ": Tree",
    { $ref: "#/$defs/Tree" },
    {
      Tree: {
        type: "object",
        properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
        required: ["value", "children"],
      },
    },
  ],
  [
    ": [Tree, Other.Tree][0] | Other.Tree",
    { anyOf: [{ $ref: "#/$defs/Tree" }, { $ref: "#/$defs/Tree_1" }] },
    {
      Tree: {
        type: "object",
        properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
        required: ["value", "children"],
      },
      Tree_1: {
        type: "object",
        properties: { leaf: { type: "boolean" }, trees: { type: "array", items: { $ref: "#/$defs/Tree_1" } } },
        required: ["leaf", "trees"],
      },
    },
  ],
  [
    ": Json",
    { $ref: "#/$defs/Json" },
    {
      Json: {
        anyOf: [
          { type: "boolean" },
          { type: "string" },
          { type: "number" },
          { type: "array", items: { $ref: "#/$defs/Json" } },
          { type: "object", additionalProperties: { $ref: "#/$defs/Json" } },
          { type: "null" },
        ],
      },
    },
  ],
  [
    ": Chain",
    { $ref: "#/$defs/Chain" },
    {
      Chain: {
        type: "object",
        properties: {
          next: {
            anyOf: [
              {
                type: "object",
                properties: { chain: { $ref: "#/$defs/Chain" }, again: { $ref: "#/$defs/Chain" } },
                required: ["chain", "again"],
              },
              { type: "null" },
            ],
          },
        },
      },
    },
  ],
];

/** Schema of the parameter of each function, by the function's name. */
function schemasOf(tools: readonly Tool[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    tools.map(({ name, parameters: { properties, $defs } }) => [name, [properties?.["value"], $defs]]),
  );
}

it("toolsFromModule() writes the JSON Schema of each type", async () => {
  const functions = CASES.map(([written], index) => `/** Takes it. */ export function f${index}(value${written}) {}`);
  await using module = await writeModule([DECLARATIONS, ...functions].join("\n"));
  const tools = await toolsFromModule(module.path);
  const expected = CASES.map(([_written, schema, definitions]) => [schema, definitions]);
  expect(schemasOf(tools)).toEqual(Object.fromEntries(expected.map((each, index) => [`f${index}`, each])));
});

it("toolsFromModule() makes a parameter optional that has a default or may be undefined", async () => {
  const cases: readonly (readonly [written: string, schema: object])[] = [
    ["value?: string", { type: "string" }],
    ["value: string | undefined", { type: "string" }],
    ["value = 3", { type: "number", default: 3 }],
    ["value = -1.5e3", { type: "number", default: -1500 }],
    ['value: "a" | "b" = "a"', { type: "string", enum: ["a", "b"], default: "a" }],
    ["value = true", { type: "boolean", default: true }],
    ["value: string | null = null", { anyOf: [{ type: "string" }, { type: "null" }], default: null }],
    ["value: readonly string[] = ['x', `y`]", { type: "array", items: { type: "string" }, default: ["x", "y"] }],
    [
      "value: Record<string, number> = { a: LIMIT, 'b c': 2 }",
      {
        type: "object",
        additionalProperties: { type: "number" },
        default: { a: 200, "b c": 2 },
      },
    ],
    ["value = LIMIT", { type: "number", default: 200 }],
    ["value = Color.Red", { type: "string", enum: ["red"], default: "red" }],
    ["value = Math.random()", { type: "number" }],
    ["value: string[] = [String(LIMIT)]", { type: "array", items: { type: "string" } }],
    ["value: Record<string, number> = { ...MORE }", { type: "object", additionalProperties: { type: "number" } }],
  ];
  const functions = cases.map(([written], index) => `/** Takes it. */ export function f${index}(${written}) {}`);
  const declarations = 'enum Color { Red = "red" } const LIMIT = 200; const MORE = { a: 1 };';
  await using module = await writeModule([declarations, ...functions].join("\n"));
  const tools = await toolsFromModule(module.path);
  expect(tools.map(({ parameters }) => parameters.required)).toEqual(cases.map(() => undefined));
  expect(schemasOf(tools)).toEqual(
    Object.fromEntries(cases.map(([_written, schema], index) => [`f${index}`, [schema, undefined]])),
  );
});
