import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { ReadContext } from "../../src/contract/tool.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { answers } from "../seeds/seed-engine.ts";

const minimal = { name: "forecast", description: "Says how the weather will be", risk: "read" } as const;

/** One and the same input and output, as each kind of schema says it. */
const JSON_INPUT = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 1 },
    days: { type: "integer", default: 3 },
    unit: { enum: ["C", "F"] },
    place: {
      type: "object",
      properties: { zip: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
      required: ["zip"],
    },
  },
  required: ["city", "place"],
} as const;
const JSON_OUTPUT = { type: "object", properties: { degrees: { type: "number" } }, required: ["degrees"] } as const;

const ZOD_INPUT = z.object({
  city: z.string().min(1),
  days: z.int().default(3),
  unit: z.enum(["C", "F"]).optional(),
  place: z.object({ zip: z.string(), tags: z.array(z.string()).optional() }),
});
const ZOD_OUTPUT = z.object({ degrees: z.number() });

const VALIBOT_INPUT = toStandardJsonSchema(
  v.object({
    city: v.pipe(v.string(), v.minLength(1)),
    days: v.optional(v.pipe(v.number(), v.integer()), 3),
    unit: v.optional(v.picklist(["C", "F"])),
    place: v.object({ zip: v.string(), tags: v.optional(v.array(v.string())) }),
  }),
);
const VALIBOT_OUTPUT = toStandardJsonSchema(v.object({ degrees: v.number() }));

const ARKTYPE_INPUT = type({
  city: "string >= 1",
  days: "number.integer = 3",
  "unit?": "'C' | 'F'",
  place: { zip: "string", "tags?": "string[]" },
});
const ARKTYPE_OUTPUT = type({ degrees: "number" });

/** What `execute` may rely on, whatever wrote the schema. */
interface Shown {
  readonly city: string;
  readonly days: number;
  readonly unit?: "C" | "F" | undefined;
  readonly place: { readonly zip: string; readonly tags?: readonly string[] | undefined };
}

const degreesIn = ({ city, days, unit = "C" }: Shown) => ({ degrees: city.length + days + (unit === "C" ? 0 : 100) });

const TOOLS = {
  "a JSON Schema": defineTool({
    ...minimal,
    parameters: JSON_INPUT,
    output: JSON_OUTPUT,
    execute: (input, context) => {
      expectTypeOf(input.days).toEqualTypeOf<number>();
      expectTypeOf(input.unit).toEqualTypeOf<"C" | "F" | undefined>();
      expectTypeOf(input.place.tags).toEqualTypeOf<readonly string[] | undefined>();
      expectTypeOf(context).toEqualTypeOf<ReadContext>();
      return degreesIn(input);
    },
  }),
  Zod: defineTool({
    ...minimal,
    parameters: ZOD_INPUT,
    output: ZOD_OUTPUT,
    execute: (input, context) => {
      expectTypeOf(input).toEqualTypeOf<z.output<typeof ZOD_INPUT>>();
      expectTypeOf(context).toEqualTypeOf<ReadContext>();
      return degreesIn(input);
    },
  }),
  Valibot: defineTool({
    ...minimal,
    parameters: VALIBOT_INPUT,
    output: VALIBOT_OUTPUT,
    execute: async (input, context) => {
      expectTypeOf(input.days).toEqualTypeOf<number>();
      expectTypeOf(input.unit).toEqualTypeOf<"C" | "F" | undefined>();
      expectTypeOf(input.place.tags).toEqualTypeOf<string[] | undefined>();
      expectTypeOf(context).toEqualTypeOf<ReadContext>();
      return await Promise.resolve(degreesIn(input));
    },
  }),
  ArkType: defineTool({
    ...minimal,
    parameters: ARKTYPE_INPUT,
    output: ARKTYPE_OUTPUT,
    execute: (input, context) => {
      expectTypeOf(input).toEqualTypeOf<typeof ARKTYPE_INPUT.infer>();
      expectTypeOf(context).toEqualTypeOf<ReadContext>();
      return degreesIn(input);
    },
  }),
};

describe("defineTool()", () => {
  it.each(Object.entries(TOOLS))(
    "checks and fills in the input of %s, and checks what comes out",
    async (_kind, tool) => {
      const results = await answers(
        { tools: [tool] },
        ["forecast", { city: "Oslo", place: { zip: "0150" } }],
        ["forecast", { city: "Oslo", days: 1, unit: "F", place: { zip: "0150", tags: ["sea"] } }],
        ["forecast", { city: "", place: { zip: "0150" } }],
        ["forecast", { city: "Oslo", unit: "K", place: { zip: "0150" } }],
        ["forecast", { city: "Oslo", place: { tags: [] } }],
      );
      expect(results.map((result) => (result.success ? result.structured : result.error))).toEqual([
        { degrees: 7 },
        { degrees: 105 },
        "(input error: city must have at least 1 character, not 0)",
        '(input error: unit must be "C" or "F", not "K")',
        "(input error: place.zip is required)",
      ]);
      expect(tool.output).toMatchObject(JSON_OUTPUT);
    },
  );

  it("holds execute to the input and the output of each kind of schema when it is compiled", () => {
    const takesNumber = (input: { city: number }) => ({ degrees: input.city });
    const givesText = () => ({ degrees: "warm" });
    const writes = (_input: object, context: { workspace: { writeFile: unknown } }) => context;
    const refused = [
      // @ts-expect-error -- the JSON Schema says a string
      defineTool({ ...minimal, parameters: JSON_INPUT, execute: takesNumber }),
      // @ts-expect-error -- Zod says a string
      defineTool({ ...minimal, parameters: ZOD_INPUT, execute: takesNumber }),
      // @ts-expect-error -- Valibot says a string
      defineTool({ ...minimal, parameters: VALIBOT_INPUT, execute: takesNumber }),
      // @ts-expect-error -- ArkType says a string
      defineTool({ ...minimal, parameters: ARKTYPE_INPUT, execute: takesNumber }),
      // @ts-expect-error -- the JSON Schema says a number
      defineTool({ ...minimal, output: JSON_OUTPUT, execute: givesText }),
      // @ts-expect-error -- Zod says a number
      defineTool({ ...minimal, output: ZOD_OUTPUT, execute: givesText }),
      // @ts-expect-error -- Valibot says a number
      defineTool({ ...minimal, output: VALIBOT_OUTPUT, execute: givesText }),
      // @ts-expect-error -- ArkType says a number
      defineTool({ ...minimal, output: ARKTYPE_OUTPUT, execute: givesText }),
      // @ts-expect-error -- a read tool cannot write
      defineTool({ ...minimal, execute: writes }),
      // @ts-expect-error -- there is no third argument
      defineTool({ ...minimal, execute: (_input: object, _context: object, third: string) => third }),
    ];
    // What is wrong is wrong for the compiler only.
    expect(refused.map(({ name }) => name)).toEqual(refused.map(() => "forecast"));
  });
});
