import { describe, expect, it } from "vitest";
import { webSearchTool } from "../../../src/tools/builtin/web-search.ts";
import { approveAll } from "../../../src/testing/index.ts";
import { temporaryEngine } from "../../fixtures/temporary-engine.ts";

const call = { id: "1", name: "web_search", input: { query: "cofferdam", max_results: 2 } };

describe("web_search", () => {
  it("gives what the service found, one line for each text, and no more than was asked for", async () => {
    const asked: unknown[] = [];
    const tool = webSearchTool({
      requiresApproval: false,
      search: async (query, { maxResults }) => {
        asked.push([query, maxResults]);
        const found = { title: "A\n2. forged", url: "https://a.example/", snippet: "x".repeat(600) };
        return await Promise.resolve([found, { title: "B", url: "https://b.example/" }, found]);
      },
    });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const result = await temporary.engine.dispatch(call);
    expect(result.output).toBe(
      `1. A 2. forged\n   https://a.example/\n   ${"x".repeat(500)}…\n2. B\n   https://b.example/`,
    );
    expect(asked).toEqual([["cofferdam", 2]]);
  });

  it("says that nothing was found", async () => {
    const tool = webSearchTool({ requiresApproval: false, search: async () => await Promise.resolve([]) });
    await using temporary = await temporaryEngine({ tools: [tool] });
    expect((await temporary.engine.dispatch(call)).output).toBe("(nothing was found; use other words)");
  });

  it("asks the reviewer unless told otherwise, and is denied without one", async () => {
    const tool = webSearchTool({ search: async () => await Promise.resolve([]) });
    await using closed = await temporaryEngine({ tools: [tool] });
    expect(await closed.engine.dispatch(call)).toMatchObject({ success: false, errorKind: "denied", attempts: 0 });
    await using open = await temporaryEngine({ tools: [tool], reviewer: approveAll });
    expect((await open.engine.dispatch(call)).success).toBe(true);
  });

  it("tries once more and then fails as a dependency when the service fails", async () => {
    const tool = webSearchTool({
      requiresApproval: false,
      search: async () => await Promise.reject(new Error("HTTP 500")),
    });
    await using temporary = await temporaryEngine({ tools: [tool], retryDelayMs: 1 });
    expect(await temporary.engine.dispatch(call)).toMatchObject({
      success: false,
      errorKind: "dependency",
      attempts: 2,
      error: "Cannot search the web: HTTP 500; try again later, or go on without",
    });
  });
});
