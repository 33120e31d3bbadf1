/** A test for each trap in the code of the seed systems; docs/seeds.md lists them. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { DispatchEvent } from "../../src/contract/event.ts";
import type { Hooks } from "../../src/contract/hooks.ts";
import { approveAll, scriptedReviewer } from "../../src/testing/reviewers.ts";
import { fakeBackend } from "../../src/testing/fake-backend.ts";
import { coreTools } from "../../src/tools/core-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { mcpFixture } from "../tools/mcp/mcp-fixture.ts";
import { nameTools } from "../../src/tools/mcp/name-tools.ts";
import { answers, askAll, readTool } from "./seed-engine.ts";

const SPEC = { name: "probe", description: "Does nothing", execute: (): unknown => "done" };
const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const;
const echo = defineTool({
  name: "echo",
  description: "Says the path",
  risk: "read",
  parameters,
  execute: ({ path }) => path,
});

describe("traps in Chimera's code", () => {
  it("TR-01 a tool that requires approval is not run without one", async () => {
    const tool = readTool("probe", () => "ran").copy({ requiresApproval: true });
    const reviewer = scriptedReviewer([{ decision: "deny" }, { decision: "approve" }]);
    const results = await answers({ tools: [tool], reviewer }, ["probe"], ["probe"]);
    expect(results).toMatchObject([{ errorKind: "denied", attempts: 0 }, { output: "ran" }]);
    expect(reviewer.requests).toHaveLength(2);
  });

  it("TR-02 a call that was approved runs although a later one of its batch waits, is denied or fails", async () => {
    const tools = ["a", "b", "c", "d"].map((name) => readTool(name, () => `${name} ran`));
    const reviewer = scriptedReviewer([{ decision: "approve" }, { decision: "deny" }]);
    const policy = { ask: ["a", "c"] };
    const results = await answers({ tools, policy, reviewer }, ["a"], ["b"], ["c"], ["none"], ["d"]);
    expect(results.map((result) => (result.success ? result.output : result.errorKind))).toEqual([
      "a ran",
      "b ran",
      "denied",
      "not-found",
      "d ran",
    ]);
  });

  it("TR-03 a denied call is answered in its place, not ahead of those that ran", async () => {
    const tools = ["slow", "denied", "quick"].map((name) => readTool(name, () => name));
    const results = await answers({ tools, policy: { deny: ["denied"] } }, ["slow"], ["denied"], ["quick"]);
    expect(results.map(({ callId, tool, success }) => [callId, tool, success])).toEqual([
      ["1", "slow", true],
      ["2", "denied", false],
      ["3", "quick", true],
    ]);
  });

  it("TR-04 the journal has what was denied, blocked, unknown, invalid and cancelled too", async () => {
    const hooks: Hooks = {
      beforeCall: ({ tool }) => (tool === "blocked" ? { decision: "block", reason: "no" } : undefined),
    };
    const tools = ["denied", "blocked", "cancelled"].map((name) => readTool(name, () => name));
    await using temporary = await temporaryEngine({ tools: [...tools, echo], hooks, policy: { deny: ["denied"] } });
    await askAll(temporary.engine, ["echo", { path: "a" }], ["denied"], ["blocked"], ["unknown"], ["echo", {}]);
    const call = { id: "6", name: "cancelled", input: {} };
    await temporary.engine.dispatch(call, { signal: AbortSignal.abort() });
    const kept = temporary.engine.journal.recent(10).map(({ callId, outcome }) => `${callId} ${outcome}`);
    expect(kept.toSorted()).toEqual([
      "1 success",
      "2 denied",
      "3 denied",
      "4 not-found",
      "5 validation",
      "6 cancelled",
    ]);
  });

  it("TR-05 no tool is run on an input that its schema does not allow", async () => {
    let ran = 0;
    const tool = defineTool({ ...SPEC, risk: "read", parameters, execute: () => (ran += 1) });
    const results = await answers(
      { tools: [tool] },
      ["probe", {}],
      ["probe", { path: 1 }],
      ["probe", { path: "", x: 1 }],
    );
    expect(results.map(({ success, attempts }) => [success, attempts])).toEqual([
      [false, 0],
      [false, 0],
      [false, 0],
    ]);
    expect(ran).toBe(0);
  });

  it("TR-06 every tool has a time limit, also one that ignores its signal", async () => {
    const never = async () => await new Promise(() => undefined);
    const results = await answers({ tools: [readTool("hangs", never, { timeoutMs: 30 })] }, ["hangs"]);
    expect(results).toMatchObject([{ errorKind: "timeout", error: expect.stringContaining("after 30 ms") }]);
    expect(readTool("any", never).timeoutMs).toBe(30_000);
  });

  it("TR-07 no more than eight reads run at the same time", async () => {
    let [running, most] = [0, 0];
    const tool = defineTool({
      ...SPEC,
      risk: "read",
      parameters,
      execute: async () => {
        most = Math.max(most, (running += 1));
        await delay(5);
        running -= 1;
      },
    });
    const asked = Array.from({ length: 40 }, (_, index) => ["probe", { path: String(index) }] as const);
    await answers({ tools: [tool] }, ...asked);
    expect(most).toBe(8);
  });

  it("TR-09 a check that throws denies", async () => {
    const tool = defineTool({
      ...SPEC,
      risk: "read",
      authorize: () => {
        throw new Error("analyzer is broken");
      },
    });
    const hooks: Hooks = {
      beforeCall: () => {
        throw new Error("hook is broken");
      },
    };
    const reviewer = () => {
      throw new Error("reviewer is broken");
    };
    const policy = { ask: ["echo"] };
    const [[checked], [hooked], [reviewed]] = await Promise.all([
      answers({ tools: [tool], policy: { allow: ["*"] }, reviewer: approveAll }, ["probe"]),
      answers({ tools: [echo], policy: { allow: ["*"] }, hooks }, ["echo", { path: "a" }]),
      answers({ tools: [echo], policy, reviewer }, ["echo", { path: "a" }]),
    ]);
    expect([checked, hooked, reviewed]).toMatchObject([
      { errorKind: "denied", attempts: 0, error: expect.stringContaining("analyzer is broken") },
      { errorKind: "denied", attempts: 0, error: expect.stringContaining("hook is broken") },
      { errorKind: "denied", attempts: 0, error: expect.stringContaining("reviewer is broken") },
    ]);
  });
});

describe("traps in Echo Agent's code", () => {
  it("TR-11 nobody is asked about a call that is invalid, blocked, not ready or behind an open breaker", async () => {
    const reviewer = scriptedReviewer([{ decision: "approve" }]);
    const hooks: Hooks = {
      beforeCall: ({ tool }) => (tool === "blocked" ? { decision: "block", reason: "no" } : undefined),
    };
    const tools = [
      echo,
      readTool("blocked", () => ""),
      readTool("down", () => ({ success: false, error: "down", errorKind: "dependency" })),
      defineTool({ ...SPEC, name: "waiting", risk: "read", ready: () => "not yet" }),
    ];
    await using temporary = await temporaryEngine({
      tools,
      hooks,
      reviewer,
      policy: { ask: ["*"] },
      breaker: { failures: 1 },
    });
    await askAll(temporary.engine, ["down"]);
    const results = await askAll(temporary.engine, ["echo", {}], ["blocked"], ["waiting"], ["down"], ["none"]);
    expect(results.map((result) => !result.success && result.errorKind)).toEqual([
      "validation",
      "denied",
      "unavailable",
      "unavailable",
      "not-found",
    ]);
    expect(reviewer.requests.map(({ tool }) => tool)).toEqual(["down"]);
  });

  it("TR-12 nothing changes an input after it was approved: neither hook, nor reviewer, nor caller, nor tool", async () => {
    const ran: unknown[] = [];
    const tool = defineTool({
      ...SPEC,
      risk: "read",
      parameters: { type: "object", properties: { list: { type: "array", items: { type: "string" } } } },
      execute: (input) => void ran.push(structuredClone(input)),
    });
    const shown: unknown[] = [];
    const given = { list: ["a"] };
    const spoil = (input: unknown) => {
      try {
        (input as typeof given).list.push("changed");
      } catch {
        // It may be frozen as well as copied.
      }
    };
    await using temporary = await temporaryEngine({
      tools: [tool],
      hooks: { beforeCall: ({ input }) => spoil(input) },
      policy: { ask: ["*"] },
      reviewer: ({ input }) => {
        shown.push(structuredClone(input));
        spoil(input);
        spoil(given);
        return { decision: "approve" };
      },
    });
    await temporary.engine.dispatch({ id: "1", name: "probe", input: given });
    expect([shown, ran]).toEqual([[{ list: ["a"] }], [{ list: ["a"] }]]);
  });

  it("TR-12 what a reviewer edits is seen by the hook again, which may then block and not edit", async () => {
    const seen: unknown[] = [];
    const hooks: Hooks = {
      beforeCall: ({ input }) => {
        seen.push(input);
        return (input as { readonly path: string }).path === "a"
          ? { decision: "continue" }
          : { decision: "edit", input: { path: "c" } };
      },
    };
    const reviewer = scriptedReviewer([{ decision: "edit", input: { path: "b" } }]);
    const options = { tools: [echo], hooks, policy: { ask: ["*"] }, reviewer };
    const [result] = await answers(options, ["echo", { path: "a" }]);
    expect(seen).toEqual([{ path: "a" }, { path: "b" }]);
    expect(result).toMatchObject({ errorKind: "denied", attempts: 0 });
  });

  it("TR-13 a retry repeats no change: what a failed attempt wrote is gone before the next one", async () => {
    let attempt = 0;
    const tool = defineTool({
      ...SPEC,
      risk: "write",
      maxRetries: 2,
      execute: async (_input, { workspace }) => {
        const before = await workspace.readFile("log").catch(() => new Uint8Array());
        await workspace.writeFile("log", `${Buffer.from(before).toString()}once\n`);
        if ((attempt += 1) < 3) throw new Error("down");
      },
    });
    await using temporary = await temporaryEngine({ tools: [tool], retryDelayMs: 1 });
    const [result] = await askAll(temporary.engine, ["probe"]);
    expect(result).toMatchObject({ success: true, attempts: 3 });
    expect(await temporary.engine.workspace.diff()).toMatch(/\n@@ -0,0 \+1 @@\n\+once\n$/);
  });

  it("TR-14 nested values, bounds and defaults of a schema count", async () => {
    const tool = defineTool({
      ...SPEC,
      risk: "read",
      parameters: {
        type: "object",
        properties: {
          at: {
            type: "object",
            properties: { line: { type: "integer", minimum: 1, maximum: 9 }, unit: { type: "string", default: "mm" } },
            required: ["line"],
          },
        },
        required: ["at"],
      },
      execute: (input) => input,
    });
    const asked = [{ line: 1 }, { line: 0 }, { line: 10 }, {}].map((at) => ["probe", { at }] as const);
    const results = await answers({ tools: [tool] }, ...asked);
    expect(results.map((result) => (result.success ? result.structured : result.error))).toEqual([
      { at: { line: 1, unit: "mm" } },
      "(input error: at.line must be at least 1, not 0)",
      "(input error: at.line must be at most 9, not 10)",
      "(input error: at.line is required)",
    ]);
  });

  it("TR-15 a risk has one name, in definitions and in rules", async () => {
    const define = () => defineTool({ ...SPEC, risk: "read_only" as "read" });
    expect(define).toThrow(/"risk" is "read_only"; use "read", "write", "exec"$/);
    const results = await answers({ tools: [echo], policy: { deny: ["risk:read"] } }, ["echo", { path: "a" }]);
    expect(results).toMatchObject([{ errorKind: "denied" }]);
  });

  it("TR-16 a call that is replayed gets its first result, a failure with its kind", async () => {
    let ran = 0;
    const execute = () => ({ success: false, error: `no (${(ran += 1)})`, errorKind: "dependency" });
    const tool = defineTool({ ...SPEC, risk: "write", execute });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const dispatch = async (conversation: string) =>
      await temporary.engine.dispatch({ id: "1", name: "probe", input: {} }, { conversation });
    const results = [await dispatch("a"), await dispatch("a"), await dispatch("b")];
    expect(results).toMatchObject([
      { errorKind: "dependency", error: "no (1)", attempts: 1 },
      { errorKind: "dependency", error: "no (1)", attempts: 0 },
      { errorKind: "dependency", error: "no (2)", attempts: 1 },
    ]);
  });

  it("TR-18 a server that fails has failures that count for the breaker", async () => {
    await using fixture = await mcpFixture({ engine: { breaker: { failures: 1 } } });
    expect(await fixture.call("crash")).toMatchObject({ errorKind: "dependency" });
    expect(await fixture.call("crash")).toMatchObject({ errorKind: "unavailable", attempts: 0 });
    expect((await fixture.log()).filter((line) => line.startsWith("called crash"))).toHaveLength(1);
  });

  it("TR-19 an image of a server stays an image", async () => {
    await using fixture = await mcpFixture();
    expect((await fixture.call("image")).content).toEqual([
      { type: "image", data: expect.stringMatching(/^iVBOR/), mimeType: "image/png" },
    ]);
  });

  it("TR-20 no name of a server's tool is longer than a provider takes", () => {
    const [name] = nameTools("server", ["x".repeat(200)]).values();
    expect(name).toHaveLength(64);
  });
});

describe("traps in OpenAgentSDK's code", () => {
  it("TR-21 results are in the order asked, whatever ends first and whatever changes something", async () => {
    const first = Promise.withResolvers<undefined>();
    const tools = [
      readTool("waits", async () => await first.promise),
      readTool("ends", () => "ended"),
      defineTool({ ...SPEC, name: "writes", risk: "write" }),
    ];
    const settled: string[] = [];
    await using temporary = await temporaryEngine({ tools });
    const calls = ["waits", "ends", "writes", "ends"].map((name, index) => ({ id: `${index}`, name, input: {} }));
    const onEvent = (event: DispatchEvent): void => {
      if (event.type !== "call-settled") return;
      settled.push(event.callId);
      // The first call ends only when the one behind it has been answered.
      if (event.callId === "1") first.resolve(undefined);
    };
    const results = await temporary.engine.dispatchAll(calls, { onEvent });
    expect(settled.slice(0, 2)).toEqual(["1", "0"]);
    expect(results.map(({ callId }) => callId)).toEqual(["0", "1", "2", "3"]);
  });

  it("TR-22 calls that are cancelled are answered", async () => {
    const controller = new AbortController();
    const tools = [
      readTool("stops", async () => {
        controller.abort();
        await new Promise(() => undefined);
      }),
      defineTool({ ...SPEC, name: "writes", risk: "write" }),
    ];
    await using temporary = await temporaryEngine({ tools });
    const calls = ["stops", "writes"].map((name) => ({ id: name, name, input: {} }));
    const results = await temporary.engine.dispatchAll(calls, { signal: controller.signal });
    expect(results.map((result) => [result.callId, !result.success && result.errorKind])).toEqual([
      ["stops", "cancelled"],
      ["writes", "cancelled"],
    ]);
  });

  it("TR-23 the model is shown the tools in the same order however they were given", async () => {
    const tools = [...coreTools(), readTool("zebra", () => ""), readTool("Ant", () => "")];
    await using one = await temporaryEngine({ tools });
    await using other = await temporaryEngine({ tools: tools.toReversed() });
    expect(other.engine.offeredTools.map(({ spec }) => spec)).toEqual(one.engine.offeredTools.map(({ spec }) => spec));
  });

  it("TR-24 an input that a hook changes is what runs, and the hook for denials is called", async () => {
    const denied: string[] = [];
    const hooks: Hooks = {
      beforeCall: ({ tool }) => (tool === "echo" ? { decision: "edit", input: { path: "b" } } : undefined),
      onDenied: ({ tool }) => void denied.push(tool),
    };
    const tools = [echo, readTool("other", () => "")];
    const results = await answers({ tools, hooks, policy: { deny: ["other"] } }, ["echo", { path: "a" }], ["other"]);
    expect([results[0]?.output, denied]).toEqual(["b", ["other"]]);
  });

  it("TR-25 a hook before the call that crashes or takes too long blocks it", async () => {
    const crashes: Hooks = {
      beforeCall: () => {
        throw new Error("gone");
      },
    };
    const hangs: Hooks = { beforeCall: async () => await new Promise(() => undefined) };
    const [[crashed], [hung]] = await Promise.all([
      answers({ tools: [echo], hooks: crashes }, ["echo", { path: "a" }]),
      answers({ tools: [echo], hooks: hangs, hookTimeoutMs: 20 }, ["echo", { path: "a" }]),
    ]);
    expect([crashed, hung]).toMatchObject([
      { errorKind: "denied", attempts: 0 },
      { errorKind: "denied", attempts: 0 },
    ]);
  });

  it("TR-26 a model cannot turn the sandbox off or choose its limits: such arguments are refused", async () => {
    const backend = fakeBackend(() => ({}));
    const tricks = [{ dangerouslyDisableSandbox: true }, { timeout: 9e9 }, { network: "host" }, { sandbox: "none" }];
    const asked = tricks.map((trick) => ["shell", { command: "true", ...trick }] as const);
    const results = await answers({ backends: [backend], policy: { mode: "auto" } }, ...asked);
    expect(results.map((result) => !result.success && result.errorKind)).toEqual(tricks.map(() => "validation"));
    expect(backend.commands).toEqual([]);
  });
});
