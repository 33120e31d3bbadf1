import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { array, assert, asyncProperty, constantFrom, integer, record } from "fast-check";
import { expect, it } from "vitest";
import type { Hooks } from "../../src/contract/hooks.ts";
import type { ToolResult } from "../../src/contract/tool-result.ts";
import { fakeBackend } from "../../src/testing/index.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const HOWS = ["ok", "fail", "dependency", "crash", "hang", "heedless"] as const;
const NAMES = ["reads", "writes", "writes_together", "runs", "waits", "forbidden", "nothing"] as const;

const parameters = {
  type: "object",
  properties: { how: { type: "string", enum: HOWS }, ms: { type: "integer" }, id: { type: "string" } },
  required: ["how", "ms", "id"],
} as const;

interface Input {
  readonly how: (typeof HOWS)[number];
  readonly ms: number;
  readonly id: string;
}

/** Ends as its input says, after some time; only "heedless" does not listen to its signal. */
async function end({ how, ms }: Input, signal: AbortSignal): Promise<unknown> {
  if (how === "heedless") return await delay(60);
  await delay(how === "hang" ? 10_000 : ms, undefined, { signal });
  if (how === "crash") throw new Error("Crash");
  if (how === "ok") return "done";
  return { success: false, error: how, errorKind: how === "fail" ? "business" : "dependency" };
}

/** Tools of every kind, and the backend that the commands go to. */
function engineOptions() {
  const define = (name: string, risk: "read" | "write", more: object) =>
    defineTool({
      name,
      description: name,
      risk,
      parameters,
      timeoutMs: 40,
      ...more,
      execute: async (input, { workspace, signal }) => {
        if ("writeFile" in workspace) await workspace.writeFile(`${input.id}.txt`, input.id);
        return await end(input, signal);
      },
    });
  const runs = defineTool({
    name: "runs",
    description: "Runs a command",
    parameters,
    timeoutMs: 40,
    execute: async ({ how, ms }, { sandbox }) => (await sandbox.run({ kind: "shell", script: `${how} ${ms}` })).stdout,
  });
  const backend = fakeBackend(async ({ command, options }) => {
    const [how = "ok", ms = "0"] = command.kind === "shell" ? command.script.split(" ") : [];
    if (how === "crash") throw new Error("The sandbox broke");
    try {
      await delay(how === "hang" ? Math.min(options.timeoutMs ?? 0, 30) : Number(ms), undefined, {
        signal: options.signal ?? new AbortController().signal,
      });
    } catch {
      return { termination: "cancelled", exitCode: null };
    }
    return how === "hang" ? { termination: "timeout", exitCode: null } : { stdout: "done", exitCode: 0 };
  });
  return {
    backend,
    tools: [
      define("reads", "read", {}),
      define("writes", "write", { maxRetries: 1 }),
      define("writes_together", "write", { parallel: true }),
      runs,
      define("waits", "read", { ready: () => "it waits" }),
      define("forbidden", "write", {}),
    ],
  };
}

const batches = record({
  calls: array(
    record({
      name: constantFrom(...NAMES),
      how: constantFrom(...HOWS),
      ms: integer({ min: 0, max: 6 }),
      bad: integer({ min: 0, max: 9 }),
    }),
    {
      minLength: 60,
      maxLength: 60,
    },
  ),
  abortAfterMs: constantFrom(undefined, undefined, 0, 20, 200),
});

/** Every tool in every way, with nothing to stop it: whatever is drawn beside it, each kind of ending has been there. */
const EVERY_WAY = {
  calls: NAMES.flatMap((name) => HOWS.map((how, index) => ({ name, how, ms: index, bad: 1 }))),
  abortAfterMs: undefined,
};

it("Engine.dispatchAll() answers every one of 300 mixed calls once and in order, and leaves nothing behind", async () => {
  const { backend, tools } = engineOptions();
  const answered: string[] = [];
  const seen = new Set<string>();
  const hooks: Hooks = {
    beforeCall: ({ input }) =>
      JSON.stringify(input).includes('"ms":6') ? { decision: "block", reason: "no sixes" } : undefined,
  };
  await using temporary = await temporaryEngine({
    tools,
    hooks,
    backends: [backend],
    policy: { deny: ["forbidden"], mode: "auto" },
    retryDelayMs: 1,
    breaker: { failures: 8, openMs: 20 },
  });
  const { engine, stateHome } = temporary;
  const [rootState = ""] = await readdir(`${stateHome}/roots`);
  const layers = `${stateHome}/roots/${rootState}/layers`;
  let batch = 0;
  await assert(
    asyncProperty(batches, async ({ calls, abortAfterMs }) => {
      batch += 1;
      const given = calls.map(({ name, how, ms, bad }, index) => {
        const id = `${batch}-${index}`;
        return { id, name, input: bad === 0 ? { how: 7 } : { how, ms, id } };
      });
      const controller = new AbortController();
      const timer = abortAfterMs === undefined ? undefined : setTimeout(() => controller.abort(), abortAfterMs);
      const results = await engine.dispatchAll(given, {
        signal: controller.signal,
        onEvent: (event) => void (event.type === "call-settled" && answered.push(event.callId)),
      });
      clearTimeout(timer);
      expect(results.map(({ callId, tool }) => [callId, tool])).toEqual(given.map(({ id, name }) => [id, name]));
      expect(answered.splice(0).toSorted()).toEqual(given.map(({ id }) => id).toSorted());
      for (const result of results) seen.add(expectKind(result));
      expect(backend.openSessions).toBe(0);
      const kept = results.flatMap(({ changes }) => changes.map(({ path }) => path));
      const changed = new Set((await engine.workspace.changes()).map(({ path }) => path));
      expect(kept.filter((path) => !changed.has(path))).toEqual([]);
      expect([...changed].filter((path) => path.startsWith(`${batch}-`)).toSorted()).toEqual(kept.toSorted());
      // Landing waits for running calls and refuses when there are any: no draft is left.
      if (changed.size > 0) await engine.discard();
      expect(await readdir(layers)).toEqual([]);
    }),
    { numRuns: 6, endOnFailure: true, examples: [[EVERY_WAY]] },
  );
  const always = ["success", "business", "denied", "dependency", "internal", "not-found", "timeout", "unavailable"];
  expect(always.filter((kind) => !seen.has(kind))).toEqual([]);
});

/** What a result may be follows from its tool alone. */
function expectKind(result: ToolResult): string {
  const kind = result.success ? "success" : result.errorKind;
  const refusals = ["validation", "denied", "cancelled", "business"];
  const endings = ["success", "dependency", "internal", "timeout", "unavailable", "conflict"];
  const allowed: Readonly<Record<string, readonly string[]>> = {
    nothing: ["not-found"],
    forbidden: ["validation", "denied", "cancelled"],
    waits: ["validation", "denied", "cancelled", "unavailable"],
  };
  expect(allowed[result.tool] ?? [...refusals, ...endings]).toContain(kind);
  return kind;
}
