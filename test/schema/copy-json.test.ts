import { describe, expect, it } from "vitest";
import { copyJson } from "../../src/schema/copy-json.ts";

const limits = { maxCharacters: 10, maxValues: 5, maxDepth: 2 };

describe("copyJson()", () => {
  it("copies values and leaves out what is undefined", () => {
    const value = { a: [1, null], b: undefined };
    const copy = copyJson(value, { limits });
    expect(copy).toStrictEqual({ ok: true, value: { a: [1, null] } });
  });

  it.each([
    ["depth", { a: { b: {} } }, { path: ["a", "b"], problem: { kind: "too-deep", limit: 2 } }],
    ["characters", { aaaaa: "bbbbbb" }, { path: ["aaaaa"], problem: { kind: "too-long", limit: 10 } }],
    ["values", [1, 2, 3, 4, 5], { path: [], problem: { kind: "too-many", limit: 5 } }],
  ])("refuses a value beyond the limit of %s and says where", (_name, value, problem) => {
    expect(copyJson(value, { limits })).toEqual({ ok: false, problem });
  });

  it("takes what toJSON() gives only when asked to", () => {
    const value = { at: new Date(0) };
    const roomy = { ...limits, maxCharacters: 100 };
    expect(copyJson(value, { limits: roomy, useToJson: true })).toEqual({
      ok: true,
      value: { at: "1970-01-01T00:00:00.000Z" },
    });
    expect(copyJson(value, { limits: roomy })).toEqual({
      ok: false,
      problem: { path: ["at"], problem: { kind: "not-json", found: "an instance of Date" } },
    });
  });

  it("ends when toJSON() gives its own object", () => {
    const value = { toJSON: (): unknown => value };
    expect(copyJson(value, { limits, useToJson: true })).toEqual({
      ok: false,
      problem: { path: ["toJSON"], problem: { kind: "not-json", found: "a function" } },
    });
  });
});
