import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { HookCall, Hooks } from "../../src/contract/hooks.ts";
import { toolsOfTier } from "../../src/tools/choose-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { toAnthropicTools } from "../../src/tools/providers/to-anthropic-tools.ts";
import { toMcpTools } from "../../src/tools/providers/to-mcp-tools.ts";
import { assembleToolPool } from "../../src/tools/tool-pool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { answers, askAll, readTool } from "./seed-engine.ts";

const SEARCH = defineTool({
  name: "search",
  description: "Search the knowledge base",
  risk: "read",
  parameters: z.object({ query: z.string(), limit: z.int().optional() }),
  execute: ({ query, limit }) => {
    expectTypeOf(query).toEqualTypeOf<string>();
    expectTypeOf(limit).toEqualTypeOf<number | undefined>();
    return `Found 3 results for '${query}'`;
  },
});

describe("OpenAgentSDK", () => {
  it("SW-01 a tool has a name, a description, a schema and a risk, and calling it never throws", async () => {
    const throws = readTool("throws", () => {
      throw new Error("bug");
    });
    const { name, description, parameters, risk } = throws;
    expect([name, description, parameters.type, risk]).toEqual(["throws", "The tool throws", "object", "read"]);
    await expect(answers({ tools: [throws] }, ["throws"])).resolves.toMatchObject([{ success: false }]);
  });

  it("SW-02 typed input gives a string or a whole outcome, no input needs none, raw input is a dictionary", async () => {
    const structured = readTool("structured", () => ({ success: false, error: "Error: no" }));
    const config = defineTool({
      name: "config",
      description: "Get or set configuration values",
      risk: "read",
      parameters: { type: "object", properties: { key: { type: "string" }, value: {} }, required: ["key"] },
      execute: (input) => input,
    });
    const results = await answers(
      { tools: [SEARCH, structured, readTool("health", () => "System is healthy"), config] },
      ["search", { query: "a" }],
      ["structured"],
      ["health"],
      ["config", { key: "a", value: [{ any: 1 }] }],
    );
    expect(results).toMatchObject([
      { success: true, output: "Found 3 results for 'a'" },
      { success: false, error: "Error: no" },
      { output: "System is healthy" },
      { structured: { key: "a", value: [{ any: 1 }] } },
    ]);
  });

  it("SW-03 JSON is decoded to the typed input before the body runs", async () => {
    const tool = defineTool({
      name: "day",
      description: "Takes a day",
      risk: "read",
      parameters: z.object({ day: z.iso.date().transform((text) => new Date(text)) }),
      execute: ({ day }) => day.getUTCFullYear(),
    });
    const [result] = await answers({ tools: [tool] }, ["day", { day: "2026-01-01" }]);
    expect(result?.output).toBe("2026");
  });

  it("SW-04 tiers are core, advanced and specialist, and a tier's tools can be had", () => {
    const special = SEARCH.copy({ tier: "specialist" });
    const all = [readTool("core", () => ""), special, SEARCH.copy({ name: "advanced", tier: "advanced" })];
    const tiers = (["core", "advanced", "specialist"] as const).map((tier) => toolsOfTier(all, tier));
    expect(tiers.map((tools) => tools.map(({ name }) => name))).toEqual([["core"], ["advanced"], ["search"]]);
  });

  it("SW-05 in a pool later sources override earlier ones", () => {
    const [base, custom, mcp] = ["base", "custom", "mcp"].map((description) => SEARCH.copy({ description }));
    const pool = assembleToolPool({ base: [base!], custom: [custom!], mcp: [mcp!] });
    expect(pool.map(({ description }) => description)).toEqual(["mcp"]);
  });

  it("SW-07 a result names its call, and an error goes to the model so that it can adjust", async () => {
    const results = await answers({ tools: [SEARCH] }, ["search", { query: 1 }], ["search", { query: "a" }]);
    expect(results.map(({ callId, success }) => [callId, success])).toEqual([
      ["1", false],
      ["2", true],
    ]);
    expect(await answers({ tools: [SEARCH] }, ["search", { query: 1 }])).toMatchObject([{ error: expect.any(String) }]);
  });

  it("SW-09 read tools run in the most restrictive mode", async () => {
    const write = defineTool({ name: "write", description: "Writes", risk: "write", execute: () => "" });
    const options = { tools: [SEARCH, write], policy: { mode: "plan" } } as const;
    const results = await answers(options, ["search", { query: "a" }], ["write"]);
    expect(results.map(({ success }) => success)).toEqual([true, false]);
  });

  it("SW-11 allow and deny lists do not look at case, an empty list filters nothing, and deny wins", () => {
    const base = ["Read", "Write", "Bash"].map((name) => readTool(name, () => name));
    const names = (lists: object) => assembleToolPool({ base, ...lists }).map(({ name }) => name);
    expect(names({ allowed: ["read", "BASH"], disallowed: ["bash"] })).toEqual(["Read"]);
    expect(names({ allowed: [], disallowed: [] })).toEqual(["Bash", "Read", "Write"]);
  });

  it("SW-13 content is text, image and resource", async () => {
    const content = [
      { type: "text", text: "a" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "resource", uri: "file:///a", mimeType: "text/plain", text: "b" },
    ];
    const tool = readTool("probe", () => ({ success: true, output: "a", content }));
    expect((await answers({ tools: [tool] }, ["probe"]))[0]?.content).toEqual(content);
  });

  it("SW-14 input that cannot be decoded is an error result", async () => {
    const [result] = await answers({ tools: [SEARCH] }, ["search", ["no", "dictionary"]]);
    expect(result).toMatchObject({
      errorKind: "validation",
      error: expect.stringContaining("the input must be an object"),
    });
  });

  it("SW-15 an unknown tool is an error result that names it", async () => {
    const [result] = await answers({ tools: [SEARCH] }, ["seek_and_find"]);
    expect(result).toMatchObject({ errorKind: "not-found", error: expect.stringContaining('"seek_and_find"') });
  });

  it("SW-16 reads overlap in bounded numbers, and changes run one by one", async () => {
    let [started, running, most] = [0, 0, 0];
    const eight = Promise.withResolvers<undefined>();
    const count = async () => {
      most = Math.max(most, (running += 1));
      if ((started += 1) === 8) eight.resolve(undefined);
      await eight.promise;
      running -= 1;
    };
    // Each input differs: a call that is repeated too often is answered without being run.
    const parameters = { type: "object", properties: { turn: { type: "integer" } } } as const;
    const read = defineTool({ name: "read", description: "Reads", risk: "read", parameters, execute: count });
    const reads = await answers(
      { tools: [read] },
      ...Array.from({ length: 25 }, (_, turn) => ["read", { turn }] as const),
    );
    expect([reads.length, most]).toEqual([25, 8]);
    most = 0;
    const write = defineTool({ name: "write", description: "Writes", risk: "write", execute: count });
    await answers({ tools: [write] }, ["write"], ["write"], ["write"]);
    expect(most).toBe(1);
  });

  it("SW-17 cancelling stops what has not started, between and inside of a batch", async () => {
    const controller = new AbortController();
    const ran: string[] = [];
    const write = defineTool({
      name: "write",
      description: "Writes",
      risk: "write",
      execute: (_input, { callId }) => {
        ran.push(callId);
        controller.abort();
      },
    });
    await using temporary = await temporaryEngine({ tools: [write] });
    const calls = ["1", "2", "3"].map((id) => ({ id, name: "write", input: {} }));
    const results = await temporary.engine.dispatchAll(calls, { signal: controller.signal });
    expect(ran).toEqual(["1"]);
    expect(results.slice(1)).toMatchObject([{ errorKind: "cancelled" }, { errorKind: "cancelled" }]);
  });

  it("SW-21 contained commands can be let through without asking", async () => {
    const exec = defineTool({ name: "exec", description: "Runs", execute: () => "ran" });
    const [result] = await answers({ tools: [exec], policy: { mode: "auto" } }, ["exec"]);
    expect(result?.output).toBe("ran");
  });

  it("SW-22 allow, deny and read-only policies add up, and any deny wins", async () => {
    const tools = ["a", "b"].map((name) => readTool(name, () => name));
    const write = defineTool({ name: "write", description: "Writes", risk: "write", execute: () => "" });
    const policy = { mode: "plan", allow: ["a", "b", "write"], deny: ["b"] } as const;
    const results = await answers({ tools: [...tools, write], policy }, ["a"], ["b"], ["write"]);
    expect(results.map(({ success }) => success)).toEqual([true, false, false]);
  });

  it("SW-28 tool_search takes keywords or select:A,B and gives five at most", async () => {
    const tools = Array.from({ length: 7 }, (_, index) => readTool(`mail_${index}`, () => index));
    await using temporary = await temporaryEngine({ tools, toolSearch: { above: 1, always: [] } });
    const found = async (query: string) => {
      const [result] = await askAll(temporary.engine, ["tool_search", { query }]);
      return result?.output.split("\n\n").flatMap((part) => /^(?<name>\w+): /.exec(part)?.groups?.["name"] ?? []);
    };
    expect(await found("select:mail_6,MAIL_0")).toEqual(["mail_6", "mail_0"]);
    expect(await found("mail")).toEqual(["mail_0", "mail_1", "mail_2", "mail_3", "mail_4"]);
  });

  it("SW-31 waiting for a person has a limit", async () => {
    const reviewer = async () => await new Promise<never>(() => undefined);
    const options = { tools: [SEARCH], policy: { ask: ["search"] }, reviewer, approvalTimeoutMs: 10 };
    const [result] = await answers(options, ["search", { query: "a" }]);
    expect(result).toMatchObject({
      errorKind: "denied",
      error: expect.stringContaining("nobody answered within 0.01 s"),
    });
  });

  it("SW-08 tools are converted to name, description and input_schema", () => {
    expect(toAnthropicTools([SEARCH, readTool("health", () => "")])).toEqual([
      {
        name: "health",
        description: "The tool health",
        input_schema: { type: "object", properties: {}, additionalProperties: false },
      },
      {
        name: "search",
        description: "Search the knowledge base",
        input_schema: { ...SEARCH.parameters, additionalProperties: false },
      },
    ]);
  });

  it("SW-12 annotations follow from the risk, and what is not declared counts as destructive", () => {
    const undeclared = defineTool({ name: "undeclared", description: "Runs", execute: () => "" });
    const declared = defineTool({
      name: "add",
      description: "Adds a line",
      risk: "write",
      destructive: false,
      idempotent: true,
      openWorld: false,
      execute: () => "",
    });
    const annotations = toMcpTools([declared, SEARCH, undeclared]).map((tool) => tool.annotations);
    expect(annotations).toEqual([
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    ]);
    const contradiction = {
      name: "odd",
      description: "Reads",
      risk: "read",
      destructive: true,
      execute: () => "",
    } as const;
    expect(() => defineTool(contradiction)).toThrow(
      'Cannot define tool "odd": "destructive" is true; use false, since a read tool changes nothing',
    );
  });

  it("SW-24 restrictions narrow the tools for as long as each of them lives, one within the other", async () => {
    const tools = ["search", "fetch", "count"].map((name) => readTool(name, () => name));
    await using temporary = await temporaryEngine({ tools });
    const { engine } = temporary;
    const outcomes = async () =>
      (await askAll(engine, ["search"], ["fetch"], ["count"])).map((result) => result.success);
    {
      using _skill = engine.restrict({ tools: ["search", "fetch"] });
      {
        using _inner = engine.restrict({ tools: ["fetch", "count"] });
        expect(await outcomes()).toEqual([false, true, false]);
      }
      expect(await outcomes()).toEqual([true, true, false]);
    }
    expect(await outcomes()).toEqual([true, true, true]);
  });

  it("SW-26 one hook is told of what ran, another of what failed, a third of what was denied", async () => {
    const log: string[] = [];
    const note = (hook: string) => (call: HookCall) => void log.push(`${hook} ${call.tool}`);
    const hooks: Hooks = {
      afterCall: note("after"),
      onFailure: note("failed"),
      onDenied: note("denied"),
    };
    const tools = [readTool("works", () => 1), readTool("fails", () => ({ success: false, error: "no" })), SEARCH];
    await using temporary = await temporaryEngine({ tools, hooks, policy: { deny: ["search"] } });
    await askAll(temporary.engine, ["works"]);
    await askAll(temporary.engine, ["fails"]);
    await askAll(temporary.engine, ["search", { query: "a" }]);
    expect(log).toEqual(["after works", "after fails", "failed fails", "denied search"]);
  });
});
