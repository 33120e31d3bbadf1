import { describe, expect, it } from "vitest";
import type { Hooks } from "../../src/contract/hooks.ts";
import type { EngineOptions } from "../../src/contract/engine.ts";
import { approveAll, scriptedReviewer } from "../../src/testing/index.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const add = (approval = false) =>
  defineTool({
    name: "add",
    description: "Adds one",
    risk: "read",
    requiresApproval: approval,
    parameters: {
      type: "object",
      properties: { n: { type: "integer" }, by: { type: "integer", default: 1 } },
      required: ["n"],
    },
    execute: ({ n, by }) => `${n + by}`,
  });

async function addWith(hooks: Hooks, options: Partial<EngineOptions> & { readonly input?: unknown } = {}) {
  const { input = { n: 1 }, ...engineOptions } = options;
  await using temporary = await temporaryEngine({ tools: [add()], hooks, ...engineOptions });
  const result = await temporary.engine.dispatch({ id: "1", name: "add", input });
  return result.success ? result.output : [result.errorKind, result.error];
}

describe("the hook beforeCall", () => {
  it("sees the validated input with its defaults, and lets the call go on by saying nothing or so", async () => {
    const seen: unknown[] = [];
    const look: Hooks = { beforeCall: ({ signal: _signal, ...call }) => void seen.push(call) };
    expect(await addWith(look)).toBe("2");
    expect(seen).toEqual([{ callId: "1", tool: "add", risk: "read", input: { n: 1, by: 1 } }]);
    expect(await addWith({ beforeCall: () => ({ decision: "continue" }) })).toBe("2");
  });

  it("is not asked about input that is not valid", async () => {
    const hooks: Hooks = { beforeCall: () => Promise.reject(new Error("It was asked")) };
    expect(await addWith(hooks, { input: {} })).toEqual(["validation", "(input error: n is required)"]);
  });

  it("may edit the input, which is validated again", async () => {
    expect(await addWith({ beforeCall: () => ({ decision: "edit", input: { n: 5 } }) })).toBe("6");
    expect(await addWith({ beforeCall: () => ({ decision: "edit", input: { n: "five" } }) })).toEqual([
      "denied",
      'Permission denied for "add": the input that the hook "beforeCall" gave is not valid: (input error: n must be an integer, not "five")',
    ]);
  });

  it("may have the reviewer decide about what the policy allows, and about nothing that it denies", async () => {
    const hooks: Hooks = { beforeCall: () => ({ decision: "ask", reason: "it is late" }) };
    const reviewer = scriptedReviewer([{ decision: "approve" }, { decision: "deny" }]);
    expect(await addWith(hooks, { reviewer })).toBe("2");
    expect(reviewer.requests.map(({ reason, reach }) => [reason, reach])).toEqual([
      ["a hook asks for approval: it is late", undefined],
    ]);
    expect(await addWith(hooks, { reviewer })).toEqual([
      "denied",
      'Permission denied for "add": the reviewer denied it',
    ]);
    expect(await addWith(hooks)).toEqual(["denied", expect.stringContaining("a hook asks for approval: it is late")]);
    expect(await addWith(hooks, { reviewer: approveAll, policy: { deny: ["add"] } })).toEqual([
      "denied",
      'Permission denied for "add": the rule "deny add" of the policy option says so',
    ]);
  });

  it("is not asked for approval twice of what a reviewer edited", async () => {
    const hooks: Hooks = { beforeCall: () => ({ decision: "ask", reason: "it is late" }) };
    const reviewer = scriptedReviewer([{ decision: "edit", input: { n: 4 } }]);
    expect(await addWith(hooks, { reviewer })).toBe("5");
  });

  it("comes before the gate, so that a reviewer sees what will run", async () => {
    const inputs: unknown[] = [];
    const hooks: Hooks = { beforeCall: () => ({ decision: "edit", input: { n: 7 } }) };
    const reviewer: EngineOptions["reviewer"] = ({ input }) => {
      inputs.push(input);
      return { decision: "approve" };
    };
    expect(await addWith(hooks, { tools: [add(true)], reviewer })).toBe("8");
    expect(inputs).toEqual([{ n: 7, by: 1 }]);
  });

  it("may block what a reviewer edited, and not change it", async () => {
    const edit = () => scriptedReviewer([{ decision: "edit", input: { n: 9 } }]);
    const options = { tools: [add(true)] };
    const none: Hooks = { beforeCall: () => undefined };
    expect(await addWith(none, { ...options, reviewer: edit() })).toBe("10");
    const same: Hooks = { beforeCall: ({ input }) => ({ decision: "edit", input }) };
    expect(await addWith(same, { ...options, reviewer: edit() })).toBe("10");
    const other: Hooks = { beforeCall: () => ({ decision: "edit", input: { n: 2 } }) };
    expect(await addWith(other, { ...options, reviewer: edit() })).toEqual([
      "denied",
      'Permission denied for "add": the hook "beforeCall" would change what the reviewer has edited',
    ]);
    const noNine: Hooks = {
      beforeCall: ({ input }) =>
        JSON.stringify(input).includes("9") ? { decision: "block", reason: "no nines" } : undefined,
    };
    expect(await addWith(noNine, { ...options, reviewer: edit() })).toEqual([
      "denied",
      'Permission denied for "add": a hook blocked it: no nines',
    ]);
  });

  it("blocks the call when its answer cannot be read", async () => {
    const answer = {
      get decision(): never {
        throw new Error("Not yours");
      },
    };
    expect(await addWith({ beforeCall: () => answer })).toEqual([
      "denied",
      'Permission denied for "add": the hook "beforeCall" failed: Not yours',
    ]);
  });

  const blocking: readonly [string, Hooks["beforeCall"], string][] = [
    ["says so", () => ({ decision: "block", reason: "not today" }), "a hook blocked it: not today"],
    ["throws", () => Promise.reject(new Error("Broken")), 'the hook "beforeCall" failed: Broken'],
    ["hangs", () => new Promise(() => undefined), 'the hook "beforeCall" did not answer within 0.02 s'],
    [
      "answers nonsense",
      () => ({ allowed: true }) as never,
      'the hook "beforeCall" failed: it did not answer with a decision',
    ],
    ["answers null", () => null as never, 'the hook "beforeCall" failed: it did not answer with a decision'],
  ];
  it.each(blocking)("blocks the call when it %s", async (...[, beforeCall, reason]) => {
    const reviewer = (): never => {
      throw new Error("Nobody may be asked about a call that is blocked");
    };
    const options = { hookTimeoutMs: 20, reviewer, tools: [add(true)] };
    expect(await addWith({ ...(beforeCall && { beforeCall }) }, options)).toEqual([
      "denied",
      `Permission denied for "add": ${reason}`,
    ]);
  });

  it("is told when its call is cancelled, and the call is answered at once", async () => {
    const controller = new AbortController();
    const told = Promise.withResolvers<void>();
    const hooks: Hooks = {
      beforeCall: async ({ signal }) => {
        signal.addEventListener("abort", () => told.resolve());
        controller.abort();
        await new Promise(() => undefined);
      },
    };
    await using temporary = await temporaryEngine({ tools: [add()], hooks });
    const call = { id: "1", name: "add", input: { n: 1 } };
    expect(await temporary.engine.dispatch(call, { signal: controller.signal })).toMatchObject({
      success: false,
      errorKind: "cancelled",
      error: '"add" was cancelled before it started',
    });
    await told.promise;
  });
});

describe("the observing hooks", () => {
  const failing = defineTool({
    name: "fails",
    description: "Fails",
    risk: "read",
    execute: () => ({ success: false, error: "no" }),
  });

  it("are told of each call by how it ended, before it is answered", async () => {
    const told: string[] = [];
    const note =
      (hook: string): NonNullable<Hooks["afterCall"]> =>
      ({ tool }, result) =>
        void told.push(`${hook} ${tool} ${result.success ? result.output : result.errorKind}`);
    const hooks: Hooks = { afterCall: note("after"), onFailure: note("failure"), onDenied: note("denied") };
    await using temporary = await temporaryEngine({
      tools: [add(), failing],
      hooks,
      policy: { deny: ["read_output"] },
    });
    const names = ["add", "fails", "read_output", "nothing"];
    const inputs = [{ n: 1 }, {}, { id: "0".repeat(32) }, {}];
    for (const [index, name] of names.entries())
      await temporary.engine.dispatch({ id: String(index), name, input: inputs[index] });
    expect(told).toEqual([
      "after add 2",
      "after fails business",
      "failure fails business",
      "denied read_output denied",
      "failure nothing not-found",
    ]);
  });

  it("change nothing when they throw or hang", async () => {
    const hooks: Hooks = {
      afterCall: () => Promise.reject(new Error("Broken")),
      onFailure: () => new Promise(() => undefined),
      onDenied: () => {
        throw new Error("Broken");
      },
    };
    await using temporary = await temporaryEngine({
      tools: [add(), failing],
      hooks,
      hookTimeoutMs: 20,
      reviewer: approveAll,
      policy: { deny: ["read_output"] },
    });
    const results = await temporary.engine.dispatchAll([
      { id: "1", name: "add", input: { n: 1 } },
      { id: "2", name: "fails", input: {} },
      { id: "3", name: "read_output", input: { id: "0".repeat(32) } },
    ]);
    expect(results.map((result) => (result.success ? result.output : result.errorKind))).toEqual([
      "2",
      "business",
      "denied",
    ]);
  });
});
