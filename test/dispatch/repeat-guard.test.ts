import { expect, it } from "vitest";
import { RepeatGuard } from "../../src/dispatch/repeat-guard.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

it("RepeatGuard.isRepeated() says so from the fourth same call in a row on, whatever the order of keys", () => {
  const guard = new RepeatGuard(3);
  const inputs = [
    { a: 1, b: [2] },
    { b: [2], a: 1 },
    { a: 1, b: [2] },
    { b: [2], a: 1 },
    { a: 1, b: [2] },
  ];
  expect(inputs.map((input) => guard.isRepeated("t", input))).toEqual([false, false, false, true, true]);
  expect(guard.isRepeated("t", { a: 1, b: [3] })).toBe(false);
  expect(guard.isRepeated("t", { a: 1, b: [2] })).toBe(false);
});

it("RepeatGuard.isRepeated() takes another tool's call, and what forget() stands for, as something in between", () => {
  const guard = new RepeatGuard(1);
  expect([guard.isRepeated("t", {}), guard.isRepeated("u", {}), guard.isRepeated("t", {})]).toEqual([
    false,
    false,
    false,
  ]);
  guard.forget();
  expect([guard.isRepeated("t", {}), guard.isRepeated("t", {})]).toEqual([false, true]);
});

it("Engine.dispatch() answers the fourth identical call in a row without running it or asking anybody", async () => {
  let runs = 0;
  let asked = 0;
  const tool = defineTool({
    name: "look",
    description: "Looks",
    risk: "read",
    requiresApproval: true,
    parameters: { type: "object", properties: { at: { type: "string", default: "here" } } },
    execute: () => `${(runs += 1)}`,
  });
  await using temporary = await temporaryEngine({
    tools: [tool],
    reviewer: () => {
      asked += 1;
      return { decision: "approve" };
    },
  });
  const dispatch = async (input: unknown) => await temporary.engine.dispatch({ id: "1", name: "look", input });
  // The defaults are filled in, so that these are one and the same call.
  for (const input of [{}, { at: "here" }, {}]) expect(await dispatch(input)).toMatchObject({ success: true });
  expect(await dispatch({})).toMatchObject({
    success: false,
    errorKind: "business",
    error:
      'Cannot call "look" again: it has been called 3 times in a row with this very input; use what it answered, or do something else',
    attempts: 0,
  });
  expect([runs, asked]).toEqual([3, 3]);
  expect(await dispatch({ at: "there" })).toMatchObject({ success: true, output: "4" });
  expect(await dispatch({})).toMatchObject({ success: true, output: "5" });
});

it("Engine.dispatch() counts repeats as maxRepeats says", async () => {
  const tool = defineTool({ name: "look", description: "Looks", risk: "read", execute: () => "seen" });
  await using temporary = await temporaryEngine({ tools: [tool], maxRepeats: 1 });
  const calls = ["1", "2"].map((id) => ({ id, name: "look", input: {} }));
  expect((await temporary.engine.dispatchAll(calls)).map(({ success }) => success)).toEqual([true, false]);
  await expect(temporaryEngine({ maxRepeats: 0 })).rejects.toThrow(
    "Cannot create the engine: maxRepeats must be at least 1, not 0",
  );
});
