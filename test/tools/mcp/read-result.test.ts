import { describe, expect, it } from "vitest";
import { readResult } from "../../../src/tools/mcp/read-result.ts";

describe("readResult()", () => {
  const content = [{ type: "text" as const, text: "Too many requests" }];

  it("takes over when to try again, which a server says beside its answer", () => {
    expect(readResult({ content, isError: true, _meta: { retryAfterMs: 1_500 } })).toEqual({
      success: false,
      error: "Too many requests",
      content,
      retryAfterMs: 1_500,
    });
  });

  it.each([-1, "1500", Number.NaN, null])("leaves out a time that is none: %j", (retryAfterMs) => {
    const outcome = readResult({ content, isError: true, _meta: { retryAfterMs } });
    expect(outcome).toEqual({ success: false, error: "Too many requests", content });
  });
});
