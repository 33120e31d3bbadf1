import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { StandardSchema } from "../../src/contract/standard-schema.ts";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { ToolError } from "../../src/errors/tool-error.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const CANNOT = 'Cannot define tool "probe": "parameters" is no schema that can be used: Cannot compile the schema:';
const minimal = { name: "probe", description: "Does nothing", risk: "read", execute: () => "done" } as const;

const RANGE = z
  .object({ from: z.int().min(0), to: z.int().default(9), tag: z.string().trim().optional() })
  .refine(({ from, to }) => from <= to, { message: "must not be beyond its end", path: ["from"] });

/** What a library other than Zod hands over, as little as the standard asks for. */
function handMade<Output>(
  validate: StandardSchema<unknown, Output>["~standard"]["validate"],
  jsonSchema: Record<string, unknown> = {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  },
): StandardSchema<unknown, Output> {
  const write = () => jsonSchema;
  return { "~standard": { version: 1, vendor: "hand-made", validate, jsonSchema: { input: write, output: write } } };
}

describe("defineTool() with a Standard Schema", () => {
  it("shows the model the JSON Schema of what goes in", () => {
    expect(defineTool({ ...minimal, parameters: RANGE }).spec.parameters).toEqual({
      type: "object",
      properties: {
        from: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        to: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, default: 9 },
        tag: { type: "string" },
      },
      required: ["from"],
    });
  });

  it("takes the schema of the output from the other side", () => {
    const output = z.object({ when: z.string().transform((text) => text.length) }).pipe(z.object({ when: z.number() }));
    const tool = defineTool({ ...minimal, output, execute: () => ({ when: 3 }) });
    expect(tool.output).toMatchObject({ type: "object", properties: { when: { type: "number" } } });
  });

  it("hands over what defaults and transforms make of an input", async () => {
    const tool = defineTool({ ...minimal, parameters: RANGE, execute: (input) => ({ ...input }) });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const result = await temporary.engine.dispatch({ id: "1", name: "probe", input: { from: 2, tag: "  a " } });
    expect(result).toMatchObject({ success: true, structured: { from: 2, to: 9, tag: "a" } });
  });

  it("lets a transform make what JSON has no word for, and shows the reviewer the plain input", async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      ...minimal,
      requiresApproval: true,
      parameters: z.object({ day: z.iso.date().transform((text) => new Date(text)) }),
      describe: ({ day }) => `ask about ${day.getUTCFullYear()}`,
      execute: ({ day }) => day.getTime() + (day instanceof Date ? 1 : 0),
    });
    await using temporary = await temporaryEngine({
      tools: [tool],
      reviewer: ({ input, description }) => {
        seen.push(input, description);
        return { decision: "approve" };
      },
    });
    const result = await temporary.engine.dispatch({ id: "1", name: "probe", input: { day: "1970-01-02" } });
    expect(result).toMatchObject({ success: true, output: "86400001" });
    expect(seen).toEqual([{ day: "1970-01-02" }, "ask about 1970"]);
  });

  it("answers what a refinement refuses before anybody is asked", async () => {
    const tool = defineTool({ ...minimal, requiresApproval: true, parameters: RANGE });
    await using temporary = await temporaryEngine({ tools: [tool], reviewer: () => expect.fail("nobody is asked") });
    const result = await temporary.engine.dispatch({ id: "1", name: "probe", input: { from: 12 } });
    expect(result).toMatchObject({
      success: false,
      errorKind: "validation",
      error: "(input error: from: must not be beyond its end)",
    });
  });

  it("says what the JSON Schema refuses in the same words as for every tool", async () => {
    await using temporary = await temporaryEngine({ tools: [defineTool({ ...minimal, parameters: RANGE })] });
    const result = await temporary.engine.dispatch({ id: "1", name: "probe", input: { from: "x", form: 1 } });
    expect(result).toMatchObject({
      error: '(input error: form is not a known argument; from must be an integer, not "x")',
    });
  });

  it("checks again when a tool is executed by itself", () => {
    const tool = defineTool({ ...minimal, parameters: RANGE });
    const execute = () => tool.execute({ from: 12 } as never, undefined as never);
    expect(execute).toThrow(new ToolError("(input error: from: must not be beyond its end)", { kind: "validation" }));
  });

  it("takes a schema of any library that follows the standard, functions among them", async () => {
    const schema = handMade((value) => ({ value: { city: (value as { city: string }).city.toUpperCase() } }));
    const callable = Object.assign(() => undefined, schema);
    const tool = defineTool({ ...minimal, parameters: callable, execute: ({ city }) => city });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const result = await temporary.engine.dispatch({ id: "1", name: "probe", input: { city: "Rome" } });
    expect(result.output).toBe("ROME");
  });

  it("gives the schema a copy, so that it cannot change what was approved", async () => {
    const greedy = handMade((value) => {
      Object.assign(value as object, { city: "changed" });
      return { value: { city: "given" } };
    });
    const seen: unknown[] = [];
    const tool = defineTool({ ...minimal, requiresApproval: true, parameters: greedy, execute: ({ city }) => city });
    await using temporary = await temporaryEngine({
      tools: [tool],
      reviewer: ({ input }) => {
        seen.push(input);
        return { decision: "approve" };
      },
    });
    const result = await temporary.engine.dispatch({ id: "1", name: "probe", input: { city: "Rome" } });
    expect([result.output, seen]).toEqual(["given", [{ city: "Rome" }]]);
  });

  it.each<[string, StandardSchema, string]>([
    [
      "is asynchronous",
      handMade(async (value) => ({ value })),
      "its check is asynchronous; inputs are checked synchronously, so check what takes time in the tool's own code",
    ],
    [
      "rejects",
      handMade(async () => await Promise.reject(new Error("late"))),
      "its check is asynchronous; inputs are checked synchronously, so check what takes time in the tool's own code",
    ],
    [
      "has no JSON Schema",
      { "~standard": { version: 1, vendor: "old", validate: (value: unknown) => ({ value }) } } as never,
      'it is a Standard Schema of "old" that cannot be written as a JSON Schema; use a version of the library with StandardJSONSchemaV1, or a JSON Schema',
    ],
    [
      "holds what JSON has not",
      z.object({ at: z.date() }),
      "its library cannot write it as a JSON Schema (Date cannot be represented in JSON Schema); use types that JSON has",
    ],
    ["is of no object", z.array(z.string()), 'its "type" is "array"; a tool\'s input is an object, so use "object"'],
  ])("throws when the schema %s", (_name, parameters, problem) => {
    expect(() => defineTool({ ...minimal, parameters })).toThrow(new ToolDefinitionError(`${CANNOT} ${problem}`));
  });

  it.each<[string, StandardSchema, string]>([
    [
      "is asynchronous in one refinement",
      z.object({ city: z.string().refine(async (city) => await Promise.resolve(city !== "")) }),
      "Cannot check the input: its check is asynchronous; inputs are checked synchronously, so check what takes time in the tool's own code",
    ],
    [
      "throws",
      handMade(() => {
        throw new Error("a bug");
      }),
      "Cannot check the input: the check of its schema failed (a bug); correct the tool's definition",
    ],
  ])("answers with the tool's own failure when the schema %s", async (_name, parameters, error) => {
    const tool = defineTool({ ...minimal, parameters });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const result = await temporary.engine.dispatch({ id: "1", name: "probe", input: { city: "Rome" } });
    expect(result).toMatchObject({ success: false, errorKind: "internal", attempts: 0, error });
  });
});

describe("defineTool() types with a Standard Schema", () => {
  it("infers the input after transforms, and holds what is returned to the output", () => {
    defineTool({
      ...minimal,
      parameters: z.object({
        day: z.string().transform(Number),
        limit: z.int().default(3),
        note: z.string().optional(),
      }),
      output: z.object({ total: z.number() }),
      execute(input) {
        expectTypeOf(input).toEqualTypeOf<{ day: number; limit: number; note?: string | undefined }>();
        return { total: input.day };
      },
    });
    const parameters = handMade(() => ({ value: { city: "Rome" } }));
    defineTool({
      ...minimal,
      parameters,
      output: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
      execute: async (input) => {
        expectTypeOf(input).toEqualTypeOf<{ city: string }>();
        return await Promise.resolve({ success: true, output: "three", structured: { count: 3 } });
      },
    });
    // @ts-expect-error -- the output says a number
    defineTool({ ...minimal, output: z.object({ total: z.number() }), execute: () => ({ total: "three" }) });
    // @ts-expect-error -- the schema says a string
    defineTool({ ...minimal, parameters: z.object({ city: z.string() }), execute: (input: { city: number }) => input });
    expect(parameters["~standard"].vendor).toBe("hand-made");
  });
});
