import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { PolicyDefinition } from "../../src/contract/gate.ts";
import type { Hooks } from "../../src/contract/hooks.ts";
import type { ErrorKind } from "../../src/contract/tool-result.ts";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { openDatabase } from "../../src/state/database.ts";
import { approveAll } from "../../src/testing/reviewers.ts";
import { toolsWithCapabilities } from "../../src/tools/choose-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { assembleToolPool } from "../../src/tools/tool-pool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { answers, askAll, readTool } from "./seed-engine.ts";

const minimal = { name: "probe", description: "Does nothing", execute: () => "done" };

const SEARCH = defineTool({
  ...minimal,
  risk: "read",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string" },
      limit: { type: "integer", default: 10, minimum: 1, maximum: 100 },
      units: { type: "string", enum: ["metric", "imperial"], default: "metric" },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["query"],
  },
  execute: (input) => input,
});

describe("Echo Agent", () => {
  it("EC-01 timeout, retries and capabilities have defaults, and an undeclared risk is the most careful one", () => {
    const { timeoutMs, maxRetries, capabilities } = defineTool({ ...minimal, risk: "read" });
    expect({ timeoutMs, maxRetries, capabilities }).toEqual({ timeoutMs: 30_000, maxRetries: 0, capabilities: [] });
    expect(defineTool(minimal).risk).toBe("exec");
  });

  it("EC-02 an asynchronous execute gives success, output, error, metadata and the kind of the error", async () => {
    const outcome = { success: false, output: "part", error: "no", errorKind: "dependency", metadata: { a: 1 } };
    const [result] = await answers({ tools: [readTool("probe", async () => await Promise.resolve(outcome))] }, [
      "probe",
    ]);
    expect(result).toMatchObject(outcome);
  });

  it("EC-03 metadata is no part of what the model sees", async () => {
    const tool = readTool("probe", () => ({ success: true, output: "seen", metadata: { hidden: "unseen" } }));
    const [result] = await answers({ tools: [tool] }, ["probe"]);
    expect([result?.output, result?.content]).toEqual(["seen", [{ type: "text", text: "seen" }]]);
  });

  it.each<ErrorKind>(["validation", "business", "timeout", "dependency", "internal"])(
    "EC-04 a tool may fail with the kind %s",
    async (errorKind) => {
      const [result] = await answers(
        { tools: [readTool("probe", () => ({ success: false, error: "no", errorKind }))] },
        ["probe"],
      );
      expect(result).toMatchObject({ success: false, error: "no", errorKind });
    },
  );

  it("EC-07 types, required, enum, minimum, maximum, items and defaults are checked before execute", async () => {
    const results = await answers(
      { tools: [SEARCH] },
      ["probe", { query: 1 }],
      ["probe", {}],
      ["probe", { query: "a", units: "old" }],
      ["probe", { query: "a", limit: 0 }],
      ["probe", { query: "a", limit: 101 }],
      ["probe", { query: "a", tags: [1] }],
      ["probe", { query: "a" }],
    );
    expect(results.map((result) => (result.success ? result.structured : result.error))).toEqual([
      "(input error: query must be a string, not 1)",
      "(input error: query is required)",
      '(input error: units must be "metric" or "imperial", not "old")',
      "(input error: limit must be at least 1, not 0)",
      "(input error: limit must be at most 100, not 101)",
      "(input error: tags.0 must be a string, not 1)",
      { query: "a", limit: 10, units: "metric" },
    ]);
  });

  it("EC-08 reads run, writes follow the policy, exec asks", async () => {
    const tools = (["read", "write", "exec"] as const).map((risk) => defineTool({ ...minimal, name: risk, risk }));
    const inDefault = await answers({ tools }, ["read"], ["write"], ["exec"]);
    expect(inDefault.map(({ success }) => success)).toEqual([true, true, false]);
    const strict = await answers({ tools, policy: { ask: ["risk:write"] } }, ["read"], ["write"]);
    expect(strict.map(({ success }) => success)).toEqual([true, false]);
  });

  it("EC-09 tools are registered in code, and the schema comes from the tool itself", async () => {
    await using temporary = await temporaryEngine({ tools: [SEARCH] });
    const tool = temporary.engine.tools.find(({ name }) => name === "probe");
    expect(tool?.spec.parameters).toBe(SEARCH.parameters);
  });

  it("EC-10 tools are found by their capabilities", () => {
    const weather = readTool("weather", () => "").copy({ capabilities: ["weather", "location"] });
    expect(toolsWithCapabilities([weather, SEARCH], { any: ["location"] })).toEqual([weather]);
  });

  it("EC-11 the public import surface is two modules and the schema of policies", async () => {
    const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
    const { exports } = JSON.parse(text) as { readonly exports: object };
    expect(Object.keys(exports)).toEqual([".", "./testing", "./policy.schema.json", "./package.json"]);
  });

  it("EC-12 a tool can be executed by itself, without a context", () => {
    expect(readTool("probe", () => "done").execute(undefined as never, undefined as never)).toBe("done");
  });

  it("EC-14 a name is 1 to 64 letters, digits, underscores and hyphens", () => {
    for (const name of ["a", "A-b_9", "x".repeat(64)]) expect(readTool(name, () => "").name).toBe(name);
    for (const name of ["", "a b", "a.b", "x".repeat(65)])
      expect(() => readTool(name, () => "")).toThrow(ToolDefinitionError);
  });

  it("EC-16 registering one tool again is nothing, another of its name is an error, and a pool replaces", () => {
    const [first, second] = [readTool("same", () => 1), readTool("same", () => 2)];
    expect(createRegistry([first, first]).tools).toEqual([first]);
    expect(() => createRegistry([first, second])).toThrow(ToolDefinitionError);
    expect(assembleToolPool({ base: [first], custom: [second] })).toEqual([second]);
  });

  it("EC-19 an unknown name is answered with the names that there are", async () => {
    const [result] = await answers({ tools: [SEARCH] }, ["qqqqqqqqqqqqqqqqqq"]);
    expect(result).toMatchObject({
      error: expect.stringMatching(/^Cannot call the tool "q+": there is no such tool; the tools are "probe"/),
    });
  });

  it("EC-20 the list of allowed tools is checked again when a call runs", async () => {
    const tools = [SEARCH, readTool("other", () => "")];
    await using temporary = await temporaryEngine({ tools, allowedTools: ["probe"] });
    const { engine } = temporary;
    expect(engine.tools.map(({ name }) => name)).not.toContain("other");
    expect(await askAll(engine, ["other"])).toMatchObject([{ errorKind: "denied", attempts: 0 }]);
  });

  it("EC-21 an invalid input is of the kind validation; booleans are no integers and strings no arrays", async () => {
    const results = await answers(
      { tools: [SEARCH] },
      ["probe", { query: "a", limit: true }],
      ["probe", { query: "a", tags: "x" }],
    );
    expect(results).toMatchObject([
      { errorKind: "validation", error: "(input error: limit must be an integer, not true)" },
      { errorKind: "validation", error: '(input error: tags must be an array, not "x")' },
    ]);
  });

  it("EC-23 a replayed call is not run again, and gets its original result, failures with their kind", async () => {
    const ran: string[] = [];
    const parameters = { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const;
    const tool = defineTool({
      name: "send",
      description: "Sends",
      risk: "write",
      parameters,
      execute: ({ to }) => {
        ran.push(to);
        return to === "nobody" ? { success: false, error: "Nobody is there", output: "" } : `sent to ${to}`;
      },
    });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const calls = ["you", "nobody"].map((to) => ({ id: to, name: "send", input: { to } }));
    const conversation = "trace-1";
    const originals = await temporary.engine.dispatchAll(calls, { conversation });
    const replayed = await temporary.engine.dispatchAll(calls, { conversation });
    expect(replayed).toEqual(originals.map((result) => ({ ...result, attempts: 0, metadata: { replayed: true } })));
    expect(replayed).toMatchObject([{ output: "sent to you" }, { errorKind: "business", error: "Nobody is there" }]);
    expect(ran).toEqual(["you", "nobody"]);
  });

  it("EC-25 a thrown failure is tried maxRetries times more, a returned one in the tool's own terms is not", async () => {
    const throws = readTool(
      "throws",
      () => {
        throw new Error("down");
      },
      { maxRetries: 2 },
    );
    const returns = readTool("returns", () => ({ success: false, error: "no" }), { maxRetries: 2 });
    const results = await answers({ tools: [throws, returns], retryDelayMs: 1 }, ["throws"], ["returns"]);
    expect(results.map(({ attempts }) => attempts)).toEqual([3, 1]);
  });

  it("EC-26 running out of time is of the kind timeout, throwing of the kind internal", async () => {
    const never = readTool("never", async () => await new Promise(() => undefined), { timeoutMs: 20 });
    const throws = readTool("throws", () => {
      throw new Error("bug");
    });
    const results = await answers({ tools: [never, throws] }, ["never"], ["throws"]);
    expect(results).toMatchObject([{ errorKind: "timeout" }, { errorKind: "internal", error: '"throws" failed: bug' }]);
  });

  it("EC-29 a tool that cannot say what it would do is not run, and nothing is thrown", async () => {
    const tool = defineTool({
      ...minimal,
      risk: "read",
      requiresApproval: true,
      describe: () => {
        throw new Error("no words");
      },
    });
    const [result] = await answers({ tools: [tool], reviewer: approveAll }, ["probe"]);
    expect(result).toMatchObject({ errorKind: "denied", attempts: 0, error: expect.stringContaining("no words") });
  });

  it("EC-33 decisions come first, reads run together, and results are in the order asked", async () => {
    const log: string[] = [];
    const logging = (name: string) => readTool(name, () => void log.push(`run ${name}`));
    const reviewer = ({ tool }: { readonly tool: string }) => {
      log.push(`ask ${tool}`);
      return { decision: "approve" } as const;
    };
    const tools = [
      logging("a"),
      defineTool({ ...minimal, name: "b", risk: "write", execute: () => void log.push("run b") }),
    ];
    const results = await answers({ tools, reviewer, policy: { ask: ["*"] } }, ["b"], ["a"]);
    expect(log).toEqual(["ask b", "ask a", "run b", "run a"]);
    expect(results.map(({ tool }) => tool)).toEqual(["b", "a"]);
  });

  it("EC-33 calls on one path run one after the other, in the order asked, and beside calls on another path", async () => {
    const log: string[] = [];
    const both = Promise.withResolvers<undefined>();
    const tool = defineTool({
      ...minimal,
      risk: "write",
      parameters: { type: "object", properties: { path: { type: "string" }, turn: { type: "integer" } } },
      resources: ({ path }) => ({ writes: path === undefined ? [] : [path] }),
      execute: async ({ path }, { callId }) => {
        log.push(`${path} ${callId} begins`);
        // The first call on "a" ends only when the one on "b" has begun.
        if (path === "b") both.resolve(undefined);
        await both.promise;
        log.push(`${path} ${callId} ends`);
      },
    });
    const results = await answers(
      { tools: [tool] },
      ["probe", { path: "a", turn: 1 }],
      ["probe", { path: "a", turn: 2 }],
      ["probe", { path: "b" }],
    );
    expect(log.filter((line) => line.startsWith("a"))).toEqual(["a 1 begins", "a 1 ends", "a 2 begins", "a 2 ends"]);
    expect(results.map(({ callId, success }) => [callId, success])).toEqual([
      ["1", true],
      ["2", true],
      ["3", true],
    ]);
  });

  it("EC-38 where nobody is there to ask, reads run and exec is denied", async () => {
    const tools = (["read", "exec"] as const).map((risk) => defineTool({ ...minimal, name: risk, risk }));
    const outcomes = async (policy: PolicyDefinition) =>
      (await answers({ tools, policy: { mode: "dontAsk", ...policy } }, ["read"], ["exec"])).map((result) =>
        result.success ? "ran" : result.errorKind,
      );
    expect(await outcomes({})).toEqual(["ran", "denied"]);
    // What was authorised beforehand runs unattended, and what is forbidden does not.
    expect(await outcomes({ allow: ["exec"] })).toEqual(["ran", "ran"]);
    expect(await outcomes({ allow: ["exec"], deny: ["exec"] })).toEqual(["ran", "denied"]);
  });

  it("EC-39 a reviewer that is out of order denies", async () => {
    const reviewer = async () => await Promise.reject(new Error("provider is down"));
    const [result] = await answers({ tools: [SEARCH], policy: { ask: ["probe"] }, reviewer }, [
      "probe",
      { query: "a" },
    ]);
    expect(result).toMatchObject({ errorKind: "denied", error: expect.stringContaining("provider is down") });
  });

  it("EC-41 what waits for an answer when the run is cancelled does not run", async () => {
    const controller = new AbortController();
    const reviewer = async () => {
      controller.abort();
      return await new Promise<never>(() => undefined);
    };
    await using temporary = await temporaryEngine({ tools: [SEARCH], policy: { ask: ["probe"] }, reviewer });
    const call = { id: "1", name: "probe", input: { query: "a" } };
    const result = await temporary.engine.dispatch(call, { signal: controller.signal });
    expect(result).toMatchObject({ success: false, errorKind: "cancelled", attempts: 0 });
  });

  it("EC-44 tools that need the network can be left out by their capability", () => {
    const fetching = readTool("fetching", () => "").copy({ capabilities: ["network"] });
    expect(toolsWithCapabilities([fetching, SEARCH], { none: ["network"] })).toEqual([SEARCH]);
  });

  it("EC-05 only timeout, dependency and internal open the breaker", async () => {
    const open = async (errorKind: ErrorKind) => {
      const tool = readTool("probe", () => ({ success: false, error: "no", errorKind }));
      await using temporary = await temporaryEngine({ tools: [tool], breaker: { failures: 2 }, maxRepeats: 9 });
      for (const _time of [1, 2]) await askAll(temporary.engine, ["probe"]);
      const [third] = await askAll(temporary.engine, ["probe"]);
      return third?.attempts === 0;
    };
    const kinds: readonly ErrorKind[] = ["validation", "business", "timeout", "dependency", "internal"];
    expect(await Promise.all(kinds.map(open))).toEqual([false, false, true, true, true]);
  });

  it("EC-06 a tool that is not ready says why, and a call is answered with it", async () => {
    const tool = defineTool({ ...minimal, risk: "read", ready: () => "WEATHER_API_KEY not configured" });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const reason = 'Cannot run "probe" now: WEATHER_API_KEY not configured';
    expect(temporary.engine.readiness()).toContainEqual({ tool: "probe", ready: false, reason });
    expect(await askAll(temporary.engine, ["probe"])).toMatchObject([{ errorKind: "unavailable", error: reason }]);
  });

  it("EC-18 tools that are not ready are not offered, and all of them are listed with their state", async () => {
    const waiting = defineTool({ ...minimal, name: "waiting", risk: "read", ready: () => "not yet" });
    await using temporary = await temporaryEngine({ tools: [waiting, SEARCH], allowedTools: ["waiting", "probe"] });
    const { engine } = temporary;
    expect(engine.offeredTools.map(({ name }) => name)).toEqual(["probe", "read_output"]);
    expect(engine.readiness().map(({ tool, ready }) => [tool, ready])).toEqual([
      ["probe", true],
      ["read_output", true],
      ["waiting", false],
    ]);
  });

  it("EC-27 the audit masks secrets in nested values and in arguments of commands", async () => {
    const properties = { options: { type: "object" }, command: { type: "string" } } as const;
    const tool = defineTool({ ...minimal, risk: "read", parameters: { type: "object", properties } });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const input = {
      options: { deep: { api_key: "value-one-1" } },
      command: "run --token value-two-2 --token=value-three-3",
    };
    await askAll(temporary.engine, ["probe", input]);
    expect(JSON.stringify(temporary.engine.journal.recent(1))).not.toMatch(/value-(?:one|two|three)/);
  });

  it("EC-27 and keeps so many records and no more, the newest first", () => {
    using database = openDatabase(":memory:");
    using journal = openJournal({ database, retention: { records: 2 } });
    const record = { tool: "probe", startedAtMs: 0, durationMs: 0, attempts: 1, outcome: "success" } as const;
    for (const callId of ["1", "2", "3"]) {
      journal.append({ callId, ...record });
      journal.flush();
    }
    expect(journal.recent(10).map(({ callId }) => callId)).toEqual(["3", "2"]);
    expect(journal.verify()).toMatchObject({ status: "intact", records: 2 });
  });

  it("EC-32 a tool whose breaker is open is not offered, and a call is answered with the time to wait", async () => {
    const tool = readTool("probe", () => ({ success: false, error: "down", errorKind: "dependency" }));
    await using temporary = await temporaryEngine({ tools: [tool], breaker: { failures: 1 } });
    const { engine } = temporary;
    await askAll(engine, ["probe"]);
    expect(engine.offeredTools.map(({ name }) => name)).not.toContain("probe");
    expect(await askAll(engine, ["probe"])).toMatchObject([
      { errorKind: "unavailable", error: expect.stringMatching(/; try again in \d+ s, or use another tool$/) },
    ]);
  });

  it("EC-34 the fourth same call in a row is answered and not run", async () => {
    let ran = 0;
    const tool = readTool("probe", () => (ran += 1));
    await using temporary = await temporaryEngine({ tools: [tool] });
    const last = [];
    for (const _time of [1, 2, 3, 4]) last.push(...(await askAll(temporary.engine, ["probe"])));
    expect([ran, last.at(-1)?.success]).toEqual([3, false]);
  });

  it("EC-35 a hook before the call cancels or changes it", async () => {
    const hooks: Hooks = {
      beforeCall: ({ tool }) =>
        tool === "probe" ? { decision: "edit", input: { query: "b" } } : { decision: "block", reason: "no" },
    };
    const tools = [SEARCH, readTool("other", () => "")];
    const results = await answers({ tools, hooks }, ["probe", { query: "a" }], ["other"]);
    expect(results).toMatchObject([{ structured: { query: "b" } }, { success: false, attempts: 0 }]);
  });

  it("EC-45 a result that is too long is kept and read on by offset or pattern", async () => {
    const tool = readTool("long", () => `${"a".repeat(40_000)}needle`);
    await using temporary = await temporaryEngine({ tools: [tool] });
    const [result] = await askAll(temporary.engine, ["long"]);
    const id = /the id "(?<id>[0-9a-f]{32})"/.exec(result?.output ?? "")?.groups?.["id"];
    const [slice, match] = await askAll(
      temporary.engine,
      ["read_output", { id, offset: 40_000 }],
      ["read_output", { id, pattern: "needle" }],
    );
    expect([slice?.output, match?.output]).toEqual([
      expect.stringContaining("needle"),
      expect.stringContaining("needle"),
    ]);
  });
});
