import { describe, expect, it } from "vitest";
import type { EngineOptions } from "../../src/contract/engine.ts";
import type { Reviewer } from "../../src/contract/gate.ts";
import type { Hooks } from "../../src/contract/hooks.ts";
import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { approveAll, scriptedReviewer } from "../../src/testing/reviewers.ts";
import { fakeBackend } from "../../src/testing/fake-backend.ts";
import { BaseTool } from "../../src/tools/base-tool.ts";
import { coreTools } from "../../src/tools/core-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { toAnthropicTools } from "../../src/tools/providers/to-anthropic-tools.ts";
import { toMcpTools } from "../../src/tools/providers/to-mcp-tools.ts";
import { toOpenAiToolMessage } from "../../src/tools/providers/to-openai-tool-messages.ts";
import { toOpenAiChatTools } from "../../src/tools/providers/to-openai-tools.ts";
import { ToolGroup } from "../../src/tools/tool-group.ts";
import { runTestProgram } from "../cli/test-context.ts";
import type { FakeEngine } from "../cli/test-context.ts";
import { answers, askAll, readTool } from "./seed-engine.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const;
/** The same where unknown arguments are refused, as a model is told. */
const closed = { ...parameters, additionalProperties: false };
const minimal = { name: "probe", description: "Does nothing", execute: () => "done" };

describe("Chimera", () => {
  it("CH-01 a tool has name, description, parameters, and requires no approval unless it says so", () => {
    const { name, description, parameters: shown, requiresApproval } = defineTool({ ...minimal, parameters });
    expect({ name, description, shown, requiresApproval }).toEqual({
      name: "probe",
      description: "Does nothing",
      shown: parameters,
      requiresApproval: false,
    });
  });

  it("CH-02 execute gets parsed input and may give output, error and metadata", async () => {
    const tool = defineTool({
      ...minimal,
      risk: "read",
      parameters,
      execute: ({ path }) => ({ success: false, output: path, error: "no", metadata: { size: 1 } }),
    });
    expect(tool.execute({ path: "a" } as never, undefined as never)).toMatchObject({ output: "a" });
    const [result] = await answers({ tools: [tool] }, ["probe", { path: "a" }]);
    expect(result).toMatchObject({ output: "a", error: "no", metadata: { size: 1 } });
  });

  it("CH-05 class form and function form produce the same kind of tool", () => {
    class Probe extends BaseTool {
      readonly name = "probe";
      readonly description = "Does nothing";
      execute() {
        return "done";
      }
    }
    const functions = { copy: expect.any(Function), execute: expect.any(Function) };
    expect(new Probe().toTool()).toEqual({ ...defineTool(minimal), ...functions });
  });

  it("CH-06 the function form always takes input and context", async () => {
    const seen: unknown[][] = [];
    const tool = defineTool({ ...minimal, risk: "read", execute: (...given) => void seen.push(given) });
    await answers({ tools: [tool] }, ["probe"]);
    expect(seen).toEqual([[{}, expect.objectContaining({ callId: "1" })]]);
  });

  it("CH-07 a ToolGroup has, gets, adds, counts and iterates", () => {
    const [first, second] = [readTool("first", () => 1), readTool("second", () => 2)];
    const group = new ToolGroup("coding", [first]).add(second);
    expect([group.has("first"), group.get("second"), group.size, [...group]]).toEqual([
      true,
      second,
      2,
      [first, second],
    ]);
  });

  it("CH-09 a tool that requires approval is asked for although the policy allows it", async () => {
    const tool = defineTool({ ...minimal, risk: "read", requiresApproval: true });
    const [denied] = await answers({ tools: [tool], policy: { allow: ["probe"] } }, ["probe"]);
    expect(denied).toMatchObject({ errorKind: "denied", attempts: 0 });
    const [approved] = await answers({ tools: [tool], reviewer: approveAll }, ["probe"]);
    expect(approved?.output).toBe("done");
  });

  it("CH-11 nothing runs beside other calls and nothing counts as reading unless it says so", () => {
    const { risk, parallel } = defineTool(minimal);
    expect({ risk, parallel }).toEqual({ risk: "exec", parallel: false });
    expect(toMcpTools([defineTool(minimal)])[0]?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    });
  });

  it("CH-13 no mode goes around the approval that a tool requires", async () => {
    const tool = defineTool({ ...minimal, risk: "read", requiresApproval: true });
    for (const mode of ["plan", "default", "acceptEdits", "auto", "dontAsk"] as const) {
      const [result] = await answers({ tools: [tool], policy: { mode } }, ["probe"]);
      expect(result).toMatchObject({ errorKind: "denied", attempts: 0 });
    }
  });

  it("CH-14 a tool's own check of a call tightens what the policy says, and never loosens it", async () => {
    const push = defineTool({
      ...minimal,
      name: "push",
      risk: "read",
      parameters: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
      authorize: ({ branch }) => {
        if (branch === "main") return { effect: "ask", reason: "main is everybody's" };
        return branch === "release" ? { effect: "deny", reason: "releases are frozen" } : "allow";
      },
    });
    const reviewer = scriptedReviewer([{ decision: "edit", input: { branch: "release" } }, { decision: "approve" }]);
    const asked = ["topic", "main", "main", "release"].map((branch) => ["push", { branch }] as const);
    const results = await answers({ tools: [push], reviewer, maxRepeats: 9 }, ...asked);
    const frozen = 'Permission denied for "push": the tool refuses it: releases are frozen';
    expect(results.map((result) => (result.success ? result.output : result.error))).toEqual([
      "done",
      frozen,
      "done",
      frozen,
    ]);
    expect(reviewer.requests.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 2 }, () => "the tool asks for approval of this call: main is everybody's"),
    );
    const [stillDenied] = await answers({ tools: [push], policy: { deny: ["push"] } }, ["push", { branch: "topic" }]);
    expect(stillDenied).toMatchObject({ errorKind: "denied" });
    const policy = { deny: ["push(branch=topic*)"] };
    const byContent = await answers(
      { tools: [push], policy },
      ["push", { branch: "topic" }],
      ["push", { branch: "x" }],
    );
    expect(byContent.map(({ success }) => success)).toEqual([false, true]);
  });

  it("CH-15 a result succeeds exactly when it has no error", async () => {
    const fails = readTool("fails", () => ({ success: false, error: "no" }));
    const results = await answers({ tools: [fails, readTool("works", () => "yes")] }, ["fails"], ["works"]);
    expect(results.map((result) => [result.success, "error" in result])).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it("CH-17 an unknown tool is an error result that names it, and the run goes on", async () => {
    const results = await answers({ tools: [readTool("works", () => "yes")] }, ["nothing"], ["works"]);
    expect(results).toMatchObject([
      { success: false, errorKind: "not-found", error: expect.stringContaining('"nothing"') },
      { output: "yes" },
    ]);
  });

  it("CH-18 a policy allows, asks and denies", async () => {
    const tools = ["one", "two", "three"].map((name) => readTool(name, () => name));
    const reviewer = scriptedReviewer([{ decision: "approve" }]);
    const policy = { allow: ["one"], ask: ["two"], deny: ["three"] };
    const results = await answers({ tools, policy, reviewer }, ["one"], ["two"], ["three"]);
    expect(results.map(({ success }) => success)).toEqual([true, true, false]);
    expect(reviewer.requests.map(({ tool }) => tool)).toEqual(["two"]);
  });

  it.each<[policy: string, options: Partial<EngineOptions>, outcomes: readonly string[]]>([
    ["AutoApprove", { mode: "auto" }, ["runs", "runs", "runs"]],
    ["AlwaysDeny", { policy: { deny: ["*"] } }, ["denied", "denied", "denied"]],
    ["AllowList", { allowedTools: ["read", "exec"], mode: "auto" }, ["runs", "denied", "runs"]],
    ["ReadOnly", { mode: "plan" }, ["runs", "denied", "denied"]],
    ["Interactive", { policy: { ask: ["risk:write"] } }, ["runs", "asked", "asked"]],
    ["AutoEdit", { mode: "acceptEdits" }, ["runs", "runs", "asked"]],
    ["AlwaysAsk", { policy: { ask: ["*"] } }, ["asked", "asked", "asked"]],
  ])("CH-18 what %s does there is said by a mode, a rule or a list of tools", async (_policy, options, outcomes) => {
    const tools = (["read", "write", "exec"] as const).map((risk) => defineTool({ ...minimal, name: risk, risk }));
    const asked: string[] = [];
    const reviewer: Reviewer = ({ tool }) => {
      asked.push(tool);
      return { decision: "deny" };
    };
    const results = await answers({ tools, reviewer, ...options }, ["read"], ["write"], ["exec"]);
    const found = results.map(({ tool, success }) => (asked.includes(tool) ? "asked" : success ? "runs" : "denied"));
    expect(found).toEqual(outcomes);
  });

  it("CH-20 an unknown mode is refused with the modes that there are", async () => {
    const policy = { mode: "yolo" } as never;
    const opened = temporaryEngine({ policy });
    await expect(opened).rejects.toThrow(ConfigurationError);
    await expect(opened).rejects.toThrow(/"plan", "default", "acceptEdits", "auto" or "dontAsk"/);
  });

  it("CH-20 and so it is on the command line, where --mode chooses one", async () => {
    const refused = await runTestProgram(["call", "--mode", "yolo", "read_file"]);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr:
        'cofferdam: Cannot use --mode "yolo": it is none of the choices; choose plan, default, acceptEdits, auto, dontAsk\n',
      opened: [],
    });
    const write = defineTool({ ...minimal, risk: "write" });
    const dispatch: FakeEngine["dispatch"] = async (call, _options, { mode }) => {
      const [result] = await answers({ tools: [write], ...(mode === undefined ? {} : { mode }) }, [call.name]);
      return result!;
    };
    const engine = { tools: [write], dispatch };
    const codes = [];
    for (const mode of ["plan", "default"])
      codes.push((await runTestProgram(["call", "--mode", mode, "probe"], { engine })).exitCode);
    expect(codes).toEqual([126, 0]);
  });

  it("CH-21 a denial is a result, and the run goes on", async () => {
    const tools = ["one", "two"].map((name) => readTool(name, () => name));
    const results = await answers({ tools, policy: { deny: ["one"] } }, ["one"], ["two"]);
    expect(results).toMatchObject([
      { errorKind: "denied", error: expect.stringMatching(/^Permission denied for "one": /) },
      { output: "two" },
    ]);
  });

  it("CH-22 an ask waits for its answer, and the remaining calls are answered too", async () => {
    const tools = ["one", "two", "three"].map((name) => readTool(name, () => name));
    const reviewer = scriptedReviewer([{ decision: "approve" }, { decision: "deny" }]);
    const results = await answers({ tools, policy: { ask: ["one", "two"] }, reviewer }, ["one"], ["two"], ["three"]);
    expect(results).toMatchObject([
      { output: "one" },
      { error: 'Permission denied for "two": the reviewer denied it' },
      { output: "three" },
    ]);
  });

  it("CH-28 deny comes before ask, ask before allow, allow before the mode, and dontAsk turns ask into deny", async () => {
    const tools = ["a", "b", "c"].map((name) => defineTool({ ...minimal, name }));
    const policy = { deny: ["a"], ask: ["a", "b"], allow: ["a", "b", "c"] };
    const reviewer = scriptedReviewer([{ decision: "approve" }]);
    const inDefault = await answers({ tools, policy, reviewer }, ["a"], ["b"], ["c"]);
    expect(inDefault.map(({ success }) => success)).toEqual([false, true, true]);
    const inDontAsk = await answers({ tools, policy: { ...policy, mode: "dontAsk" }, reviewer }, ["b"], ["c"]);
    expect(inDontAsk.map(({ success }) => success)).toEqual([false, true]);
  });

  it("CH-29 a rule names tools by a glob, so that one rule matches all tools of a server", async () => {
    const tools = ["mcp__git__log", "mcp__web__get"].map((name) => readTool(name, () => name));
    const results = await answers({ tools, policy: { deny: ["mcp__git__*"] } }, ["mcp__git__log"], ["mcp__web__get"]);
    expect(results.map(({ success }) => success)).toEqual([false, true]);
  });

  it("CH-31 no reviewer and a throwing reviewer deny", async () => {
    const tools = [readTool("one", () => 1)];
    const policy = { ask: ["one"] };
    const throwing = () => {
      throw new Error("gone");
    };
    const [[nobody], [broken]] = await Promise.all([
      answers({ tools, policy }, ["one"]),
      answers({ tools, policy, reviewer: throwing }, ["one"]),
    ]);
    expect([nobody, broken]).toMatchObject([{ errorKind: "denied" }, { errorKind: "denied" }]);
  });

  it("CH-37 above 30 tools the model is shown a few and finds the others with tool_search", async () => {
    const tools = [
      ...coreTools(),
      ...Array.from({ length: 21 }, (_, index) => readTool(`extra_${index}`, () => index)),
    ];
    await using temporary = await temporaryEngine({ tools: tools.slice(0, 29) });
    expect(temporary.engine.offeredTools).toEqual(temporary.engine.tools);
    await using large = await temporaryEngine({ tools });
    const shown = () => large.engine.offeredTools.map(({ name }) => name).filter((name) => name.startsWith("extra"));
    expect(shown()).toEqual([]);
    await askAll(large.engine, ["tool_search", { query: "select:extra_7" }]);
    expect(shown()).toEqual(["extra_7"]);
  });

  it("CH-38 reads overlap, another call waits for those before it, and results keep the order", async () => {
    const log: string[] = [];
    const both = Promise.withResolvers<undefined>();
    const meet = (name: string) =>
      readTool(name, async () => {
        log.push(name);
        if (log.length === 2) both.resolve(undefined);
        await both.promise;
      });
    const write = defineTool({ ...minimal, name: "write", risk: "write", execute: () => void log.push("write") });
    const results = await answers({ tools: [meet("a"), meet("b"), write] }, ["a"], ["b"], ["write"]);
    expect([log.slice(0, 2).toSorted(), log.slice(2)]).toEqual([["a", "b"], ["write"]]);
    expect(results.map(({ tool }) => tool)).toEqual(["a", "b", "write"]);
  });

  it("CH-39 a command has 120 s and its exit code is part of the failure", async () => {
    const backend = fakeBackend(() => ({ exitCode: 3 }));
    const [result] = await answers({ backends: [backend], reviewer: approveAll }, ["shell", { command: "exit 3" }]);
    expect(result).toMatchObject({ success: false, errorKind: "business", metadata: { exitCode: 3 } });
    expect(backend.commands[0]?.options.timeoutMs).toBeGreaterThan(110_000);
    expect(backend.commands[0]?.options.timeoutMs).toBeLessThanOrEqual(120_000);
  });

  it("CH-03 one schema gives the shape of OpenAI", () => {
    const [shown] = toOpenAiChatTools([defineTool({ ...minimal, parameters })]);
    expect(shown).toEqual({
      type: "function",
      function: { name: "probe", description: "Does nothing", parameters: closed, strict: false },
    });
  });

  it("CH-04 and the shape of Anthropic", () => {
    const [shown] = toAnthropicTools([defineTool({ ...minimal, parameters })]);
    expect(shown).toEqual({ name: "probe", description: "Does nothing", input_schema: closed });
  });

  it("CH-12 a result has 30,000 characters at most, or what its tool says", async () => {
    const long = readTool("long", () => "a".repeat(30_001));
    const tools = [readTool("fits", () => "a".repeat(30_000)), long];
    const own = { ...minimal, risk: "read", execute: () => "a".repeat(30_001) } as const;
    const more = defineTool({ ...own, name: "more", maxOutputCharacters: 40_000 });
    const less = defineTool({ ...own, name: "less", maxOutputCharacters: 2_000 });
    const results = await answers({ tools: [...tools, more, less] }, ["fits"], ["long"], ["more"], ["less"]);
    const isCut = results.map(({ output }) => output.includes("characters are left out here"));
    expect(isCut).toEqual([false, true, false, true]);
    expect(results[0]?.output).toBe("a".repeat(30_000));
    expect(results[1]?.output.length).toBeLessThanOrEqual(30_000);
    expect(results[2]?.output).toBe("a".repeat(30_001));
    expect(results[3]?.output.length).toBeLessThanOrEqual(2_000);
  });

  it("CH-16 a failure begins with Error: where the provider has no mark for it, and the output follows", async () => {
    const tool = readTool("probe", () => ({ success: false, error: "no such city", output: "asked twice" }));
    const [result] = await answers({ tools: [tool] }, ["probe"]);
    expect(toOpenAiToolMessage(result!).content).toBe("Error: no such city\nasked twice");
  });

  it("CH-24 what a hook makes of the input is what is judged, and the call keeps its id", async () => {
    const tool = defineTool({ ...minimal, risk: "read", parameters, execute: ({ path }) => path });
    const hooks: Hooks = { beforeCall: () => ({ decision: "edit", input: { path: "b" } }) };
    const reviewer = scriptedReviewer([{ decision: "approve" }]);
    const [result] = await answers({ tools: [tool], hooks, policy: { ask: ["*"] }, reviewer }, [
      "probe",
      { path: "a" },
    ]);
    expect(reviewer.requests.map(({ input }) => input)).toEqual([{ path: "b" }]);
    expect([result?.callId, result?.output]).toEqual(["1", "b"]);
  });

  it("CH-25 a hook that fails before the call blocks it, one that fails after it changes nothing", async () => {
    const broken = () => {
      throw new Error("broken");
    };
    const tools = [readTool("probe", () => "done")];
    const [[before], [after]] = await Promise.all([
      answers({ tools, hooks: { beforeCall: broken } }, ["probe"]),
      answers({ tools, hooks: { afterCall: broken } }, ["probe"]),
    ]);
    expect([before?.success, before?.attempts, after?.output]).toEqual([false, 0, "done"]);
  });

  it("CH-27 a hook lets a call go on, changes its input, or blocks it", async () => {
    const tool = defineTool({ ...minimal, risk: "read", parameters, execute: ({ path }) => path });
    const hooks: Hooks = {
      beforeCall: ({ input }) => {
        const { path } = input as { readonly path: string };
        if (path === "a") return { decision: "continue" };
        return path === "b" ? { decision: "edit", input: { path: "c" } } : { decision: "block", reason: "not here" };
      },
    };
    const asked = ["a", "b", "d"].map((path) => ["probe", { path }] as const);
    const results = await answers({ tools: [tool], hooks }, ...asked);
    expect(results.map((result) => (result.success ? result.output : result.errorKind))).toEqual(["a", "c", "denied"]);
  });

  it("CH-34 every call is in the journal, denied ones too", async () => {
    const tools = [readTool("one", () => 1), readTool("two", () => 2)];
    await using temporary = await temporaryEngine({ tools, policy: { deny: ["two"] } });
    await askAll(temporary.engine, ["one"], ["two"], ["three"]);
    const kept = temporary.engine.journal.recent(10).map(({ tool, outcome }) => `${tool}: ${outcome}`);
    expect(kept.toSorted()).toEqual(["one: success", "three: not-found", "two: denied"]);
  });

  it("CH-35 of a long result head and tail stay", async () => {
    const tool = readTool("long", () => `first line\n${"middle\n".repeat(10_000)}last line`);
    const [result] = await answers({ tools: [tool] }, ["long"]);
    expect(result?.output.startsWith("first line\nmiddle")).toBe(true);
    expect(result?.output.endsWith("middle\nlast line")).toBe(true);
  });

  it("CH-36 the whole of it can be read on", async () => {
    const tool = readTool("long", () => `${"a".repeat(50_000)} needle ${"b".repeat(50_000)}`);
    await using temporary = await temporaryEngine({ tools: [tool] });
    const [result] = await askAll(temporary.engine, ["long"]);
    const id = /the id "(?<id>[0-9a-f]{32})"/.exec(result?.output ?? "")?.groups?.["id"];
    const [found] = await askAll(temporary.engine, ["read_output", { id, pattern: "needle" }]);
    expect(found).toMatchObject({ success: true, output: expect.stringContaining("needle") });
  });

  it("CH-40 secrets are masked in what is kept", async () => {
    const properties = { password: { type: "string" } } as const;
    const tool = defineTool({ ...minimal, risk: "read", parameters: { type: "object", properties } });
    await using temporary = await temporaryEngine({ tools: [tool] });
    await askAll(temporary.engine, ["probe", { password: "hunter2-and-more" }]);
    expect(JSON.stringify(temporary.engine.journal.recent(1))).not.toContain("hunter2");
  });
});
