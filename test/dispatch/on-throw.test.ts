import { expect, it } from "vitest";
import { ToolCrashError } from "../../src/errors/tool-crash-error.ts";
import { ToolError } from "../../src/errors/tool-error.ts";
import { SandboxUnavailableError } from "../../src/errors/sandbox-unavailable-error.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const crash = new RangeError("Out of luck");

/** Does what its input says; `write` so that one runs after the other. */
const act = defineTool({
  name: "act",
  description: "Acts",
  risk: "write",
  timeoutMs: 100,
  parameters: { type: "object", properties: { how: { type: "string" } }, required: ["how"] },
  execute: async ({ how }, { workspace, signal }) => {
    await workspace.writeFile(how, "");
    if (how === "crash") throw crash;
    if (how === "fail") throw new ToolError("No");
    if (how === "engine") throw new SandboxUnavailableError("No sandbox");
    if (how === "hang") await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(crash)));
    return "done";
  },
});

const callsOf = (...hows: readonly string[]) => hows.map((how) => ({ id: how, name: "act", input: { how } }));

it('Engine.dispatchAll() rejects with every answer when a tool crashes and onThrow is "stop"', async () => {
  await using temporary = await temporaryEngine({ tools: [act], onThrow: "stop" });
  const error: unknown = await temporary.engine.dispatchAll(callsOf("first", "crash", "last")).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ToolCrashError)) throw new Error("It did not reject with a ToolCrashError", { cause: error });
  expect(error.message).toBe('"act" failed: Out of luck; every call has been answered, see "results"');
  expect(error.cause).toBe(crash);
  expect(error.results.map((result) => [result.callId, result.success ? result.output : result.errorKind])).toEqual([
    ["first", "done"],
    ["crash", "internal"],
    ["last", "cancelled"],
  ]);
  expect(error.results[2]).toMatchObject({
    error: '"act" was not started: another tool crashed, and the engine stops at that',
    attempts: 0,
  });
  const paths = (await temporary.engine.workspace.changes()).map(({ path }) => path);
  expect(paths).toEqual(["first"]);
  // The engine itself goes on.
  expect(await temporary.engine.dispatch({ id: "1", name: "act", input: { how: "again" } })).toMatchObject({
    success: true,
  });
  await expect(temporary.engine.dispatch({ id: "2", name: "act", input: { how: "crash" } })).rejects.toThrow(
    ToolCrashError,
  );
});

it('Engine.dispatchAll() goes on when a tool fails on purpose, is stopped, or the engine fails, and onThrow is "stop"', async () => {
  await using temporary = await temporaryEngine({ tools: [act], onThrow: "stop" });
  const results = await temporary.engine.dispatchAll(callsOf("fail", "engine", "hang", "last"));
  expect(results.map((result) => (result.success ? result.output : result.errorKind))).toEqual([
    "business",
    "unavailable",
    "timeout",
    "done",
  ]);
});

it("Engine.dispatchAll() takes a crash as a result by default", async () => {
  await using temporary = await temporaryEngine({ tools: [act] });
  const results = await temporary.engine.dispatchAll(callsOf("crash", "last"));
  expect(results.map((result) => (result.success ? result.output : result.error))).toEqual([
    '"act" failed: Out of luck',
    "done",
  ]);
});
