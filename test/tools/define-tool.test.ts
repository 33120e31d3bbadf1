import { describe, expect, expectTypeOf, it } from "vitest";
import type { ExecContext, ReadContext, WriteContext } from "../../src/contract/tool.ts";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

const minimal = { name: "probe", description: "Does nothing", execute: () => "done" };

function define(fields: object): unknown {
  // Tests hand over what the type does not allow.
  return defineTool({ ...minimal, ...fields });
}

describe("defineTool()", () => {
  it("fills in the most careful defaults when only the needed fields are given", () => {
    const tool = defineTool(minimal);
    const parameters = { type: "object", properties: {}, additionalProperties: false };
    expect(tool).toEqual({
      name: "probe",
      description: "Does nothing",
      risk: "exec",
      parameters,
      timeoutMs: 600_000,
      maxRetries: 0,
      idempotent: false,
      parallel: false,
      capabilities: [],
      tier: "core",
      requiresApproval: false,
      spec: { name: "probe", description: "Does nothing", parameters },
      copy: expect.any(Function),
      execute: expect.any(Function),
    });
  });

  it.each([
    ["read", { timeoutMs: 30_000, parallel: true }],
    ["write", { timeoutMs: 30_000, parallel: false }],
    ["exec", { timeoutMs: 600_000, parallel: false }],
  ] as const)("gives a %s tool the defaults of its risk", (risk, defaults) => {
    expect(defineTool({ ...minimal, risk })).toMatchObject({ risk, ...defaults });
  });

  it("keeps every option that is given", () => {
    const options = {
      risk: "write",
      timeoutMs: 5,
      maxRetries: 10,
      idempotent: true,
      parallel: true,
      capabilities: ["net"],
      tier: "specialist",
      requiresApproval: true,
      contained: false,
      destructive: false,
      openWorld: false,
      maxOutputCharacters: 2_000,
      output: { type: "array" },
    } as const;
    expect(defineTool({ ...minimal, ...options, execute: () => [] })).toMatchObject(options);
  });

  it("freezes the tool with all that is in it, and leaves the definition alone", () => {
    const parameters = { type: "object", properties: { a: { type: "string" } } } as const;
    const tool = defineTool({ ...minimal, capabilities: ["x"], parameters });
    for (const part of [tool, tool.spec, tool.parameters, tool.parameters.properties?.["a"], tool.capabilities]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(Object.isFrozen(parameters.properties)).toBe(false);
    expect(tool.spec.parameters).toEqual(parameters);
  });

  it("calls execute and describe as methods of the definition", () => {
    const definition = {
      ...minimal,
      greeting: "hello",
      execute(this: { greeting: string }) {
        return this.greeting;
      },
      describe(this: { greeting: string }) {
        return `say ${this.greeting}`;
      },
    };
    const { greeting: _greeting, ...known } = definition;
    const withoutExtra = Object.assign(Object.create({ greeting: "hello" }), known);
    const tool = defineTool(withoutExtra as typeof minimal);
    expect(tool.execute(undefined as never, undefined as never)).toBe("hello");
    expect(tool.describe?.(undefined as never)).toBe("say hello");
  });

  it.each<[string, object, string]>([
    [
      "a name with a space",
      { name: "a b" },
      'Cannot define a tool: "name" is "a b"; use 1 to 64 letters, digits, "_" and "-"',
    ],
    [
      "a name too long",
      { name: "a".repeat(65) },
      `Cannot define a tool: "name" is "${"a".repeat(60)}…"; use 1 to 64 letters, digits, "_" and "-"`,
    ],
    [
      "no name",
      { name: undefined },
      'Cannot define a tool: "name" is undefined; use 1 to 64 letters, digits, "_" and "-"',
    ],
    [
      "a blank description",
      { description: " " },
      'Cannot define tool "probe": "description" is " "; use a text that says what the tool does',
    ],
    [
      "an unknown risk",
      { risk: "execute" },
      'Cannot define tool "probe": "risk" is "execute"; use "read", "write", "exec"',
    ],
    [
      "timeoutMs 0",
      { timeoutMs: 0 },
      'Cannot define tool "probe": "timeoutMs" is 0; use a whole number from 1 to 600000',
    ],
    [
      "a long exec timeout",
      { timeoutMs: 600_001 },
      'Cannot define tool "probe": "timeoutMs" is 600001; use a whole number from 1 to 600000',
    ],
    [
      "a timeout beyond timers",
      { risk: "read", timeoutMs: 2_147_483_648 },
      'Cannot define tool "probe": "timeoutMs" is 2147483648; use a whole number from 1 to 2147483647',
    ],
    [
      "a broken timeout",
      { timeoutMs: 1.5 },
      'Cannot define tool "probe": "timeoutMs" is 1.5; use a whole number from 1 to 600000',
    ],
    [
      "11 retries",
      { maxRetries: 11 },
      'Cannot define tool "probe": "maxRetries" is 11; use a whole number from 0 to 10',
    ],
    [
      "a text for a boolean",
      { idempotent: "yes" },
      'Cannot define tool "probe": "idempotent" is "yes"; use true or false',
    ],
    ["null for a boolean", { parallel: null }, 'Cannot define tool "probe": "parallel" is null; use true or false'],
    [
      "a number for a boolean",
      { requiresApproval: 1 },
      'Cannot define tool "probe": "requiresApproval" is 1; use true or false',
    ],
    [
      "an empty tag",
      { capabilities: [""] },
      'Cannot define tool "probe": "capabilities" is an array; use a list of texts that are not empty',
    ],
    [
      "an unknown tier",
      { tier: "extra" },
      'Cannot define tool "probe": "tier" is "extra"; use "core", "advanced", "specialist"',
    ],
    ["no execute", { execute: undefined }, 'Cannot define tool "probe": "execute" is undefined; use a function'],
    ["a text for describe", { describe: "x" }, 'Cannot define tool "probe": "describe" is "x"; use a function'],
    [
      "a misspelt option",
      { timeoutMS: 5 },
      'Cannot define tool "probe": "timeoutMS" is no option; did you mean "timeoutMs"?',
    ],
    [
      "an unknown option",
      { sandboxImage: "x" },
      'Cannot define tool "probe": "sandboxImage" is no option; the options are name, description, risk, parameters, timeoutMs, maxRetries, idempotent, parallel, capabilities, tier, requiresApproval, contained, destructive, openWorld, maxOutputCharacters, output, ready, describe, resources, authorize, onError, execute',
    ],
    [
      "parameters of another type",
      { parameters: { type: "array" } },
      'Cannot define tool "probe": "parameters" is no schema that can be used: Cannot compile the schema: its "type" is "array"; a tool\'s input is an object, so use "object"',
    ],
    [
      "an output that is no schema",
      { output: { type: "text" } },
      'Cannot define tool "probe": "output" is no schema that can be used: Cannot compile the schema: schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf',
    ],
  ])("throws when given %s", (_name, fields, message) => {
    expect(() => define(fields)).toThrow(new ToolDefinitionError(message));
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    ["x", '"x"'],
    [[], "an empty array"],
    [() => 1, "a function"],
  ])("throws when the definition is %s", (definition, found) => {
    expect(() => defineTool(definition as unknown as typeof minimal)).toThrow(
      new ToolDefinitionError(
        `Cannot define a tool: the definition is ${found}; give an object with "name", "description" and "execute"`,
      ),
    );
  });
});

describe("defineTool() types", () => {
  it("infers the input from the schema and the context from the risk", () => {
    defineTool({
      name: "read",
      description: "Reads",
      risk: "read",
      parameters: {
        type: "object",
        properties: {
          path: { type: "string" },
          limit: { type: "integer", default: 5 },
          mode: { enum: ["fast", "slow"] },
          edits: {
            type: "array",
            items: { type: "object", properties: { line: { type: "number" } }, required: ["line"] },
          },
        },
        required: ["path"],
      },
      describe(input) {
        expectTypeOf(input.path).toEqualTypeOf<string>();
        return input.path;
      },
      execute(input, context) {
        expectTypeOf(input.path).toEqualTypeOf<string>();
        expectTypeOf(input.limit).toEqualTypeOf<number>();
        expectTypeOf(input.mode).toEqualTypeOf<"fast" | "slow" | undefined>();
        expectTypeOf(input.edits?.[0]?.line).toEqualTypeOf<number | undefined>();
        expectTypeOf(context).toEqualTypeOf<ReadContext>();
      },
    });
    defineTool({
      ...minimal,
      risk: "write",
      execute: (_input, context) => expectTypeOf(context).toEqualTypeOf<WriteContext>(),
    });
    const tool = defineTool({
      name: "run",
      description: "Runs",
      execute(input, context) {
        expectTypeOf(input).toEqualTypeOf<{ readonly [key: string]: unknown }>();
        expectTypeOf(context).toEqualTypeOf<ExecContext>();
      },
    });
    expect(tool.risk).toBe("exec");
  });

  it("refuses options that are none at compile time", () => {
    // @ts-expect-error -- a risk is one of three words
    expect(() => defineTool({ ...minimal, risk: "none" })).toThrow(ToolDefinitionError);
    // @ts-expect-error -- no such option
    expect(() => defineTool({ name: "x", description: "x", image: "x", execute: () => "" })).toThrow(
      ToolDefinitionError,
    );
  });
});
