import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { ErrorKind } from "../../src/contract/tool-result.ts";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
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

  it("EC-11 the public import surface is two names and the command", async () => {
    const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
    const { exports } = JSON.parse(text) as { readonly exports: object };
    expect(Object.keys(exports)).toEqual([".", "./testing", "./package.json"]);
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

  it("EC-38 where nobody is there to ask, reads run and exec is denied", async () => {
    const tools = (["read", "exec"] as const).map((risk) => defineTool({ ...minimal, name: risk, risk }));
    const results = await answers({ tools, policy: { mode: "dontAsk" } }, ["read"], ["exec"]);
    expect(results).toMatchObject([{ success: true }, { success: false, errorKind: "denied" }]);
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
});
