import {
  type Arbitrary,
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  option,
  record,
  tuple,
} from "fast-check";
import type { JsonValue, ObjectSchema } from "../../../src/contract/json-schema.ts";

/** A schema with a value that may or may not fit it. */
export interface Sample {
  readonly schema: ObjectSchema;
  readonly input: JsonValue;
}

type Schema = Readonly<Record<string, unknown>>;
interface Pair {
  readonly schema: Schema;
  /** Fits most of the time. */
  readonly value: JsonValue;
}

const KEYS = ["a", "b", "c", "d"] as const;

/** Values of every type, to put where they do not fit. */
const anything: Arbitrary<JsonValue> = oneof(
  constantFrom<JsonValue>(null, true, false, 0, 1, 7, -3, 1.5, "", "x", "abc", [], ["x"], {}),
  record({ a: constantFrom<JsonValue>(null, 1, "x") }),
);

const texts: Arbitrary<Pair> = record({
  schema: record(
    { type: constant("string"), minLength: constantFrom(0, 2), pattern: constant("^[a-z]*$"), maxLength: constant(4) },
    { requiredKeys: ["type"] },
  ),
  value: constantFrom("", "x", "abc", "abcdef", "A"),
});
const numbers: Arbitrary<Pair> = record({
  schema: record(
    {
      type: constantFrom("integer", "number"),
      minimum: constantFrom(0, 1),
      exclusiveMaximum: constantFrom(7, 7.5),
      multipleOf: constantFrom(1, 2),
    },
    { requiredKeys: ["type"] },
  ),
  value: constantFrom(0, 1, 2, 7, -3, 1.5),
});
const choices: Arbitrary<Pair> = constantFrom<Pair>(
  { schema: { type: "string", enum: ["x", "abc"] }, value: "x" },
  { schema: { const: "x" }, value: "x" },
  { schema: { enum: ["x", 1, null] }, value: 1 },
  { schema: { type: ["string", "null"], enum: ["x", null] }, value: null },
  { schema: { type: "integer", enum: [1, 7] }, value: 7 },
  { schema: { type: "boolean" }, value: true },
);
const several: Arbitrary<Pair> = record({
  schema: record({ type: constantFrom(["string", "null"], ["integer", "boolean"], ["string", "number", "null"]) }),
  value: constantFrom<JsonValue>(null, "x", 1, true),
});
const leaf: Arbitrary<Pair> = oneof(texts, numbers, choices, several);

function lists(items: Arbitrary<Pair>): Arbitrary<Pair> {
  return tuple(items, integer({ min: 0, max: 3 }), boolean()).map(([item, count, isBounded]) => ({
    schema: { type: "array", items: item.schema, ...(isBounded ? { minItems: 1, uniqueItems: true } : {}) },
    value: Array.from({ length: count }, () => item.value),
  }));
}

function unions(branches: Arbitrary<Pair>): Arbitrary<Pair> {
  return tuple(branches, branches, constantFrom("anyOf", "oneOf"), boolean()).map(([left, right, keyword, isLeft]) => ({
    schema: { [keyword]: [left.schema, right.schema] },
    value: isLeft ? left.value : right.value,
  }));
}

function objects(properties: Arbitrary<Pair>): Arbitrary<Pair & { readonly schema: ObjectSchema }> {
  const property = record({
    pair: properties,
    isRequired: boolean(),
    isGiven: boolean(),
    hasDefault: boolean(),
    wrong: option(anything, { freq: 12 }),
  });
  return tuple(array(property, { maxLength: 4 }), constantFrom<JsonValue>(1, 2, 3)).map(([list, extra]) => {
    const named = list.map((each, index) => ({ ...each, name: KEYS[index]! }));
    return {
      schema: {
        type: "object",
        properties: Object.fromEntries(named.map(({ name, pair }) => [name, pair.schema])),
        required: named.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      } as const,
      value: Object.fromEntries([
        ...named
          .filter(({ isGiven, isRequired }) => isGiven || isRequired)
          .map(({ name, pair, wrong }) => [name, wrong ?? pair.value]),
        ...(list.length === 3 && extra === 1 ? [["extra", 1]] : []),
      ]) as JsonValue,
    };
  });
}

/** Objects that hold objects, lists and unions, `depth` levels of them. */
function nested(depth: number): Arbitrary<Pair> {
  if (depth === 0) return leaf;
  const inner = nested(depth - 1);
  return oneof({ arbitrary: leaf, weight: 2 }, objects(inner), lists(inner), unions(oneof(inner, objects(leaf))));
}

/** Schemas of the kind that every provider takes, with inputs that fit or do not. */
export const samples: Arbitrary<Sample> = oneof(
  objects(nested(2)),
  objects(leaf),
  tuple(objects(nested(1)), objects(leaf), objects(leaf), constantFrom("anyOf", "oneOf", "allOf"), boolean()).map(
    ([own, left, right, keyword, isLeft]) => ({
      schema: { ...own.schema, [keyword]: [left.schema, right.schema] },
      value: { ...asObject(own.value), ...asObject(isLeft ? left.value : right.value) },
    }),
  ),
).map(({ schema, value }) => ({ schema, input: value }));

function asObject(value: JsonValue): Record<string, JsonValue> {
  return value as Record<string, JsonValue>;
}
