import { expect, it } from "vitest";
import type { JsonSchema } from "../../src/contract/json-schema.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

async function dispatchWith(output: JsonSchema, returned: unknown) {
  // The types would refuse half of these; a tool's code may still return them.
  const execute = (): never => returned as never;
  const tool = defineTool({ name: "count", description: "Counts", risk: "read", output, execute });
  await using temporary = await temporaryEngine({ tools: [tool] });
  return await temporary.engine.dispatch({ id: "1", name: "count", input: {} });
}

const COUNTED = {
  type: "object",
  properties: { total: { type: "integer" }, by: { type: "array", items: { type: "string" } } },
  required: ["total"],
} as const;

it("a structured output that its schema accepts is handed on, keys beyond the schema included", async () => {
  const value = { total: 3, by: ["a"], note: "n" };
  expect(await dispatchWith(COUNTED, value)).toMatchObject({ success: true, structured: value });
  expect(await dispatchWith({ type: "string", minLength: 2 }, "ok")).toMatchObject({ success: true, structured: "ok" });
  expect(await dispatchWith(true, { any: null })).toMatchObject({ success: true, structured: { any: null } });
});

it.each([
  [{ total: "3" }, 'structured.total must be an integer, not "3"'],
  [{ total: 1, by: [1] }, "structured.by.0 must be a string, not 1"],
  [{}, "structured.total is required"],
  ["three", 'structured must be an object, not "three"'],
  [{ success: true, output: "three" }, 'structured must be an object, not "three"'],
])("a structured output is a failure of the tool when it is %j", async (returned, problem) => {
  const result = await dispatchWith(COUNTED, returned);
  expect(result).toMatchObject({
    success: false,
    errorKind: "internal",
    error: `"count" failed: what it returned is not what its output schema says: ${problem}`,
  });
  expect(result).not.toHaveProperty("structured");
});

it("a failure is not held to the output schema", async () => {
  const failure = { success: false, error: "away", errorKind: "dependency" };
  expect(await dispatchWith(COUNTED, failure)).toMatchObject(failure);
});
