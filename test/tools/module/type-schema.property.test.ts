import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "../../../src/contract/json-schema.ts";
import { compileSchema } from "../../../src/schema/compile-schema.ts";
import { toolsFromModule } from "../../../src/tools/module/tools-from-module.ts";
import { writeModule } from "./written-module.ts";

/** A type as it is written, with a value that it has and values that it does not have. */
interface TypeSample {
  readonly written: string;
  readonly value: JsonValue;
  readonly others: readonly JsonValue[];
}

/** What no type below accepts: a text that looks like nothing else, and a nesting that none of them has. */
const STRANGE: readonly JsonValue[] = ["\u0000strange", [[[[[["strange"]]]]]], { strange: { strange: {} } }];

function sample(written: string, value: fc.Arbitrary<JsonValue>, others: readonly JsonValue[] = STRANGE) {
  return value.map((each): TypeSample => ({ written, value: each, others }));
}

const text = fc.string({ unit: "grapheme-ascii", maxLength: 8 });

const { type } = fc.letrec<{ type: TypeSample }>((tie) => ({
  type: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    sample("number", fc.integer()),
    sample("boolean", fc.boolean()),
    sample("null", fc.constant(null)),
    sample("string", text, STRANGE.slice(1)),
    fc
      .uniqueArray(fc.oneof(text, fc.integer()), { minLength: 1, maxLength: 4 })
      .chain((literals) =>
        sample(literals.map((each) => JSON.stringify(each)).join(" | "), fc.constantFrom(...literals)),
      ),
    tie("type").map(({ written, value, others }) => ({
      written: `readonly (${written})[]`,
      value: [value, value],
      others: others.map((other) => [value, other]),
    })),
    tie("type").map(({ written, value, others }) => ({
      written: `Record<string, ${written}>`,
      value: { any: value },
      others: others.map((other) => ({ any: other })),
    })),
    fc.tuple(tie("type"), tie("type")).map(([first, second]) => ({
      written: `{ readonly "the first": ${first.written}; second?: ${second.written} }`,
      value: { "the first": first.value },
      others: [
        {},
        { "the first": first.value, third: 1 },
        ...first.others.map((other) => ({ "the first": other })),
        ...second.others.map((other) => ({ "the first": first.value, second: other })),
      ],
    })),
  ),
}));

it("toolsFromModule() writes schemas that accept what the types do, for any types", async () => {
  const seed = Date.now();
  const samples = fc.sample(type, { numRuns: 150, seed });
  const functions = samples.map(
    ({ written }, index) => `/** Takes it. */ export function f${index}(value: ${written}) {}`,
  );
  await using module = await writeModule(functions.join("\n"));
  for (const tool of await toolsFromModule(module.path)) {
    const { written, value, others } = samples[Number(tool.name.slice(1))] as TypeSample;
    const validator = compileSchema(tool.parameters);
    const accepted = [value, ...others].filter((each) => validator.check({ value: each }).valid);
    expect(accepted, `${written} of the seed ${seed}`).toEqual([value]);
  }
});
