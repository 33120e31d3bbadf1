import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolCrashError } from "../../src/errors/tool-crash-error.ts";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { ToolError } from "../../src/errors/tool-error.ts";
import { approveAll, scriptedReviewer } from "../../src/testing/reviewers.ts";
import { coreTools } from "../../src/tools/core-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { ToolGroup } from "../../src/tools/tool-group.ts";
import { toolsFromModule } from "../../src/tools/module/tools-from-module.ts";
import { toolsOf } from "../../src/tools/tools-of.ts";
import { toToolCall } from "../../src/tools/providers/to-tool-call.ts";
import { toMcpTools } from "../../src/tools/providers/to-mcp-tools.ts";
import { writeModule } from "../tools/module/written-module.ts";
import { mcpFixture } from "../tools/mcp/mcp-fixture.ts";
import { ledgerKeyOf } from "../../src/journal/ledger.ts";
import { openDatabase } from "../../src/state/database.ts";
import { openStateDirectory } from "../../src/state/state-directory.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { answers, askAll, readTool } from "./seed-engine.ts";

const READ = defineTool({
  name: "read_file",
  description: "Read a text file",
  risk: "read",
  parameters: z.object({
    path: z.string().describe("Path relative to the repository root"),
    max_lines: z.int().default(200).describe("How many lines to return"),
  }),
  execute: ({ path, max_lines }) => `${path} ${max_lines}`,
});

describe("alpineagents", () => {
  it("AL-01 a tool is a plain function: name, doc comment, types and defaults say the rest", async () => {
    await using module = await writeModule(`
      /**
       * Read a text file.
       *
       * How it is read matters to nobody else.
       * @param path Path relative to the repository root
       * @param max_lines How many lines to return
       * @risk read
       */
      export function read_file(path: string, max_lines = 200): string {
        return path + " " + max_lines;
      }`);
    const tools = await toolsFromModule(module.path);
    expect(tools.map(({ spec }) => spec)).toEqual([
      {
        name: "read_file",
        description: "Read a text file.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Path relative to the repository root" },
            max_lines: { type: "number", description: "How many lines to return", default: 200 },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ]);
    const results = await answers(
      { tools },
      ["read_file", { path: "a" }],
      ["read_file", { path: "b", max_lines: 2 }],
      ["read_file"],
    );
    expect(results.map((result) => (result.success ? result.output : result.error))).toEqual([
      "a 200",
      "b 2",
      "(input error: path is required)",
    ]);
  });

  it("AL-02 spec shows exactly what the model sees", () => {
    expect(READ.spec).toEqual({
      name: "read_file",
      description: "Read a text file",
      parameters: {
        type: "object",
        properties: {
          path: { type: "string", description: "Path relative to the repository root" },
          max_lines: {
            type: "integer",
            minimum: Number.MIN_SAFE_INTEGER,
            maximum: Number.MAX_SAFE_INTEGER,
            default: 200,
            description: "How many lines to return",
          },
        },
        required: ["path"],
      },
    });
  });

  it("AL-03 strings, numbers, booleans, literals, enums, lists, records, nullables and objects can be declared", async () => {
    const input = {
      text: "a",
      whole: 1,
      real: 1.5,
      flag: true,
      word: "one",
      colour: "red",
      list: ["a"],
      record: { a: 1 },
      nothing: null,
      nested: { deep: "b" },
    };
    const tool = defineTool({
      name: "all",
      description: "Takes everything",
      risk: "read",
      parameters: z.object({
        text: z.string(),
        whole: z.int(),
        real: z.number(),
        flag: z.boolean(),
        word: z.literal("one"),
        colour: z.enum({ Red: "red", Blue: "blue" }),
        list: z.array(z.string()),
        record: z.record(z.string(), z.number()),
        nothing: z.string().nullable(),
        nested: z.object({ deep: z.string() }),
      }),
      execute: (given) => given,
    });
    const [result] = await answers({ tools: [tool] }, ["all", input]);
    expect(result).toMatchObject({ success: true, structured: input });
  });

  it("AL-04 name, description and parallel are options", () => {
    const { name, description, parallel } = defineTool({
      name: "n",
      description: "d",
      risk: "read",
      parallel: false,
      execute: () => "",
    });
    expect({ name, description, parallel }).toEqual({ name: "n", description: "d", parallel: false });
  });

  it("AL-05 a mistake in a definition throws when the tool is defined", () => {
    expect(() => readTool("not a name", () => "")).toThrow(ToolDefinitionError);
  });

  it("AL-06 a string stays, nothing is (done), anything else is JSON, and what is no JSON is an error of that call", async () => {
    const returned = { text: "a", nothing: undefined, list: [1, { a: null }], map: new Map() };
    const tools = Object.entries(returned).map(([name, value]) => readTool(name, () => value));
    const results = await answers({ tools }, ["text"], ["nothing"], ["list"], ["map"]);
    expect(results.map((result) => (result.success ? result.output : result.errorKind))).toEqual([
      "a",
      "(done)",
      '[1,{"a":null}]',
      "internal",
    ]);
  });

  it("AL-07 invalid input is answered with (input error: …), and the run goes on", async () => {
    const results = await answers(
      { tools: [READ] },
      ["read_file", { path: 1 }],
      ["no_such"],
      ["read_file", { path: "a" }],
    );
    expect(results).toMatchObject([
      { errorKind: "validation", error: "(input error: path must be a string, not 1)" },
      { errorKind: "not-found" },
      { output: "a 200" },
    ]);
  });

  it("AL-08 an error that is returned as a string is that string, and the run goes on", async () => {
    const [result] = await answers({ tools: [readTool("probe", () => "No such file: a")] }, ["probe"]);
    expect(result).toMatchObject({ success: true, output: "No such file: a" });
  });

  it("AL-10 state is hidden from the model and given to the tool", async () => {
    const submit = defineTool({
      name: "submit",
      description: "Submit the finished work",
      risk: "read",
      parameters: z.object({ summary: z.string() }),
      execute: ({ summary }, { state, finish }) => {
        state.set("submitted", summary);
        finish(state.get("submitted"));
      },
    });
    expect(Object.keys(submit.parameters.properties ?? {})).toEqual(["summary"]);
    const [result] = await answers({ tools: [submit] }, ["submit", { summary: "all done" }]);
    expect(result).toMatchObject({ output: "(done)", metadata: { finished: "all done" } });
  });

  it("AL-11 an object gives all its tools, and one of its fields gives that one", async () => {
    class Workspace {
      readonly #root = "my-repo";
      readonly root = readTool("root", () => this.#root);
      readonly list = readTool("list", () => [this.#root]);
    }
    const workspace = new Workspace();
    await using all = await temporaryEngine({ tools: toolsOf(workspace) });
    await using one = await temporaryEngine({ tools: [workspace.root] });
    const names = [all, one].map(({ engine }) =>
      engine.tools.map(({ name }) => name).filter((name) => name in workspace),
    );
    expect(names).toEqual([["list", "root"], ["root"]]);
  });

  it("AL-12 parallel calls overlap, the others run one at a time in the model's order, as do the results", async () => {
    const log: string[] = [];
    const both = Promise.withResolvers<undefined>();
    const note = (name: string, parallel: boolean) =>
      defineTool({
        name,
        description: "Notes what runs",
        risk: "read",
        parallel,
        execute: async () => {
          log.push(`${name} begins`);
          // Each of the first two ends only after both have begun.
          if (log.length === 2) both.resolve(undefined);
          await both.promise;
          log.push(`${name} ends`);
        },
      });
    const tools = [note("a", true), note("b", true), note("c", false), note("d", false)];
    const results = await answers({ tools }, ["a"], ["b"], ["d"], ["c"]);
    expect(log.slice(0, 2).toSorted()).toEqual(["a begins", "b begins"]);
    expect(log.slice(4)).toEqual(["d begins", "d ends", "c begins", "c ends"]);
    expect(results.map(({ tool }) => tool)).toEqual(["a", "b", "d", "c"]);
  });

  it("AL-14 unknown and missing arguments are refused, joined, with dotted paths", async () => {
    const tool = defineTool({
      name: "probe",
      description: "Does nothing",
      risk: "read",
      parameters: z.object({ at: z.object({ line: z.int() }) }),
      execute: () => "",
    });
    const [result] = await answers({ tools: [tool] }, ["probe", { at: {}, extra: 1 }]);
    expect(result).toMatchObject({ error: "(input error: extra is not a known argument; at.line is required)" });
  });

  it("AL-15 arguments that are no JSON, or that end in the middle, are an input error", async () => {
    const cut = { id: "1", name: "read_file", input: '{"path": "a' };
    const call = toToolCall(cut, { tools: [READ], provider: "openai" });
    const results = await answers({ tools: [READ] }, [call.name, call.input], ["read_file", "{path}"]);
    expect(results).toMatchObject([
      { errorKind: "validation", error: expect.stringMatching(/^\(input error: the input must be an object/) },
      { errorKind: "validation", error: expect.stringMatching(/^\(input error: the input must be an object/) },
    ]);
  });

  it("AL-16 an unknown tool is answered with the tools that there are", async () => {
    const [result] = await answers({ tools: [READ] }, ["zzzzzzzzzzzzzzzzzzzz"]);
    expect(result).toMatchObject({ error: expect.stringContaining('the tools are "read_file"') });
  });

  it("AL-17 two tools of one name are refused naming both sources, and a class instead of an object too", () => {
    const group = new ToolGroup("mine", [READ.copy({ description: "Mine" })]);
    expect(() => createRegistry([READ, group])).toThrow(
      new ToolDefinitionError(
        'Cannot register tool "read_file": two tools have this name (the read tool that says "Read a text file", and the read tool that says "Mine" in the group "mine"); rename one of them or leave it out',
      ),
    );
    expect(() => createRegistry([ToolGroup as never])).toThrow(ToolDefinitionError);
  });

  it("AL-18 a ToolError is an error result, a tool handles its own exceptions, and it can be copied with changes", async () => {
    const tool = readTool("probe", () => {
      throw new ToolError("No such city");
    });
    const handling = defineTool({
      name: "handling",
      description: "Handles what it throws",
      risk: "read",
      execute: () => {
        throw new RangeError("503");
      },
      onError: (error) => ({ success: false, error: `The service says ${String(error)}`, errorKind: "dependency" }),
    });
    const copies = [tool.copy({ name: "again" }), handling.copy({ name: "handling_again" })];
    const results = await answers(
      { tools: [tool, handling, ...copies] },
      ["probe"],
      ["again"],
      ["handling"],
      ["handling_again"],
    );
    expect(results.map((result) => !result.success && [result.errorKind, result.error])).toEqual([
      ["business", "No such city"],
      ["business", "No such city"],
      ["dependency", "The service says RangeError: 503"],
      ["dependency", "The service says RangeError: 503"],
    ]);
  });

  it("AL-19 what is not declared counts as the worst case, and the model sees none of it", () => {
    const tool = defineTool({ name: "probe", description: "Does nothing", execute: () => "" });
    expect(toMcpTools([tool])[0]?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
    expect(Object.keys(tool.spec)).toEqual(["name", "description", "parameters"]);
  });

  it("AL-19 and of a single call a tool says itself what it needs", async () => {
    const sql = defineTool({
      name: "sql",
      description: "Asks the database",
      risk: "read",
      parameters: z.object({ query: z.string() }),
      authorize: ({ query }) =>
        query.startsWith("SELECT") ? "allow" : { effect: "deny", reason: "it would change something" },
      execute: () => "1 row",
    });
    const results = await answers({ tools: [sql] }, ["sql", { query: "SELECT 1" }], ["sql", { query: "DROP x" }]);
    expect(results).toMatchObject([
      { output: "1 row" },
      { errorKind: "denied", error: expect.stringContaining("it would change something") },
    ]);
  });

  it("AL-20 no more than eight calls run together", async () => {
    const running = { now: 0, most: 0 };
    const look = readTool("look", async () => {
      running.most = Math.max(running.most, ++running.now);
      await new Promise((resolve) => setImmediate(resolve));
      running.now -= 1;
    });
    await answers({ tools: [look], maxRepeats: 40 }, ...Array.from({ length: 32 }, () => ["look"] as const));
    expect(running.most).toBe(8);
  });

  it("AL-20 the first crash by completion is raised and named, what had begun is finished, the rest is not started", async () => {
    const crashed = Promise.withResolvers<undefined>();
    const slow = readTool("slow", async () => {
      await crashed.promise;
      throw new Error("Too late");
    });
    const fast = readTool("fast", () => {
      crashed.resolve(undefined);
      throw new RangeError("Out of luck");
    });
    const steady = readTool("steady", async () => {
      await crashed.promise;
      return "finished";
    });
    const serial = readTool("serial", () => "ran").copy({ parallel: false });
    const batch = answers(
      { tools: [slow, fast, steady, serial], onThrow: "stop" },
      ["slow"],
      ["fast"],
      ["steady"],
      ["serial"],
    );
    const error: unknown = await batch.catch((reason: unknown) => reason);
    if (!(error instanceof ToolCrashError)) throw new Error("It did not reject with a ToolCrashError");
    expect(error.message).toBe('"fast" failed: Out of luck; every call has been answered, see "results"');
    expect(error.cause).toEqual(new RangeError("Out of luck"));
    expect(error.results.map((result) => (result.success ? result.output : result.error))).toEqual([
      '"slow" failed: Too late',
      '"fast" failed: Out of luck',
      "finished",
      '"serial" was not started: another tool crashed, and the engine stops at that',
    ]);
  });

  it("AL-21 a call that is interrupted is closed with an answer that says so, started or not", async () => {
    const controller = new AbortController();
    const tool = defineTool({
      name: "stop",
      description: "Stops",
      risk: "write",
      execute: async () => {
        controller.abort();
        await new Promise(() => undefined);
      },
    });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const calls = ["1", "2"].map((id) => ({ id, name: "stop", input: {} }));
    const results = await temporary.engine.dispatchAll(calls, { signal: controller.signal });
    expect(results).toMatchObject([
      { errorKind: "cancelled", attempts: 1, error: '"stop" was cancelled; what it changed has been dropped' },
      { errorKind: "cancelled", attempts: 0, error: '"stop" was cancelled before it started' },
    ]);
  });

  it("AL-22 a call that was running when its process died may or may not have run, and is never run again", async () => {
    let runs = 0;
    const tool = defineTool({ name: "send", description: "Sends", risk: "exec", execute: () => `sent ${++runs}` });
    await using temporary = await temporaryEngine({ tools: [tool], policy: { allow: ["send"] } });
    const { engine, root, stateHome } = temporary;
    const { path } = await openStateDirectory({ root, stateHome });
    const call = { id: "toolu_1", name: "send", input: {} };
    // What a process that is gone leaves: its note, and no seat. A process that is really killed is in replay.test.ts.
    using database = openDatabase(join(path, "state.sqlite"));
    const insert = "INSERT INTO call_ledger (key, state, owner, record) VALUES (?, 'running', ?, ?)";
    const record = { callId: "toolu_1", tool: "send", startedAtMs: 1, durationMs: 0, attempts: 1, outcome: "internal" };
    database.prepare(insert).run(ledgerKeyOf(call, undefined), "0".repeat(32), JSON.stringify(record));
    for (const _time of [1, 2])
      expect(await engine.dispatch(call)).toMatchObject({
        errorKind: "internal",
        error: expect.stringContaining('"send" may or may not have run') as string,
      });
    expect(engine.journal.recent(9).map(({ attempts }) => attempts)).toEqual([0, 0, 1]);
    expect((await engine.dispatch({ ...call, id: "toolu_2" })).output).toBe("sent 1");
  });

  it("AL-24 deny comes first wherever it stands, and what nobody decides is refused", async () => {
    const tools = [readTool("one", () => 1), defineTool({ name: "two", description: "Runs", execute: () => 2 })];
    const results = await answers({ tools, policy: { allow: ["one"], deny: ["one"] } }, ["one"], ["two"]);
    expect(results).toMatchObject([{ errorKind: "denied" }, { errorKind: "denied" }]);
  });

  it("AL-25 tools are allowed and denied by name, glob and risk", async () => {
    const tools = ["git_log", "git_push", "web"].map((name) => readTool(name, () => name));
    const policy = { allow: ["git_*"], deny: ["git_push"], ask: ["risk:read"] };
    const results = await answers({ tools, policy }, ["git_log"], ["git_push"], ["web"]);
    expect(results.map(({ success }) => success)).toEqual([false, false, false]);
    const laxer = await answers({ tools, policy: { deny: ["git_p*"] } }, ["git_log"], ["git_push"], ["web"]);
    expect(laxer.map(({ success }) => success)).toEqual([true, false, true]);
  });

  it("AL-27 kinds tell success, failure, input error, denial and cancellation apart, and who decided is kept", async () => {
    const names = ["fails", "denied", "refused", "approved"];
    const tools = names.map((name) => readTool(name, () => (name === "fails" ? { success: false, error: "no" } : "")));
    const reviewer = scriptedReviewer([{ decision: "deny" }, { decision: "approve" }]);
    const policy = { deny: ["denied"], ask: ["refused", "approved"] };
    await using temporary = await temporaryEngine({ tools: [READ, ...tools], policy, reviewer });
    const { engine } = temporary;
    await askAll(engine, ["read_file", { path: "a" }], ["read_file", {}], ...names.map((name) => [name] as const));
    await engine.dispatch({ id: "7", name: "fails", input: {} }, { signal: AbortSignal.abort() });
    const kept = engine.journal.recent(10).toSorted((one, other) => Number(one.callId) - Number(other.callId));
    expect(kept.map(({ tool, outcome, decidedBy }) => [tool, outcome, decidedBy])).toEqual([
      ["read_file", "success", "policy"],
      ["read_file", "validation", undefined],
      ["fails", "business", "policy"],
      ["denied", "denied", "policy"],
      ["refused", "denied", "reviewer"],
      ["approved", "success", "reviewer"],
      ["fails", "cancelled", "policy"],
    ]);
  });

  it("AL-28 a check that fails never counts as allowed", async () => {
    const reviewer = () => ({ decision: "maybe" }) as never;
    const [result] = await answers({ tools: [READ], policy: { ask: ["*"] }, reviewer }, ["read_file", { path: "a" }]);
    expect(result).toMatchObject({ errorKind: "denied", attempts: 0 });
  });

  it("AL-29 all decisions of a batch are made before any tool of it runs", async () => {
    const log: string[] = [];
    const tools = ["a", "b"].map((name) => readTool(name, () => void log.push(`run ${name}`)));
    const reviewer = ({ tool }: { readonly tool: string }) => {
      log.push(`ask ${tool}`);
      return { decision: "approve" } as const;
    };
    await answers({ tools, policy: { ask: ["*"] }, reviewer }, ["a"], ["b"]);
    expect(log.slice(0, 2)).toEqual(["ask a", "ask b"]);
  });

  it("AL-31 permissions are not the boundary: a command runs in a sandbox whatever allows it", async () => {
    const shell = coreTools().filter(({ name }) => name === "shell");
    const options = { tools: shell, backends: [], policy: { allow: ["shell"] } };
    const [result] = await answers(options, ["shell", { command: "true" }]);
    expect(result).toMatchObject({ success: false, errorKind: "unavailable" });
  });

  it("AL-09 an exception of a tool stops the run where that is asked for", async () => {
    const throws = defineTool({
      name: "throws",
      description: "Throws",
      risk: "write",
      execute: () => {
        throw new Error("bug");
      },
    });
    const tools = [throws, throws.copy({ name: "later" })];
    const stopped = answers({ tools, onThrow: "stop" }, ["throws"], ["later"]);
    await expect(stopped).rejects.toThrow(ToolCrashError);
    await expect(answers({ tools }, ["throws"], ["later"])).resolves.toHaveLength(2);
  });

  it("AL-13 an MCP server goes into the same list", async () => {
    await using fixture = await mcpFixture();
    await using temporary = await temporaryEngine({ tools: [READ, fixture.server], reviewer: approveAll });
    const call = { id: "1", name: "mcp__odd__echo", input: { text: "hello" } };
    expect((await temporary.engine.dispatch(call)).output).toBe("hello");
  });
});
