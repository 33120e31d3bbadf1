import { describe, expect, it } from "vitest";
import type { EngineOptions } from "../../src/contract/engine.ts";
import type { ReadContext } from "../../src/contract/tool.ts";
import { ToolError } from "../../src/errors/tool-error.ts";
import { coreTools } from "../../src/tools/core-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

/** A read tool that does what a test says. */
function composing(name: string, execute: (context: ReadContext) => unknown, options: { maxRetries?: number } = {}) {
  return defineTool({
    name,
    description: "Calls others",
    risk: "read",
    ...options,
    execute: async (_input, context) => await execute(context),
  });
}

const write = (path: string) => ({ name: "write_file", input: { path, content: `${path}\n` } });

async function run(tools: EngineOptions["tools"], options: Partial<EngineOptions> = {}) {
  await using temporary = await temporaryEngine({ tools: [...coreTools(), ...(tools ?? [])], ...options });
  const { engine } = temporary;
  const result = await engine.dispatch({ id: "1", name: "compose", input: {} });
  const records = engine.journal.recent(99).map((record) => [record.callId, record.parentCallId, record.outcome]);
  return { result, records, changes: (await engine.workspace.changes()).map(({ path, callId }) => [path, callId]) };
}

describe("ToolContext.dispatch()", () => {
  it("runs each call as one of its own: own id, own layer, own record, and the tool sees what it did", async () => {
    const compose = composing("compose", async ({ dispatch, workspace }) => {
      const before = (await workspace.readDirectory("")).length;
      const results = [await dispatch(write("a")), await dispatch({ name: "read_file", input: { path: "a" } })];
      return [
        before,
        (await workspace.readDirectory("")).length,
        ...results.map(({ callId, success }) => [callId, success]),
      ];
    });
    const { result, records, changes } = await run([compose]);
    expect(JSON.parse(result.output)).toEqual([0, 1, ["1/1", true], ["1/2", true]]);
    expect(result.changes).toEqual([]);
    expect(changes).toEqual([["a", "1/1"]]);
    expect(records).toEqual([
      ["1", undefined, "success"],
      ["1/2", "1", "success"],
      ["1/1", "1", "success"],
    ]);
  });

  it("is no way around the gate, the hooks, or the input's schema", async () => {
    const asked: string[] = [];
    const compose = composing("compose", async ({ dispatch }) => {
      const calls = [
        { name: "shell", input: { command: "id" } },
        write("hooked"),
        { name: "write_file" },
        { name: "no" },
      ];
      const results = [];
      for (const call of calls) results.push(await dispatch(call));
      return results.map((each) => (each.success ? "ran" : each.errorKind));
    });
    const { result, changes } = await run([compose], {
      reviewer: ({ callId, tool }) => {
        asked.push(`${callId} ${tool}`);
        return { decision: "deny" };
      },
      hooks: {
        beforeCall: ({ tool }) => (tool === "write_file" ? { decision: "block", reason: "no" } : undefined),
      },
    });
    expect(JSON.parse(result.output)).toEqual(["denied", "denied", "validation", "not-found"]);
    expect([asked, changes]).toEqual([["1/1 shell"], []]);
  });

  it("tells the reviewer, the hooks and the tool which call it belongs to", async () => {
    const told: unknown[] = [];
    const note = (what: string) => (call: { readonly callId: string; readonly parentCallId?: string }) =>
      void told.push([what, call.callId, call.parentCallId]);
    const compose = composing("compose", async ({ dispatch }) => void (await dispatch({ name: "act" })));
    const act = defineTool({
      name: "act",
      description: "Acts",
      contained: false,
      execute: (_input, context) => note(`tool, allowed by the ${context.decidedBy}`)(context),
    });
    await using temporary = await temporaryEngine({
      tools: [compose, act],
      reviewer: (request) => {
        note("reviewer")(request);
        return { decision: "approve" };
      },
      hooks: { beforeCall: note("before"), beforeResult: note("result"), afterCall: note("after") },
    });
    await temporary.engine.dispatch({ id: "1", name: "compose", input: {} });
    expect(told).toEqual([
      ["before", "1", undefined],
      ["before", "1/1", "1"],
      ["reviewer", "1/1", "1"],
      ["tool, allowed by the reviewer", "1/1", "1"],
      ["result", "1/1", "1"],
      ["after", "1/1", "1"],
      ["result", "1", undefined],
      ["after", "1", undefined],
    ]);
  });

  it("denies what the mode denies, whatever the tool's own risk", async () => {
    const compose = composing("compose", async ({ dispatch }) => (await dispatch(write("a"))).success);
    const { result, changes } = await run([compose], { policy: { mode: "plan" } });
    expect([result.output, changes]).toEqual(["false", []]);
  });

  it("holds a call to the restrictions of its parent, although they have ended meanwhile", async () => {
    const called = Promise.withResolvers<undefined>();
    const goOn = Promise.withResolvers<undefined>();
    const compose = composing("compose", async ({ dispatch }) => {
      called.resolve(undefined);
      await goOn.promise;
      return (await dispatch(write("a"))).success;
    });
    await using temporary = await temporaryEngine({ tools: [...coreTools(), compose] });
    const { engine } = temporary;
    const narrow = engine.restrict({ maxRisk: "read" });
    const answer = engine.dispatch({ id: "1", name: "compose", input: {} });
    await called.promise;
    narrow[Symbol.dispose]();
    goOn.resolve(undefined);
    expect((await answer).output).toBe("false");
  });

  it("is refused to a tool that has a layer of its own", async () => {
    const compose = defineTool({
      name: "compose",
      description: "Writes and calls",
      risk: "write",
      execute: async (_input, { dispatch }) => await dispatch(write("a")),
    });
    expect((await run([compose])).result).toMatchObject({
      errorKind: "business",
      error:
        '"compose" cannot call other tools: it is a write tool, with a layer of its own that theirs could not be part of; let a read tool call them one after the other',
    });
  });

  it("ends after four levels", async () => {
    const compose = composing("compose", async ({ dispatch }) => {
      const result = await dispatch({ name: "compose" });
      return result.success ? result.output : result.error;
    });
    const { result, records } = await run([compose]);
    expect(result.output).toBe(
      'Cannot call "compose": tools call each other 4 deep here already; let one of them return first',
    );
    expect(records).toHaveLength(5);
  });

  it("does not wait for itself: more parents than may run at once, each with reads and writes", async () => {
    const leaf = composing("compose", async ({ dispatch, callId }) => {
      const calls = [
        write(callId.replaceAll("/", "_")),
        { name: "list_files" },
        write(callId.replaceAll("/", "_") + "x"),
      ];
      return (await Promise.all(calls.map(async (call) => await dispatch(call)))).every(({ success }) => success);
    });
    const outer = composing("outer", async ({ dispatch }) => {
      const inner = await Promise.all([dispatch({ name: "compose" }), dispatch({ name: "compose" })]);
      return inner.every(({ output }) => output === "true");
    });
    await using temporary = await temporaryEngine({ tools: [...coreTools(), leaf, outer], maxRepeats: 100 });
    const calls = Array.from({ length: 12 }, (_, index) => ({ id: `${index}`, name: "outer", input: {} }));
    const results = await temporary.engine.dispatchAll(calls);
    expect(results.map(({ output }) => output)).toEqual(calls.map(() => "true"));
    expect(await temporary.engine.workspace.changes()).toHaveLength(48);
  });

  it("ends with its parent, which waits for what it did not wait for itself", async () => {
    const started = Promise.withResolvers<undefined>();
    const stopped = Promise.withResolvers<undefined>();
    const hang = composing("hang", async ({ signal }) => {
      signal.addEventListener("abort", () => stopped.resolve(undefined));
      started.resolve(undefined);
      await new Promise(() => undefined);
    });
    const compose = composing("compose", async ({ dispatch }) => {
      void dispatch({ name: "hang" });
      await started.promise;
      return "left it behind";
    });
    const { result, records } = await run([compose, hang]);
    await stopped.promise;
    expect(result.output).toBe("left it behind");
    expect(records).toEqual([
      ["1", undefined, "success"],
      ["1/1", "1", "cancelled"],
    ]);
  });

  it("answers both calls when the nested one crashes and the engine stops at that", async () => {
    const crash = composing("crash", () => {
      throw new Error("Broken");
    });
    const compose = composing("compose", async ({ dispatch }) => (await dispatch({ name: "crash" })).success);
    await using temporary = await temporaryEngine({ tools: [compose, crash], onThrow: "stop" });
    const answer = temporary.engine.dispatch({ id: "1", name: "compose", input: {} });
    await expect(answer).rejects.toMatchObject({
      message: '"crash" failed: Broken; every call has been answered, see "results"',
      results: [{ callId: "1", success: true, output: "false" }],
    });
    const records = temporary.engine.journal.recent(9).map(({ callId, outcome }) => [callId, outcome]);
    expect(records).toEqual([
      ["1", "success"],
      ["1/1", "internal"],
    ]);
  });

  it("is cancelled with its parent when the engine is disposed, which waits for both", async () => {
    const started = Promise.withResolvers<undefined>();
    const hang = composing("hang", async () => {
      started.resolve(undefined);
      await new Promise(() => undefined);
    });
    const compose = composing("compose", async ({ dispatch }) => void (await dispatch({ name: "hang" })));
    const settled: string[] = [];
    const temporary = await temporaryEngine({ tools: [compose, hang] });
    const answer = temporary.engine.dispatch(
      { id: "1", name: "compose", input: {} },
      { onEvent: ({ type, callId }) => void (type === "call-settled" && settled.push(callId)) },
    );
    await started.promise;
    await temporary[Symbol.asyncDispose]();
    expect(settled).toEqual(["1/1", "1"]);
    expect(await answer).toMatchObject({ success: false, errorKind: "cancelled" });
  });

  it("is why a call is not tried again: what it called would run twice", async () => {
    let attempts = 0;
    const compose = composing(
      "compose",
      async ({ dispatch }) => {
        attempts += 1;
        await dispatch(write(`${attempts}`));
        throw new ToolError("Out of reach", { kind: "dependency" });
      },
      { maxRetries: 3 },
    );
    const { result, changes } = await run([compose], { retryDelayMs: 1 });
    expect([result.success, attempts, changes]).toEqual([false, 1, [["1", "1/1"]]]);
  });

  it("gives what it called before when the parent is replayed in a named conversation", async () => {
    const compose = composing("compose", async ({ dispatch }) => (await dispatch(write("a"))).metadata["replayed"]);
    await using temporary = await temporaryEngine({ tools: [...coreTools(), compose] });
    const options = { conversation: "chat" };
    const call = { id: "1", name: "compose", input: {} };
    const outputs = [];
    for (const _time of [1, 2]) outputs.push((await temporary.engine.dispatch(call, options)).output);
    expect(outputs).toEqual(["(done)", "true"]);
  });
});
