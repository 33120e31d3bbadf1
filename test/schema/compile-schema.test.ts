import { anything, assert, property, stringify } from "fast-check";
import { describe, expect, it } from "vitest";
import type { ObjectSchema } from "../../src/contract/json-schema.ts";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { compileSchema } from "../../src/schema/compile-schema.ts";

function object(properties: Record<string, unknown>, rest: Record<string, unknown> = {}): ObjectSchema {
  // Tests also hand over what the type does not allow.
  return { type: "object", properties, ...rest } as ObjectSchema;
}

function messageOf(schema: ObjectSchema, input: unknown): string {
  const result = compileSchema(schema).check(input);
  return result.valid ? `valid: ${JSON.stringify(result.value)}` : result.message;
}

function withId(type: string): ObjectSchema {
  return object({ x: { type } }, { $id: "https://example.test/tool" });
}

describe("compileSchema()", () => {
  it("reports every problem in one message when several arguments are wrong", () => {
    const schema = object(
      { path: { type: "string" }, limit: { type: "integer", minimum: 1 }, exact: { type: "boolean" } },
      { required: ["path"] },
    );
    expect(messageOf(schema, { limit: 0, extra: true })).toBe(
      '(input error: path is required; extra is not a known argument, did you mean "exact"?; limit must be at least 1, not 0)',
    );
  });

  const violations: readonly [name: string, schema: Record<string, unknown>, value: unknown, problem: string][] = [
    ["type", { type: "integer" }, "many", 'x must be an integer, not "many"'],
    ["type of several", { type: ["string", "null"] }, 5, "x must be a string or null, not 5"],
    ["enum", { enum: ["a", "b", "c"] }, "d", 'x must be "a", "b" or "c", not "d"'],
    ["const", { const: 1 }, 2, "x must be 1, not 2"],
    ["maximum", { type: "number", maximum: 5 }, 6, "x must be at most 5, not 6"],
    ["exclusiveMinimum", { type: "number", exclusiveMinimum: 0 }, 0, "x must be greater than 0, not 0"],
    ["exclusiveMaximum", { type: "number", exclusiveMaximum: 3 }, 3, "x must be less than 3, not 3"],
    ["multipleOf", { type: "number", multipleOf: 2 }, 3, "x must be a multiple of 2, not 3"],
    ["minLength", { type: "string", minLength: 1 }, "", "x must have at least 1 character, not 0"],
    ["maxLength", { type: "string", maxLength: 2 }, "a😀b", "x must have at most 2 characters, not 3"],
    ["pattern", { type: "string", pattern: "^[a-z]+$" }, "A", 'x must match the pattern ^[a-z]+$, not "A"'],
    ["format", { type: "string", format: "email" }, "me", 'x must be in the format "email", not "me"'],
    ["minItems", { type: "array", minItems: 2 }, [1], "x must have at least 2 items, not 1"],
    ["maxItems", { type: "array", maxItems: 1 }, [1, 2], "x must have at most 1 item, not 2"],
    [
      "uniqueItems",
      { type: "array", uniqueItems: true },
      [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }],
      "x must not hold the same item twice (items 0 and 2)",
    ],
    ["items", { type: "array", items: { type: "string" } }, ["a", 1], "x.1 must be a string, not 1"],
    ["minProperties", { type: "object", minProperties: 1 }, {}, "x must have at least 1 property, not 0"],
    ["maxProperties", { type: "object", maxProperties: 0 }, { a: 1 }, "x must have at most 0 properties, not 1"],
    ["propertyNames", { type: "object", propertyNames: { pattern: "^a" } }, { b: 1 }, "x.b is not an allowed name"],
    [
      "dependentRequired",
      { type: "object", properties: { a: {}, b: {} }, dependentRequired: { a: ["b"] } },
      { a: 1 },
      "x.b is required when x.a is given",
    ],
    ["a false schema", { type: "object", properties: { a: false } }, { a: 1 }, "x.a is not allowed"],
    [
      "contains",
      { type: "array", contains: { type: "string" } },
      [1],
      "x does not hold an item that its schema asks for",
    ],
    ["not", { not: { type: "string" } }, "a", 'x must not be "a"'],
    [
      "if and then",
      // oxlint-disable-next-line unicorn/no-thenable -- "then" is a keyword of JSON Schema
      { type: "number", if: { minimum: 5 }, then: { multipleOf: 5 } },
      6,
      "x must be a multiple of 5, not 6",
    ],
  ];

  it.each(violations.map(([name, ...rest]) => [name, rest] as const))("words a violated %s", (_name, rest) => {
    const [property, value, expected] = rest;
    expect(messageOf(object({ x: property }), { x: value })).toBe(`(input error: ${expected})`);
  });

  it("refuses unknown keys at every depth when the schema says nothing about them", () => {
    const schema = object({ edits: { type: "array", items: object({ old_text: { type: "string" } }) } });
    expect(messageOf(schema, { edits: [{ old_text: "a" }, { oldtext: "b" }] })).toBe(
      '(input error: edits.1.oldtext is not a known argument, did you mean "old_text"?)',
    );
  });

  it("allows unknown keys where the schema allows them or lists no properties", () => {
    const schema = object({ open: object({}, { additionalProperties: true }), free: { type: "object" } });
    expect(messageOf(schema, { open: { a: 1 }, free: { b: 2 } })).toBe('valid: {"open":{"a":1},"free":{"b":2}}');
  });

  it.each(["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"])(
    "closes an object that several schemas describe only as a whole when the draft is %s",
    ($schema) => {
      const a = object({ a: { type: "string" } });
      const b = object({ b: { type: "string" } });
      const schema = { ...object({ x: { allOf: [a, { $ref: "#/definitions/b" }] } }), $schema, definitions: { b } };
      expect(messageOf(schema, { x: { a: "1", b: "2" } })).toBe('valid: {"x":{"a":"1","b":"2"}}');
      expect(messageOf(schema, { x: { a: "1", c: "2" } })).toBe("(input error: x.c is not a known argument)");
      expect(messageOf(schema, { x: { a: 1, b: "2" } })).toBe("(input error: x.a must be a string, not 1)");
    },
  );

  it("closes a recursive schema at each level", () => {
    const node = object({ name: { type: "string" }, child: { $ref: "#/$defs/node" } }, { required: ["name"] });
    const schema = object({ tree: { $ref: "#/$defs/node" } }, { $defs: { node } });
    expect(messageOf(schema, { tree: { name: "a", child: { name: "b" } } })).toBe(
      'valid: {"tree":{"name":"a","child":{"name":"b"}}}',
    );
    expect(messageOf(schema, { tree: { name: "a", child: { name: "b", kid: 1 } } })).toBe(
      "(input error: tree.child.kid is not a known argument)",
    );
  });

  it("reports only the branch that was meant when several are possible", () => {
    const circle = object({ kind: { const: "circle" }, radius: { type: "number" } }, { required: ["kind", "radius"] });
    const square = object({ kind: { const: "square" }, side: { type: "number" } }, { required: ["kind", "side"] });
    const schema = object({ shape: { oneOf: [circle, square, { type: "null" }] } });
    expect(messageOf(schema, { shape: { kind: "square" } })).toBe("(input error: shape.side is required)");
    expect(messageOf(schema, { shape: 5 })).toBe("(input error: shape must be an object or null, not 5)");
    expect(messageOf(schema, { shape: { kind: "oval" } })).toBe(
      "(input error: shape fits none of the allowed forms: shape.radius is required, or shape.side is required)",
    );
  });

  it("says so when a value fits two forms of which one is allowed", () => {
    const schema = object({ x: { oneOf: [{ type: "number" }, { type: "integer" }] } });
    expect(messageOf(schema, { x: 1 })).toBe(
      "(input error: x fits more than one of the allowed forms and must fit exactly one)",
    );
  });

  it("shows ten problems and counts the rest when there are more", () => {
    const schema = object({ x: { type: "array", items: { type: "string" } } });
    const problems = Array.from({ length: 10 }, (_, index) => `x.${index} must be a string, not ${index}`);
    expect(messageOf(schema, { x: Array.from({ length: 5_000 }, (_, index) => index) })).toBe(
      `(input error: ${problems.join("; ")}; and 4990 more problems)`,
    );
  });

  it("fills in defaults, nested ones too, and leaves the caller's object alone", () => {
    const schema = object({
      limit: { type: "integer", default: 5 },
      inner: object({ deep: { type: "boolean", default: true } }),
    });
    const input = Object.freeze({ inner: Object.freeze({}) });
    expect(compileSchema(schema).check(input)).toEqual({
      valid: true,
      value: { limit: 5, inner: { deep: true } },
      coercions: [],
    });
    expect(input).toEqual({ inner: {} });
  });

  it("requires an argument that has the name of an inherited property", () => {
    const schema = object({ constructor: { type: "string" } }, { required: ["constructor"] });
    expect(messageOf(schema, {})).toBe("(input error: constructor is required)");
  });

  it("runs a pattern in linear time when the built-in engine would not", () => {
    const started = performance.now();
    const input = `${"a".repeat(50_000)}!`;
    expect(messageOf(object({ x: { type: "string", pattern: "^(a+)+$" } }), { x: input })).toBe(
      `(input error: x must match the pattern ^(a+)+$, not "${"a".repeat(60)}…")`,
    );
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("understands a pattern with lookaround", () => {
    const schema = object({ x: { type: "string", pattern: "^(?!tmp)[a-z]+$" } });
    expect(messageOf(schema, { x: "abc" })).toBe('valid: {"x":"abc"}');
    expect(messageOf(schema, { x: "tmpx" })).toBe(
      '(input error: x must match the pattern ^(?!tmp)[a-z]+$, not "tmpx")',
    );
  });

  it("compares many items for uniqueness in reasonable time", () => {
    const schema = object({ x: { type: "array", uniqueItems: true } });
    const started = performance.now();
    expect(compileSchema(schema).check({ x: Array.from({ length: 20_000 }, (_, index) => ({ index })) }).valid).toBe(
      true,
    );
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("gives one validator for one schema and one fingerprint for one meaning", () => {
    const first = compileSchema(object({ a: { type: "string" }, b: { type: "number" } }));
    const second = compileSchema({ properties: { b: { type: "number" }, a: { type: "string" } }, type: "object" });
    expect(compileSchema(first.schema)).toBe(first);
    expect(second.fingerprint).toBe(first.fingerprint);
    expect(first.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(compileSchema(object({ a: { type: "string" } })).fingerprint).not.toBe(first.fingerprint);
    expect(Object.isFrozen(first.schema.properties?.["a"])).toBe(true);
  });

  it("compiles two schemas with the same $id", () => {
    expect(messageOf(withId("string"), { x: 1 })).toBe("(input error: x must be a string, not 1)");
    expect(messageOf(withId("number"), { x: 1 })).toBe('valid: {"x":1}');
  });
});

describe("compileSchema() on wrong schemas", () => {
  const cyclic: Record<string, unknown> = { type: "object" };
  cyclic["properties"] = { self: cyclic };

  it.each<[string, unknown, string]>([
    ["no object", "string", "it is neither an object nor a boolean; give a JSON Schema"],
    ["a boolean", true, 'it is no JSON object; give a JSON Schema whose type is "object"'],
    ["another root type", { type: "array" }, 'its "type" is "array"; a tool\'s input is an object, so use "object"'],
    ["no root type", { properties: {} }, 'its "type" is undefined; a tool\'s input is an object, so use "object"'],
    [
      "an unknown keyword",
      object({ x: { type: "string", minimumLength: 1 } }),
      'strict mode: unknown keyword: "minimumLength"',
    ],
    [
      "an unknown format",
      object({ x: { type: "string", format: "emial" } }),
      'unknown format "emial" ignored in schema at path "#/properties/x"',
    ],
    [
      "an unknown type",
      object({ x: { type: "text" } }),
      "schema is invalid: data/properties/x/type must be equal to one of the allowed values, data/properties/x/type must be array, data/properties/x/type must match a schema in anyOf",
    ],
    [
      "a broken pattern",
      object({ x: { type: "string", pattern: "(" } }),
      "Invalid regular expression: /(/u: Unterminated group",
    ],
    [
      "a keyword on the wrong type",
      object({ x: { type: "string", minimum: 1 } }),
      'strict mode: missing type "number" for keyword "minimum" at "#/properties/x" (strictTypes)',
    ],
    [
      "a reference to nothing",
      object({ x: { $ref: "#/$defs/none" } }),
      "can't resolve reference #/$defs/none from id #",
    ],
    [
      "a remote reference",
      object({ x: { $ref: "http://127.0.0.1:1/x" } }),
      "can't resolve reference http://127.0.0.1:1/x from id #",
    ],
    [
      "an unknown required",
      object({ a: {} }, { required: ["b"] }),
      '"required" of the root names "b", which is not among its "properties"; add it there or take it out',
    ],
    [
      "a wrong default",
      object({ a: { type: "integer", default: "x" } }),
      'a "default" is not valid itself: a must be an integer, not "x"; give a default that its own schema accepts',
    ],
    [
      "another draft",
      { ...object({}), $schema: "http://json-schema.org/draft-04/schema#" },
      '"$schema" is "http://json-schema.org/draft-04/schema#"; use draft 2020-12 or draft-07, or leave it out for 2020-12',
    ],
    [
      "an asynchronous one",
      { ...object({}), $async: true },
      '"$async" is set; an input is checked synchronously, so leave it out',
    ],
    ["a cycle", cyclic, "the schema is nested deeper than 100 levels, or refers to itself"],
    ["a function", object({ x: () => 1 }), "properties.x must be JSON, not a function"],
  ])("throws when given %s", (_name, schema, problem) => {
    expect(() => compileSchema(schema as ObjectSchema)).toThrow(
      new ToolDefinitionError(`Cannot compile the schema: ${problem}`),
    );
  });
});

describe("check() with stringified values", () => {
  const schema = object({
    list: { type: "array", items: { type: "integer" } },
    map: object({ a: { type: "string" } }),
    count: { type: "integer", minimum: 1 },
    ratio: { type: "number" },
    flag: { type: "boolean" },
    nothing: { type: "null" },
    text: { type: "string" },
    either: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] },
    mixed: { anyOf: [{ type: "string", enum: ["auto"] }, { type: "integer" }] },
  });

  it.each<[string, unknown, string]>([
    ["list", "[1, 2]", "an array"],
    ["map", '{"a":"b"}', "an object"],
    ["count", " 5 ", "an integer"],
    ["ratio", "-1.5e3", "a number"],
    ["flag", "true", "a boolean"],
    ["flag", "False", "a boolean"],
    ["nothing", "null", "null"],
    ["either", '["a"]', "an array"],
    ["either", "null", "null"],
  ])("reads %s = %j and records it", (name, value, type) => {
    const result = compileSchema(schema).check({ [name]: value });
    const text = String(value).trim().toLowerCase();
    expect(result).toEqual({
      valid: true,
      value: { [name]: JSON.parse(text) },
      coercions: [`${name}: a string was read as ${type}`],
    });
  });

  it("reads strings inside of what it has read", () => {
    expect(compileSchema(schema).check('{"list":"[\\"1\\"]"}')).toEqual({
      valid: true,
      value: { list: [1] },
      coercions: [
        "the input: a string was read as an object",
        "list: a string was read as an array",
        "list.0: a string was read as an integer",
      ],
    });
  });

  it.each<[unknown, string]>([
    [{ text: "5" }, 'valid: {"text":"5"}'],
    [{ mixed: "5" }, '(input error: mixed must be "auto", not "5")'],
    [{ count: "0" }, "(input error: count must be at least 1, not 0)"],
    [{ count: "1.5" }, '(input error: count must be an integer, not "1.5")'],
    [{ count: "9007199254740993" }, '(input error: count must be an integer, not "9007199254740993")'],
    [{ count: "0x10" }, '(input error: count must be an integer, not "0x10")'],
    [{ count: "five" }, '(input error: count must be an integer, not "five")'],
    [{ flag: "yes" }, '(input error: flag must be a boolean, not "yes")'],
    [{ flag: 1 }, "(input error: flag must be a boolean, not 1)"],
    [{ list: "[1, 2" }, '(input error: list must be an array, not "[1, 2")'],
    [{ list: '{"a":1}' }, '(input error: list must be an array, not "{\\"a\\":1}")'],
    [{ text: 5 }, "(input error: text must be a string, not 5)"],
    ["shell", '(input error: the input must be an object, not "shell")'],
    [[], "(input error: the input must be an object, not an empty array)"],
  ])("does not guess about %j", (input, expected) => {
    expect(messageOf(schema, input)).toBe(expected);
  });

  it("does not read a string that another form of the object accepts", () => {
    const forms = object({
      x: {
        anyOf: [
          object({ a: { type: "integer" } }, { required: ["a"] }),
          object({ a: { type: "string" }, b: { type: "string" } }, { required: ["a", "b"] }),
        ],
      },
    });
    expect(messageOf(forms, { x: { a: "5" } })).toBe(
      '(input error: x fits none of the allowed forms: x.a must be an integer, not "5", or x.b is required)',
    );
  });

  it.each([
    [null, "null"],
    [undefined, "undefined"],
    ["", "an empty string"],
  ])("takes %j as no arguments when none is required", (input, name) => {
    expect(compileSchema(schema).check(input)).toEqual({
      valid: true,
      value: {},
      coercions: [`the input: ${name} was read as an object without arguments`],
    });
    expect(messageOf(object({ a: {} }, { required: ["a"] }), input)).toBe("(input error: a is required)");
  });
});

describe("check() on hostile input", () => {
  const schema = object({ x: {}, list: { type: "array" } }, { additionalProperties: true });
  const cyclic: Record<string, unknown> = {};
  cyclic["x"] = cyclic;
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level += 1) deep = [deep];
  const throwing = Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("boo");
    },
  });

  it.each<[string, unknown, string]>([
    ["a cycle", cyclic, "the input is nested deeper than 100 levels, or refers to itself"],
    ["depth 10,000", { x: deep }, "the input is nested deeper than 100 levels, or refers to itself"],
    [
      "stringified depth",
      { list: `${"[".repeat(200_000)}${"]".repeat(200_000)}` },
      `list must be an array, not "${"[".repeat(60)}…"`,
    ],
    ["10 MB of text", { x: "a".repeat(10_000_000) }, "the input exceeds 8388608 characters in all"],
    ["10 MB of keys", { ["a".repeat(10_000_000)]: 1 }, "the input exceeds 8388608 characters in all"],
    ["a million values", { x: Array.from({ length: 1_000_000 }, () => 0) }, "the input exceeds 50000 values in all"],
    ["a sparse array", { x: Array(4_000_000_000) }, "the input exceeds 50000 values in all"],
    [
      "a __proto__ key",
      JSON.parse('{"x":{"__proto__":{"a":1}}}'),
      "x.__proto__ is a key that is not accepted; leave it out",
    ],
    [
      "a stringified __proto__ key",
      JSON.parse('{"list":"[{\\"__proto__\\":1}]"}'),
      'list must be an array, not "[{\\"__proto__\\":1}]"',
    ],
    ["NaN", { x: Number.NaN }, "x must be JSON, not NaN"],
    ["a bigint", { x: 1n }, "x must be JSON, not a bigint"],
    ["a function", { x: () => 1 }, "x must be JSON, not a function"],
    ["a symbol", { x: Symbol("s") }, "x must be JSON, not a symbol"],
    ["a date", { x: new Date(0) }, "x must be JSON, not an instance of Date"],
    ["undefined in a list", { x: [undefined] }, "x.0 must be JSON, not undefined"],
    ["a throwing getter", throwing, "x cannot be read"],
  ])("refuses %s", (_name, input, problem) => {
    expect(messageOf(schema, input)).toBe(`(input error: ${problem})`);
  });

  it("quotes and cuts odd keys in a message", () => {
    const closed = object({ a: {} });
    expect(messageOf(closed, { "a b\n": 1 })).toBe(
      '(input error: "a b\\n" is not a known argument, did you mean "a"?)',
    );
    expect(messageOf(closed, { ["k".repeat(100_000)]: 1 })).toBe(
      `(input error: "${"k".repeat(64)}…" is not a known argument)`,
    );
  });

  it("never throws and never changes the input, whatever it is", () => {
    const validator = compileSchema(
      object({
        a: { type: "integer", default: 1 },
        b: { anyOf: [object({ c: { type: "boolean" } }), { type: "array", items: { type: "number" } }] },
      }),
    );
    assert(
      property(
        anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSparseArray: true,
        }),
        (input) => {
          const before = stringify(input);
          for (const each of [input, { a: input }, { b: input }]) {
            const result = validator.check(each);
            const text = result.valid ? JSON.stringify(result.value) : result.message;
            expect(text).toMatch(/^(?:\{[^]*\}|\(input error: [^]+\))$/);
          }
          expect(stringify(input)).toBe(before);
        },
      ),
    );
  });
});
