import { describe, expect, it } from "vitest";
import { todoTool } from "../../../src/tools/builtin/todo.ts";
import { createToolScratch } from "../tool-scratch.ts";

describe("todo", () => {
  it("keeps entries from call to call, with numbers that stay theirs", async () => {
    await using scratch = await createToolScratch();
    const todo = async (input: object) => (await scratch.run(todoTool, input)).output;
    expect(await todo({})).toBe("(the list is empty)");
    expect(await todo({ add: ["read\nthe code", "write", "ship"] })).toBe(
      "1. [ ] read the code\n2. [ ] write\n3. [ ] ship\n(0 of 3 done)",
    );
    expect(await todo({ complete: [1], update: [{ id: 2, status: "in_progress", text: "write tests" }] })).toBe(
      "1. [x] read the code\n2. [>] write tests\n3. [ ] ship\n(1 of 3 done)",
    );
    expect(await todo({ remove: [3], add: ["rest"] })).toBe(
      "1. [x] read the code\n2. [>] write tests\n4. [ ] rest\n(1 of 3 done)",
    );
    expect(await scratch.run(todoTool, {})).toMatchObject({
      structured: [
        { id: 1, text: "read\nthe code", status: "done" },
        { id: 2, text: "write tests", status: "in_progress" },
        { id: 4, text: "rest", status: "pending" },
      ],
    });
  });

  it("changes nothing when a number is unknown", async () => {
    await using scratch = await createToolScratch();
    expect(await scratch.run(todoTool, { complete: [1], add: ["a"] })).toEqual({
      success: false,
      error: "Cannot change the entry 1: there is none of this number; the list is empty, and nothing was changed",
      errorKind: "business",
    });
    await scratch.run(todoTool, { add: ["a", "b"] });
    expect(await scratch.run(todoTool, { complete: [1], remove: [7] })).toEqual({
      success: false,
      error: "Cannot change the entry 7: there is none of this number; there are 1 and 2, and nothing was changed",
      errorKind: "business",
    });
    expect((await scratch.run(todoTool, {})).output).toBe("1. [ ] a\n2. [ ] b\n(0 of 2 done)");
  });

  it("holds at most 200 entries", async () => {
    await using scratch = await createToolScratch();
    await scratch.run(todoTool, { add: Array.from({ length: 200 }, () => "x") });
    expect(await scratch.run(todoTool, { add: ["y"] })).toEqual({
      success: false,
      error: "Cannot add so many entries: a list has at most 200; remove what is done, and nothing was changed",
      errorKind: "business",
    });
    expect((await scratch.run(todoTool, { remove: [1], add: ["y"] })).success).toBe(true);
  });
});
