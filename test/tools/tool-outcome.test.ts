import { anything, assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { toOutcome } from "../../src/tools/tool-outcome.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = [cyclic];

describe("toOutcome()", () => {
  it.each<[string, unknown, object]>([
    ["a string", "text", { success: true, output: "text" }],
    ["an empty string", "", { success: true, output: "" }],
    ["undefined", undefined, { success: true, output: "(done)" }],
    ["null", null, { success: true, output: "null", structured: null }],
    ["a number", 5, { success: true, output: "5", structured: 5 }],
    ["false", false, { success: true, output: "false", structured: false }],
    ["an object", { a: [1, true] }, { success: true, output: '{"a":[1,true]}', structured: { a: [1, true] } }],
    [
      "a date inside",
      { at: new Date(0) },
      { success: true, output: '{"at":"1970-01-01T00:00:00.000Z"}', structured: { at: "1970-01-01T00:00:00.000Z" } },
    ],
    [
      "data with a field named success",
      { success: true, rows: 3 },
      { success: true, output: '{"success":true,"rows":3}', structured: { success: true, rows: 3 } },
    ],
    [
      "a whole success",
      {
        success: true,
        output: "ok",
        structured: { a: 1 },
        metadata: { ms: 5 },
        content: [{ type: "text", text: "ok" }],
      },
      {
        success: true,
        output: "ok",
        structured: { a: 1 },
        metadata: { ms: 5 },
        content: [{ type: "text", text: "ok" }],
      },
    ],
    [
      "a whole failure",
      { success: false, error: "No such row", output: "partial", errorKind: "dependency" },
      { success: false, error: "No such row", output: "partial", errorKind: "dependency" },
    ],
    [
      "a failure without a kind",
      { success: false, error: "No" },
      { success: false, error: "No", errorKind: "business" },
    ],
    [
      "a failure without a text",
      { success: false, output: "half" },
      { success: false, error: "The tool failed and did not say why", errorKind: "business", output: "half" },
    ],
    [
      "a failure of an unknown kind",
      { success: false, error: "No", errorKind: "fatal" },
      {
        success: false,
        error: 'No (the tool gave "fatal" as the kind of this error, which is none)',
        errorKind: "internal",
      },
    ],
  ])("reads %s", (_name, returned, outcome) => {
    expect(toOutcome(returned)).toStrictEqual(outcome);
  });

  it.each<[string, unknown, string]>([
    ["a function", () => 1, "the result must be JSON, not a function"],
    ["a bigint inside", { a: { b: 1n } }, "a.b must be JSON, not a bigint"],
    ["NaN", Number.NaN, "the result must be JSON, not NaN"],
    ["a map", { rows: new Map() }, "rows must be JSON, not an instance of Map"],
    ["an error", new Error("x"), "the result must be JSON, not an instance of Error"],
    ["a promise inside", [Promise.resolve()], "0 must be JSON, not an instance of Promise"],
    ["a cycle", cyclic, "the result is nested deeper than 500 levels, or refers to itself"],
    ["an output that is no text", { success: false, error: "No", output: 5 }, '"output" is not a string'],
    ["metadata that is a list", { success: true, output: "", metadata: [] }, '"metadata" is not an object'],
    [
      "content that is none",
      { success: true, output: "", content: [{ type: "image", data: "x" }] },
      '"content" is not a list of text, image and resource blocks',
    ],
  ])("fails with the kind internal when given %s", (_name, returned, problem) => {
    expect(toOutcome(returned)).toEqual({
      success: false,
      error: `Cannot use what the tool returned: ${problem}; return a string or JSON`,
      errorKind: "internal",
    });
  });

  it("never throws, and always gives plain JSON", () => {
    assert(
      property(anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (returned) => {
        const outcome = toOutcome(returned);
        expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
      }),
    );
  });
});
