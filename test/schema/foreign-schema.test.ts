import { expect, it } from "vitest";
import { compileForeignOutput, compileForeignSchema, compileSchema } from "../../src/schema/compile-schema.ts";

const LISTED = {
  $schema: "https://example.com/a-dialect-of-its-own",
  type: "object",
  properties: {
    count: { type: "integer", format: "uint32", minimum: 0, default: 10 },
    email: { type: "string", pattern: "^(?!\\.)(?!.*\\.\\.)[a-z.]+@[a-z]+$" },
    nested: { properties: { a: { type: "string" } }, "x-note": "no type, and a keyword that nobody knows" },
  },
  required: ["count"],
};

it("compileForeignSchema() compiles what a strict compiler refuses, and drops a dialect that it does not know", () => {
  const validator = compileForeignSchema(LISTED);
  const { $schema: _dialect, ...rest } = LISTED;
  expect(validator.schema).toEqual(rest);
  expect(validator.check({ count: 1, nested: { a: "b" } })).toEqual({
    valid: true,
    value: { count: 1, nested: { a: "b" } },
    coercions: [],
  });
});

it("compileForeignSchema() fills in no default", () => {
  expect(compileForeignSchema(LISTED).check({})).toEqual({
    valid: false,
    message: "(input error: count is required)",
    problems: ["count is required"],
  });
});

it("compileForeignSchema() leaves a pattern that RE2 cannot run to the server", () => {
  const evil = { type: "object", properties: { text: { type: "string", pattern: "^(?=a)(a+)+$" } } };
  const input = { text: `${"a".repeat(50_000)}!` };
  expect(compileForeignSchema(evil).check(input)).toEqual({ valid: true, value: input, coercions: [] });
});

it("compileForeignSchema() still runs a pattern that RE2 can run", () => {
  const schema = { type: "object", properties: { text: { type: "string", pattern: "^a+$" } } };
  expect(compileForeignSchema(schema).check({ text: "b" })).toMatchObject({
    message: '(input error: text must match the pattern ^a+$, not "b")',
  });
});

it("compileForeignSchema() refuses unknown arguments, except where a required one is not described", () => {
  const closed = { type: "object", properties: { a: { type: "string" } } };
  const open = { type: "object", properties: { a: { type: "string" } }, required: ["b"] };
  expect(compileForeignSchema(closed).check({ c: 1 })).toMatchObject({
    message: '(input error: c is not a known argument, did you mean "a"?)',
  });
  expect(compileForeignSchema(open).check({ b: 1, c: 1 }).valid).toBe(true);
});

it("compileForeignSchema() refuses a schema that says nothing sensible", () => {
  const refused = [{ type: "array" }, { type: "object", properties: 7 }, { type: "object", $ref: "#/none" }, "text"];
  for (const schema of refused) expect(() => compileForeignSchema(schema)).toThrow(/^Cannot compile the schema: /);
});

it("compileSchema() gives the same validator for the schema out of a foreign one", () => {
  const validator = compileForeignSchema(LISTED);
  expect(compileSchema(validator.schema)).toBe(validator);
});

it("compileForeignOutput() says what is wrong with a value, and allows keys that the schema does not list", () => {
  const check = compileForeignOutput({ type: "object", properties: { sum: { type: "number" } }, required: ["sum"] });
  expect(check({ sum: 3, more: true })).toEqual([]);
  expect(check({ sum: "3" })).toEqual(['sum must be a number, not "3"']);
});
