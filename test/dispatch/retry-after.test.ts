import { expect, it } from "vitest";
import type { ToolOutcome } from "../../src/contract/tool.ts";
import { ToolError } from "../../src/errors/tool-error.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

/** Does what its answers say, one after the other, and notes when it was asked. */
function asked(answers: readonly (() => ToolOutcome)[], options: { readonly timeoutMs?: number } = {}) {
  const atMs: number[] = [];
  const tool = defineTool({
    name: "ask_service",
    description: "Asks a service",
    risk: "read",
    maxRetries: 2,
    ...options,
    execute: () => {
      atMs.push(performance.now());
      return answers[atMs.length - 1]?.() ?? { success: true, output: "answered" };
    },
  });
  return { atMs, tool };
}

const call = { id: "1", name: "ask_service", input: {} };

const busyFor = (retryAfterMs: number) => (): ToolOutcome => ({
  success: false,
  error: "The service is busy",
  errorKind: "dependency",
  retryAfterMs,
});

it("a retry waits as long as the failed attempt asked for", async () => {
  const { atMs, tool } = asked([
    busyFor(120),
    () => {
      throw new ToolError("Slow down", { kind: "dependency", retryAfterMs: 60 });
    },
  ]);
  await using temporary = await temporaryEngine({ tools: [tool], retryDelayMs: 1 });
  const result = await temporary.engine.dispatch(call);
  expect(result).toMatchObject({ success: true, output: "answered", attempts: 3 });
  const [first = 0, second = 0, third = 0] = atMs;
  // A timer may fire a fraction of a millisecond before its time.
  expect(second - first).toBeGreaterThan(119);
  expect(third - second).toBeGreaterThan(59);
});

it.each([
  ["the time of the call", { timeoutMs: 5_000 }, 5_000],
  ["the longest pause there is", { timeoutMs: 600_000 }, 60_001],
])(
  "a failure is answered at once, with the time to wait, when it asks for more than %s",
  async (_what, options, ms) => {
    const { atMs, tool } = asked([busyFor(ms)], options);
    await using temporary = await temporaryEngine({ tools: [tool] });
    const result = await temporary.engine.dispatch(call);
    expect(result).toMatchObject({
      success: false,
      error: `The service is busy; try again in ${Math.ceil(ms / 1_000)} s`,
      errorKind: "dependency",
      retryAfterMs: ms,
      attempts: 1,
    });
    expect(atMs).toHaveLength(1);
  },
);

it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])(
  "a time to wait of %d is a failure of the tool itself",
  async (ms) => {
    const thrown = (): never => {
      throw new ToolError("No", { retryAfterMs: ms });
    };
    const { tool } = asked([thrown, thrown, thrown]);
    await using temporary = await temporaryEngine({ tools: [tool], retryDelayMs: 1 });
    expect(await temporary.engine.dispatch(call)).toMatchObject({ success: false, errorKind: "internal" });
  },
);

it("an open circuit breaker takes the tool out of the list and answers with the time to wait", async () => {
  const fail = (): ToolOutcome => ({ success: false, error: "Down", errorKind: "dependency" });
  const { tool } = asked([fail, fail, fail]);
  await using temporary = await temporaryEngine({
    tools: [tool],
    retryDelayMs: 1,
    breaker: { failures: 1, openMs: 3_600_000 },
  });
  const { engine } = temporary;
  const offered = (): boolean => engine.offeredTools.some(({ name }) => name === "ask_service");
  expect(offered()).toBe(true);
  await engine.dispatch(call);
  expect(offered()).toBe(false);
  const result = await engine.dispatch({ ...call, id: "2" });
  if (result.success) throw new Error("It ran");
  const { retryAfterMs = 0 } = result;
  expect(retryAfterMs).toBeGreaterThan(3_590_000);
  expect(result).toMatchObject({
    errorKind: "unavailable",
    error: `Cannot run "ask_service" now: it has failed too often in a row; try again in ${Math.ceil(retryAfterMs / 1_000)} s, or use another tool`,
    attempts: 0,
  });
  expect(engine.readiness().find((each) => each.tool === "ask_service")).toMatchObject({ ready: false });
});

it("no attempt begins when the call has ended during the pause before it", async () => {
  const { atMs, tool } = asked([busyFor(60)]);
  await using temporary = await temporaryEngine({ tools: [tool], retryDelayMs: 1 });
  const controller = new AbortController();
  const answer = temporary.engine.dispatch(call, {
    signal: controller.signal,
    onEvent: (event) => event.type === "call-started" && setTimeout(() => controller.abort(), 10),
  });
  expect(await answer).toMatchObject({ success: false, errorKind: "cancelled" });
  // As long a pause again, begun later, ends later.
  const { tool: other } = asked([busyFor(90)]);
  await using second = await temporaryEngine({ tools: [other], retryDelayMs: 1 });
  await second.engine.dispatch(call);
  expect(atMs).toHaveLength(1);
});
