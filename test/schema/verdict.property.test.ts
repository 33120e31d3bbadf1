import { Ajv2020 } from "ajv/dist/2020.js";
import { array, assert, constantFrom, dictionary, letrec, oneof, property, record } from "fast-check";
import { expect, it } from "vitest";
import type { ObjectSchema } from "../../src/contract/json-schema.ts";
import { compileSchema } from "../../src/schema/compile-schema.ts";

type Schema = Readonly<Record<string, unknown>>;

const key = constantFrom("a", "b", "xa", "");
const scalar = constantFrom<unknown>(null, true, 0, 1, 2, -1.5, "", "a", "xyz", "2026-01-31");

const { value } = letrec<{ value: unknown }>((tie) => ({
  value: oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: scalar },
    array(tie("value"), { maxLength: 3 }),
    dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
}));

const texts = record(
  {
    type: constantFrom("string"),
    minLength: constantFrom(1, 2),
    maxLength: constantFrom(2),
    pattern: constantFrom("^[a-y]"),
  },
  { requiredKeys: ["type"] },
);
const numbers = record(
  {
    type: constantFrom("integer", "number"),
    minimum: constantFrom(0),
    exclusiveMaximum: constantFrom(2),
    multipleOf: constantFrom(0.5, 2),
  },
  { requiredKeys: ["type"] },
);

/** Every object says what becomes of other keys, so that the engine adds nothing. */
const { schema } = letrec<{ schema: Schema; objects: Schema }>((tie) => ({
  objects: record<Schema>(
    {
      type: constantFrom("object"),
      properties: dictionary(constantFrom("a", "b", ""), tie("schema"), { maxKeys: 3 }),
      additionalProperties: oneof(constantFrom<unknown>(true, false), tie("schema")),
      required: array(key, { maxLength: 2 }).map((keys) => [...new Set(keys)]),
      patternProperties: record({ "^x": tie("schema") }),
      propertyNames: constantFrom({ minLength: 1 }),
      minProperties: constantFrom(1),
      maxProperties: constantFrom(2),
      dependentRequired: constantFrom({ a: ["b"] }),
    },
    { requiredKeys: ["type", "additionalProperties"] },
  ),
  schema: oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 2, arbitrary: texts },
    { weight: 2, arbitrary: numbers },
    constantFrom<Schema>({ enum: ["a", 1, null] }, { const: 0 }, { type: ["string", "null"] }, { type: "boolean" }),
    tie("objects"),
    record({ type: constantFrom("array"), items: tie("schema"), uniqueItems: constantFrom(true, false) }),
    record({ type: constantFrom("array"), contains: tie("schema"), maxItems: constantFrom(2) }),
    record({ anyOf: array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    record({ oneOf: array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    record({ not: tie("schema") }),
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    record({ if: tie("schema"), then: tie("schema"), else: tie("schema") }),
  ),
}));

const plainAjv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false });

it("InputValidator.check() says of any input what Ajv says of it, coercions apart", () => {
  const verdicts = { valid: 0, invalid: 0 };
  const input = dictionary(constantFrom("p", "q"), value, { maxKeys: 2 });
  assert(
    property(schema, schema, array(input, { minLength: 1, maxLength: 8 }), (p, q, inputs) => {
      const tool: ObjectSchema = { type: "object", properties: { p, q }, additionalProperties: false };
      const validator = compileSchema(tool);
      const accepts = plainAjv.compile(tool);
      for (const each of inputs) {
        const checked = validator.check(each);
        const verdict = checked.valid && checked.coercions.length === 0;
        verdicts[verdict ? "valid" : "invalid"] += 1;
        const seen = { tool, each, verdict, taken: checked.valid && verdict ? checked.value : each };
        expect(seen).toEqual({ tool, each, verdict: accepts(each), taken: each });
      }
    }),
    { numRuns: 200 },
  );
  expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(50);
});
