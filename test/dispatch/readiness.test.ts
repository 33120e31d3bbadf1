import { describe, expect, it } from "vitest";
import type { ToolOutcome } from "../../src/contract/tool.ts";
import type { ErrorKind } from "../../src/contract/tool-result.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const neverAsked = (): never => {
  throw new Error("Nobody may be asked about a call that cannot run");
};

describe("a tool that is not ready", () => {
  const answers: readonly [string, () => true | string, string][] = [
    ["says why", () => "WEATHER_KEY is not set", "WEATHER_KEY is not set"],
    [
      "throws",
      () => {
        throw new Error("No such variable");
      },
      "its own check whether it is ready failed (No such variable)",
    ],
    ["says nothing of use", () => Promise.resolve(true) as never, "it does not say whether it is ready"],
    ["says false", () => false as never, "it does not say whether it is ready"],
  ];
  it.each(answers)("is answered and not offered when it %s", async (...[, ready, reason]) => {
    const options = { name: "weather", description: "Tells the weather", requiresApproval: true } as const;
    const weather = defineTool({ ...options, risk: "read", ready, execute: () => "sunny" });
    await using temporary = await temporaryEngine({ tools: [weather], reviewer: neverAsked });
    const { engine } = temporary;
    const sentence = `Cannot run "weather" now: ${reason}`;
    expect(await engine.dispatch({ id: "1", name: "weather", input: {} })).toMatchObject({
      success: false,
      errorKind: "unavailable",
      error: sentence,
      attempts: 0,
    });
    expect(engine.offeredTools.map(({ name }) => name)).toEqual(["read_output"]);
    expect(engine.tools.map(({ name }) => name)).toEqual(["read_output", "weather"]);
    expect(engine.readiness()).toEqual([
      { tool: "read_output", ready: true },
      { tool: "weather", ready: false, reason: sentence },
    ]);
  });

  it("runs as soon as it is ready", async () => {
    let key: string | undefined;
    const ready = (): true | string => (key === undefined ? "no key" : true);
    const weather = defineTool({ name: "weather", description: "Tells", risk: "read", ready, execute: () => "sunny" });
    await using temporary = await temporaryEngine({ tools: [weather] });
    const call = { id: "1", name: "weather", input: {} };
    expect((await temporary.engine.dispatch(call)).success).toBe(false);
    key = "k";
    expect((await temporary.engine.dispatch(call)).success).toBe(true);
    expect(temporary.engine.offeredTools.map(({ name }) => name)).toContain("weather");
  });
});

describe("the circuit breaker of a tool", () => {
  /** An engine whose tool `away` fails with the kinds given, one per call, and then succeeds. */
  async function engineFailing(kinds: readonly (ErrorKind | "throw" | "ok")[], openMs = 60_000) {
    let runs = 0;
    const away = defineTool({
      name: "away",
      description: "Fails",
      risk: "read",
      parameters: { type: "object", properties: { n: { type: "integer" } } },
      execute: (): ToolOutcome => {
        const errorKind = kinds[runs] ?? "ok";
        runs += 1;
        if (errorKind === "throw") throw new Error("Crash");
        return errorKind === "ok" ? { success: true, output: "ok" } : { success: false, error: "no", errorKind };
      },
    });
    const temporary = await temporaryEngine({ tools: [away], breaker: { openMs } });
    const calls = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: "away", input: { n: index } }));
    return {
      engine: temporary.engine,
      runs: () => runs,
      kinds: async (count: number) =>
        (await temporary.engine.dispatchAll(calls(count))).map((each) => (each.success ? "ok" : each.errorKind)),
      [Symbol.asyncDispose]: async () => await temporary[Symbol.asyncDispose](),
    };
  }

  it("opens after five failures of the infrastructure in a row: calls are answered and the tool is not offered", async () => {
    await using failing = await engineFailing(["dependency", "throw", "timeout", "internal", "dependency"]);
    // One batch: the first five open it for those that the gate has let pass already.
    expect((await failing.kinds(12)).filter((kind) => kind === "unavailable").length).toBeGreaterThanOrEqual(4);
    const runs = failing.runs();
    const result = await failing.engine.dispatch({ id: "1", name: "away", input: {} });
    expect(result).toMatchObject({
      success: false,
      errorKind: "unavailable",
      error: expect.stringMatching(
        /^Cannot run "away" now: it has failed too often in a row; try again in (60|59) s, or use another tool$/,
      ),
    });
    expect(failing.runs()).toBe(runs);
    expect(failing.engine.offeredTools.map(({ name }) => name)).toEqual(["read_output"]);
  });

  it("stays closed when the tool fails in its own terms", async () => {
    await using failing = await engineFailing(Array.from({ length: 8 }, () => "business"));
    expect(await failing.kinds(8)).toEqual(Array.from({ length: 8 }, () => "business"));
    expect(failing.runs()).toBe(8);
  });

  it("lets probes through when its time is over, and closes when they succeed", async () => {
    await using failing = await engineFailing(
      Array.from({ length: 5 }, () => "dependency"),
      1,
    );
    for (let call = 0; call < 5; call += 1)
      await failing.engine.dispatch({ id: "1", name: "away", input: { n: call } });
    await expect.poll(() => failing.engine.readiness().every(({ ready }) => ready)).toBe(true);
    expect(await failing.kinds(1)).toEqual(["ok"]);
    expect(await failing.kinds(1)).toEqual(["ok"]);
    expect((await failing.kinds(8)).every((kind) => kind === "ok")).toBe(true);
  });

  it("is refused with settings that are no whole numbers of their range", async () => {
    await expect(temporaryEngine({ breaker: { probes: 0 } })).rejects.toThrow(
      "Cannot create the engine: breaker.probes must be at least 1, not 0",
    );
  });
});
