/** What the seed systems say of hooks, of what a tool is given beside its input, and of the order of it all. */
import { describe, expect, it } from "vitest";
import type { DispatchEvent } from "../../src/contract/event.ts";
import type { HookCall, Hooks } from "../../src/contract/hooks.ts";
import type { WriteContext } from "../../src/contract/tool.ts";
import { approveAll, scriptedReviewer } from "../../src/testing/reviewers.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { answers, askAll, readTool } from "./seed-engine.ts";

const parameters = { type: "object", properties: { path: { type: "string" } } } as const;
const SPEC = { name: "probe", description: "Does nothing", parameters } as const;

describe("Chimera", () => {
  it("CH-23 validation, hook, gate, tool, hook on the result, shortening, record, hooks that observe, event; then repeats count", async () => {
    const log: string[] = [];
    const seen: number[] = [];
    const execute = async (_input: unknown, { workspace }: WriteContext) => {
      log.push("tool");
      await workspace.writeFile("a", "a");
      return "x".repeat(40_000);
    };
    const tool = defineTool({ ...SPEC, risk: "write", execute });
    const note = (what: string) => (): void => void log.push(what);
    const hooks: Hooks = {
      beforeCall: note("beforeCall"),
      beforeResult: (_call, { output }) => {
        log.push("beforeResult");
        seen.push(output.length);
      },
      afterCall: (_call, { output }) => {
        const kept = temporary.engine.journal.recent(1).map(({ outcome }) => outcome);
        log.push(`afterCall, kept: ${kept.join()}`);
        seen.push(output.length);
      },
    };
    const reviewer = () => {
      log.push("gate");
      return { decision: "approve" } as const;
    };
    await using temporary = await temporaryEngine({ tools: [tool], hooks, policy: { ask: ["*"] }, reviewer });
    const dispatch = async (input: unknown) =>
      await temporary.engine.dispatch(
        { id: "1", name: "probe", input },
        { onEvent: ({ type }: DispatchEvent) => void log.push(type) },
      );
    expect(await dispatch({ path: 1 })).toMatchObject({ errorKind: "validation" });
    expect(log.splice(0)).toEqual(["call-settled"]);
    expect(await dispatch({ path: "a" })).toMatchObject({ changes: [{ path: "a", kind: "added" }] });
    expect(log.splice(0)).toEqual([
      "beforeCall",
      "gate",
      "call-started",
      "tool",
      "beforeResult",
      "afterCall, kept: success",
      "call-settled",
    ]);
    expect([seen[0], Number(seen[1]) <= 30_000]).toEqual([40_000, true]);
    for (const path of ["a", "a", "a"]) await dispatch({ path });
    expect(log.filter((line) => line === "tool")).toHaveLength(2);
  });

  it("CH-25 a hook on results keeps, replaces or withholds them, and one that breaks withholds", async () => {
    const outcomes: Readonly<Record<string, () => unknown>> = {
      keep: () => ({ decision: "keep" }),
      replace: () => ({ decision: "replace", output: "something else" }),
      withhold: () => ({ decision: "withhold", reason: "it holds a key" }),
      breaks: () => {
        throw new Error("broken");
      },
    };
    const hooks: Hooks = { beforeResult: ({ tool }) => outcomes[tool]?.() as never };
    const tools = Object.keys(outcomes).map((name) => readTool(name, () => "secret"));
    const results = await answers({ tools, hooks }, ...Object.keys(outcomes).map((name) => [name] as const));
    expect(results.map(({ success, output }) => [success, output])).toEqual([
      [true, "secret"],
      [true, "something else"],
      [true, "[the result is withheld by a hook: it holds a key]"],
      [true, '[the result is withheld: the hook "beforeResult" failed: broken]'],
    ]);
  });

  it("CH-26 calls and results are seams, and what a hook did there is in the journal and in an event", async () => {
    const hooks: Hooks = {
      beforeCall: ({ tool }) => (tool === "blocked" ? { decision: "block", reason: "no" } : undefined),
      beforeResult: () => ({ decision: "replace", output: "replaced" }),
    };
    const events: string[] = [];
    const tools = ["blocked", "open"].map((name) => readTool(name, () => name));
    await using temporary = await temporaryEngine({ tools, hooks });
    const calls = ["blocked", "open"].map((name) => ({ id: name, name, input: {} }));
    await temporary.engine.dispatchAll(calls, {
      onEvent: (event) => {
        if (event.type !== "call-settled") return;
        const { result } = event;
        events.push(`${result.tool}: ${result.success ? result.output : result.errorKind}`);
      },
    });
    expect(events.toSorted()).toEqual(["blocked: denied", "open: replaced"]);
    const kept = temporary.engine.journal.recent(2).map(({ tool, decidedBy }) => `${tool}: ${decidedBy}`);
    expect(kept.toSorted()).toEqual(["blocked: hook", "open: policy"]);
  });

  it("CH-27 a hook may also have a person asked, or leave it to the policy", async () => {
    const hooks: Hooks = {
      beforeCall: ({ input }) =>
        (input as { readonly path: string }).path === "late" ? { decision: "ask", reason: "it is late" } : undefined,
    };
    const tool = defineTool({ ...SPEC, risk: "read", execute: ({ path }) => path });
    const reviewer = scriptedReviewer([{ decision: "approve" }]);
    const results = await answers(
      { tools: [tool], hooks, reviewer },
      ["probe", { path: "early" }],
      ["probe", { path: "late" }],
    );
    expect(results.map(({ output }) => output)).toEqual(["early", "late"]);
    expect(reviewer.requests.map(({ input, reason }) => [input, reason])).toEqual([
      [{ path: "late" }, "a hook asks for approval: it is late"],
    ]);
  });
});

describe("Echo Agent", () => {
  it("EC-24 a call is known by its conversation, id, tool and input, in whatever order its arguments are written", async () => {
    let runs = 0;
    const properties = { a: { type: "integer" }, b: { type: "integer" } } as const;
    const execute = (): string => `run ${(runs += 1)}`;
    const tool = defineTool({ ...SPEC, risk: "write", parameters: { type: "object", properties }, execute });
    await using temporary = await temporaryEngine({ tools: [tool, tool.copy({ name: "other" })] });
    const dispatch = async (id: string, input: unknown, { name = "probe", conversation = "one" } = {}) =>
      (await temporary.engine.dispatch({ id, name, input }, { conversation })).output;
    expect(await dispatch("1", { a: 1, b: 2 })).toBe("run 1");
    expect(await dispatch("1", { b: 2, a: 1 })).toBe("run 1");
    expect(await dispatch("2", { a: 1, b: 2 })).toBe("run 2");
    expect(await dispatch("1", { a: 1, b: 3 })).toBe("run 3");
    expect(await dispatch("1", { a: 1, b: 2 }, { name: "other" })).toBe("run 4");
    expect(await dispatch("1", { a: 1, b: 2 }, { conversation: "two" })).toBe("run 5");
  });

  it("EC-24 a tool that changes something is given the key, the same for each attempt, where the conversation has a name", async () => {
    const keys: (string | undefined)[] = [];
    const tool = defineTool({
      ...SPEC,
      risk: "write",
      maxRetries: 1,
      execute: (_input, { idempotencyKey, conversation }) => {
        keys.push(idempotencyKey);
        if (conversation !== undefined) throw new Error("again");
      },
    });
    await using temporary = await temporaryEngine({ tools: [tool], retryDelayMs: 1 });
    const dispatch = async (id: string, options = {}) =>
      await temporary.engine.dispatch({ id, name: "probe", input: {} }, options);
    for (const id of ["1", "2"]) await dispatch(id, { conversation: "chat" });
    await dispatch("1");
    expect(keys).toEqual([keys[0], keys[0], keys[2], keys[2], undefined]);
    expect([keys[0], keys[2]]).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      expect.not.stringMatching(keys[0] ?? ""),
    ]);
  });

  it("EC-28 the context says which call and attempt it is, and cannot be changed", async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      ...SPEC,
      risk: "read",
      maxRetries: 1,
      execute: (_input, context) => {
        const { callId, attempt, signal } = context;
        const set = Reflect.set(context, "callId", "forged");
        seen.push([callId, context.callId, attempt, signal.aborted, set, Object.isFrozen(context)]);
        if (attempt === 1) throw new Error("again");
      },
    });
    await answers({ tools: [tool], retryDelayMs: 1 }, ["probe"]);
    expect(seen).toEqual([
      ["1", "1", 1, false, false, true],
      ["1", "1", 2, false, false, true],
    ]);
  });
});

describe("alpineagents", () => {
  it("AL-26 a denial that stops cancels the calls beside it, and none of them runs", async () => {
    const ran: string[] = [];
    const tools = ["a", "b", "c"].map((name) => readTool(name, () => void ran.push(name)));
    const reviewer = scriptedReviewer([{ decision: "stop", reason: "this goes wrong" }]);
    const results = await answers({ tools, policy: { ask: ["b"] }, reviewer }, ["a"], ["b"], ["c"]);
    expect(ran).toEqual([]);
    expect(results).toMatchObject([
      { errorKind: "cancelled", attempts: 0 },
      { errorKind: "denied", error: expect.stringContaining("this goes wrong") },
      { errorKind: "cancelled", attempts: 0 },
    ]);
  });
});

describe("OpenAgentSDK", () => {
  it("SW-06 the context has the workspace, the call's id, shared state, and a way to call tools through hooks and gate", async () => {
    const hooked: string[] = [];
    const inner = defineTool({ ...SPEC, name: "inner", risk: "read", execute: ({ path }) => `inner ${path}` });
    const outer = defineTool({
      ...SPEC,
      name: "outer",
      risk: "read",
      execute: async (_input, { callId, workspace, state, dispatch }) => {
        state.set("caller", callId);
        const entries = await workspace.readDirectory(".");
        const asked = [{ name: "inner", input: { path: "a" } }, { name: "forbidden" }];
        const results = [];
        for (const call of asked) results.push(await dispatch(call));
        const told = results.map((result) => (result.success ? result.output : result.errorKind));
        return [entries.length, state.get("caller"), ...told];
      },
    });
    const tools = [outer, inner, readTool("forbidden", () => "ran")];
    const hooks: Hooks = { beforeCall: ({ tool }) => void hooked.push(tool) };
    const [result] = await answers({ tools, hooks, policy: { deny: ["forbidden"] } }, ["outer"]);
    expect(result?.structured).toEqual([0, "1", "inner a", "denied"]);
    expect(hooked).toEqual(["outer", "inner", "forbidden"]);
  });

  it("SW-25 hooks have events of their own, choose tools by a pattern, and 30 s unless they get another time", async () => {
    const log: string[] = [];
    const files = /^(?:read|write)_/;
    const note = (hook: string) => (call: HookCall) => {
      if (files.test(call.tool)) log.push(`${hook} ${call.tool}`);
    };
    const hooks: Hooks = {
      beforeCall: note("beforeCall"),
      beforeResult: note("beforeResult"),
      afterCall: note("afterCall"),
      onFailure: note("onFailure"),
      onDenied: note("onDenied"),
    };
    const names = ["read_a", "write_b", "other"];
    const tools = names.map((name) =>
      readTool(name, () => (name === "write_b" ? { success: false, error: "no" } : name)),
    );
    await using temporary = await temporaryEngine({
      tools: [...tools, readTool("read_secret", () => "")],
      hooks,
      policy: { deny: ["read_secret"] },
    });
    for (const name of [...names, "read_secret"]) await askAll(temporary.engine, [name]);
    expect(log).toEqual([
      "beforeCall read_a",
      "beforeResult read_a",
      "afterCall read_a",
      "beforeCall write_b",
      "beforeResult write_b",
      "afterCall write_b",
      "onFailure write_b",
      "beforeCall read_secret",
      "onDenied read_secret",
    ]);
    const hanging: Hooks = { beforeCall: async () => await new Promise(() => undefined) };
    const [late] = await answers({ tools, hooks: hanging, hookTimeoutMs: 20, reviewer: approveAll }, ["read_a"]);
    expect(late).toMatchObject({ errorKind: "denied", error: expect.stringContaining("within 0.02 s") });
  });
});
