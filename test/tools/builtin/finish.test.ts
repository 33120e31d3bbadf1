import { describe, expect, it } from "vitest";
import { finishTool } from "../../../src/tools/builtin/finish.ts";
import { temporaryEngine } from "../../fixtures/temporary-engine.ts";

describe("finish", () => {
  it("hands the result to the caller in the metadata", async () => {
    await using temporary = await temporaryEngine({ tools: [finishTool] });
    const result = await temporary.engine.dispatch({ id: "1", name: "finish", input: { result: "all green" } });
    expect(result).toMatchObject({
      success: true,
      output: "The run ends here",
      metadata: { finished: "all green" },
      changes: [],
    });
  });
});
