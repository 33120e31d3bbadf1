import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locateJsonError } from "../../src/gate/locate-json-error.ts";

describe("locateJsonError()", () => {
  it.each([
    ["", 1, 1],
    ["{,}", 1, 2],
    ["root:x:0:0\n", 1, 1],
    ['{\n  "deny": [\n    "shell",\n  ]\n}', 4, 3],
    ['{"a": 1}}', 1, 9],
    ['{"a" 1}', 1, 6],
    ['["a\n"]', 1, 2],
    ["[1, 02]", 1, 6],
    ["[", 1, 2],
    ["[}", 1, 2],
  ])("locates the first mistake of %j", (text, line, column) => {
    expect(locateJsonError(text)).toEqual({ line, column });
  });

  it("finds a mistake in exactly the texts that the parser refuses", () => {
    const text = fc.oneof(
      fc.json(),
      fc.string({
        unit: fc.constantFrom("{", "}", "[", "]", ":", ",", '"', "\\", "u", "0", "1", "-", ".", "e", "null", " "),
      }),
    );
    fc.assert(
      fc.property(text, (written) => {
        expect(locateJsonError(written) === undefined).toBe(isJson(written));
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads a mebibyte of one string and of open brackets", () => {
    expect(locateJsonError(`"${"a".repeat(1_048_576)}`)).toEqual({ line: 1, column: 1 });
    expect(locateJsonError("[".repeat(1_048_576))).toEqual({ line: 1, column: 1_048_577 });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
