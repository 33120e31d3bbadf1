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
const NAMES = [
  "reads",
  "writes",
  "writes_together",
  "reads_table",
  "writes_table",
  "runs",
  "waits",
  "forbidden",
  "nothing",
] as const;
const TABLES = ["users", "orders", "prices"] as const;

const parameters = {
  type: "object",
  properties: {
    how: { type: "string", enum: HOWS },
    ms: { type: "integer" },
    id: { type: "string" },
    table: { type: "string" },
  },
  required: ["how", "ms", "id", "table"],
} as const;

interface Input {
  readonly how: (typeof HOWS)[number];
  readonly ms: number;
  readonly id: string;
  readonly table: string;
}

/** Watches who is at a table: nobody but a writer, or readers only, and writers in the order of their ids. */
class TableWatch {
  readonly faults: string[] = [];
  readonly #present = new Map<string, "reads" | "writes">();
  readonly #lastWriter = new Map<string, string>();

  /** Lets a call end at its table as its input says. */
  async visit(how: "reads" | "writes", input: Input, signal: AbortSignal): Promise<unknown> {
    const { id, table } = input;
    const visit = `${table} ${id}`;
    const leave = (): void => void this.#present.delete(visit);
    for (const [other, doing] of this.#present)
      if (other.startsWith(`${table} `) && (how === "writes" || doing === "writes"))
        this.faults.push(`${visit} ${how} while ${other} ${doing}`);
    const last = this.#lastWriter.get(table) ?? "";
    if (compareIds(last, id) > 0) this.faults.push(`${visit} ${how} after ${last} wrote`);
    if (how === "writes") this.#lastWriter.set(table, id);
    this.#present.set(visit, how);
    // Nobody waits any more for one that does not heed its signal.
    signal.addEventListener("abort", leave);
    try {
      return await end(input, signal);
    } finally {
      leave();
    }
  }
}

/** Ids are the numbers of a batch and of a call in it. */
function compareIds(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

/** Ends as its input says, after some time; only "heedless" does not listen to its signal, and holds nothing open. */
async function end({ how, ms }: Input, signal: AbortSignal): Promise<unknown> {
  if (how === "heedless") return await delay(60, undefined, { ref: false });
  await delay(how === "hang" ? 10_000 : ms, undefined, { signal });
  if (how === "crash") throw new Error("Crash");
  if (how === "ok") return "done";
  return { success: false, error: how, errorKind: how === "fail" ? "business" : "dependency" };
}

/** Tools of every kind, and the backend that the commands go to. */
function engineOptions(watch: TableWatch) {
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
  const defineAtTable = (name: string, risk: "read" | "write", how: "reads" | "writes") =>
    defineTool({
      name,
      description: name,
      risk,
      parameters,
      timeoutMs: 40,
      resources: ({ table }) => ({ [how]: [table] }),
      execute: async (input, { signal }) => await watch.visit(how, input, signal),
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
      defineAtTable("reads_table", "read", "reads"),
      defineAtTable("writes_table", "write", "writes"),
      runs,
      define("waits", "read", { ready: () => "it waits" }),
      define("forbidden", "write", {}),
    ],
  };
}

const CALLS = 1_000;

const batches = record({
  calls: array(
    record({
      name: constantFrom(...NAMES),
      // What takes its whole time limit is rarer, or the test would do little but wait.
      how: constantFrom("ok", "ok", "ok", "fail", "fail", "dependency", "dependency", "crash", "crash", ...HOWS),
      ms: integer({ min: 0, max: 6 }),
      bad: integer({ min: 0, max: 9 }),
      table: constantFrom(...TABLES),
    }),
    { minLength: CALLS, maxLength: CALLS },
  ),
  abortAfterMs: constantFrom(undefined, 20, 200, 1_000),
});

/** Every tool in every way, with nothing to stop it: whatever is drawn beside it, each kind of ending has been there. */
const EVERY_WAY = {
  calls: NAMES.flatMap((name) => HOWS.map((how, index) => ({ name, how, ms: index, bad: 1, table: TABLES[0] }))),
  abortAfterMs: undefined,
};

it("Engine.dispatchAll() answers each of 1,000 mixed calls once and in order, and leaves nothing behind", async () => {
  const watch = new TableWatch();
  const { backend, tools } = engineOptions(watch);
  const timersBefore = timers();
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
      const given = calls.map(({ name, how, ms, bad, table }, index) => {
        const id = `${batch}-${index}`;
        return { id, name, input: bad === 0 ? { how: 7 } : { how, ms, id, table } };
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
      expect(watch.faults).toEqual([]);
      expect(timers()).toBeLessThanOrEqual(timersBefore);
      const kept = results.flatMap(({ changes }) => changes.map(({ path }) => path));
      const changed = new Set((await engine.workspace.changes()).map(({ path }) => path));
      expect(kept.filter((path) => !changed.has(path))).toEqual([]);
      expect([...changed].filter((path) => path.startsWith(`${batch}-`)).toSorted()).toEqual(kept.toSorted());
      // Landing waits for running calls and refuses when there are any: no draft is left.
      if (changed.size > 0) await engine.discard();
      expect(await readdir(layers)).toEqual([]);
    }),
    { numRuns: 3, endOnFailure: true, examples: [[EVERY_WAY]] },
  );
  const always = ["success", "business", "denied", "dependency", "internal", "not-found", "timeout", "unavailable"];
  expect(always.filter((kind) => !seen.has(kind))).toEqual([]);
});

/** Timers that keep the process alive, those of the test's own runner among them. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
}

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
