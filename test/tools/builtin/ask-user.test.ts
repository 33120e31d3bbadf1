import { describe, expect, it } from "vitest";
import { askUserTool } from "../../../src/tools/builtin/ask-user.ts";
import { temporaryEngine } from "../../fixtures/temporary-engine.ts";
import { createToolScratch } from "../tool-scratch.ts";

describe("ask_user", () => {
  it("asks through the engine and gives the answer", async () => {
    const asked: unknown[] = [];
    await using temporary = await temporaryEngine({
      tools: [askUserTool],
      ask: async (question, options) => {
        asked.push([question, options]);
        return await Promise.resolve("the blue one");
      },
    });
    const input = { question: "Which one?", options: ["red", "green"] };
    const result = await temporary.engine.dispatch({ id: "1", name: "ask_user", input });
    expect(result).toMatchObject({ success: true, output: "the blue one" });
    expect(asked).toEqual([["Which one?", ["red", "green"]]]);
  });

  it("fails as unavailable when there is nobody to ask", async () => {
    await using temporary = await temporaryEngine({ tools: [askUserTool] });
    const result = await temporary.engine.dispatch({ id: "1", name: "ask_user", input: { question: "Which?" } });
    expect(result).toMatchObject({
      success: false,
      errorKind: "unavailable",
      error:
        "Cannot ask the user: nobody is there to answer; decide yourself, and say in your answer what you took for granted",
    });
  });

  it("fails when no answer comes", async () => {
    await using scratch = await createToolScratch();
    const ask = async () => await Promise.resolve(undefined);
    expect(await scratch.run(askUserTool, { question: "Which?" }, { ask })).toEqual({
      success: false,
      error: "The user gave no answer; decide yourself, and say in your answer what you took for granted",
      errorKind: "business",
    });
  });

  it("stops waiting when the call is cancelled", async () => {
    const controller = new AbortController();
    await using temporary = await temporaryEngine({
      tools: [askUserTool],
      ask: async () => {
        controller.abort();
        return await new Promise<never>(() => undefined);
      },
    });
    const call = { id: "1", name: "ask_user", input: { question: "Which?" } };
    const result = await temporary.engine.dispatch(call, { signal: controller.signal });
    expect(result).toMatchObject({ success: false, errorKind: "cancelled" });
  });
});
