import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../src/contract/tool-call.ts";
import { approveAll, denyAll, fakeBackend, scriptedReviewer } from "../../src/testing/index.ts";
import { coreTools } from "../../src/tools/core-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const sleeper = defineTool({
  name: "sleeper",
  description: "Never ends by itself",
  risk: "read",
  timeoutMs: 50,
  parameters: { type: "object", properties: {} },
  execute: async (_input, { signal }) =>
    await new Promise<never>((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(new Error("The signal came"))),
    ),
});

describe("Engine.dispatchAll()", () => {
  it("gives nine results in order when reads, writes, mistakes, a denial and a timeout are mixed", async () => {
    await using temporary = await temporaryEngine({ tools: [...coreTools(), sleeper], policy: { deny: ["glob"] } });
    const { engine, root } = temporary;
    await writeFile(join(root, "a.txt"), "alpha\n");
    const calls: readonly ToolCall[] = [
      { id: "1", name: "read_file", input: { path: "a.txt" } },
      { id: "2", name: "write_file", input: { path: "b.txt", content: "beta\n" } },
      { id: "3", name: "list_files", input: {} },
      { id: "4", name: "no_such_tool", input: {} },
      { id: "5", name: "edit_file", input: { path: "a.txt", old_text: "alpha", new_text: "omega" } },
      { id: "6", name: "read_file", input: { path: 7, limit: 0 } },
      { id: "7", name: "glob", input: { pattern: "**" } },
      { id: "8", name: "sleeper", input: {} },
      { id: "9", name: "grep", input: { pattern: "omega" } },
    ];
    const results = await engine.dispatchAll(calls);
    expect(results.map((result) => [result.callId, result.success ? "success" : result.errorKind])).toEqual([
      ["1", "success"],
      ["2", "success"],
      ["3", "success"],
      ["4", "not-found"],
      ["5", "success"],
      ["6", "validation"],
      ["7", "denied"],
      ["8", "timeout"],
      ["9", "success"],
    ]);
    expect(results[2]?.output).toContain("b.txt");
    expect(results[8]?.output).toContain("a.txt:1:omega");
    expect(await readdir(root)).toEqual(["a.txt"]);
  });

  it("decides about every call before the first one runs", async () => {
    const order: string[] = [];
    const touch = defineTool({
      name: "touch",
      description: "Says that it ran",
      risk: "write",
      requiresApproval: true,
      parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      execute: ({ n }) => void order.push(`run ${n}`),
    });
    await using temporary = await temporaryEngine({
      tools: [touch],
      reviewer: (request) => {
        order.push(`ask ${request.callId}`);
        return { decision: "approve" };
      },
    });
    await temporary.engine.dispatchAll(["1", "2", "3"].map((id) => ({ id, name: "touch", input: { n: Number(id) } })));
    expect(order).toEqual(["ask 1", "ask 2", "ask 3", "run 1", "run 2", "run 3"]);
  });

  it("runs reads together and writes one at a time in the model's order", async () => {
    const running = { now: 0, most: 0 };
    const order: number[] = [];
    const body = async (n: number): Promise<void> => {
      running.most = Math.max(running.most, ++running.now);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(n);
      running.now -= 1;
    };
    const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
    const define = (name: string, risk: "read" | "write") =>
      defineTool({ name, description: name, risk, parameters, execute: async ({ n }) => await body(n) });
    await using temporary = await temporaryEngine({ tools: [define("look", "read"), define("put", "write")] });
    const call = (name: string) => (_: unknown, n: number) => ({ id: String(n), name, input: { n } });
    await temporary.engine.dispatchAll(Array.from({ length: 8 }, call("look")));
    expect(running.most).toBe(8);
    running.most = 0;
    order.length = 0;
    await temporary.engine.dispatchAll(Array.from({ length: 8 }, call("put")));
    expect(running.most).toBe(1);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("answers every call as cancelled when the signal is aborted before and while they run", async () => {
    await using temporary = await temporaryEngine({ tools: [...coreTools(), sleeper] });
    const call = { id: "1", name: "list_files", input: {} };
    const before = await temporary.engine.dispatchAll([call, call], { signal: AbortSignal.abort() });
    expect(before.map((result) => !result.success && [result.errorKind, result.error])).toEqual([
      ["cancelled", '"list_files" was cancelled before it started'],
      ["cancelled", '"list_files" was cancelled before it started'],
    ]);
    const controller = new AbortController();
    const during = await temporary.engine.dispatchAll(
      [
        { id: "1", name: "sleeper", input: {} },
        { id: "2", name: "write_file", input: { path: "late", content: "" } },
      ],
      { signal: controller.signal, onEvent: (event) => event.type === "call-started" && controller.abort() },
    );
    expect(during.map((result) => !result.success && [result.errorKind, result.error])).toEqual([
      ["cancelled", '"sleeper" was cancelled; what it changed has been dropped'],
      ["cancelled", '"write_file" was cancelled before it started'],
    ]);
    expect(await temporary.engine.workspace.changes()).toEqual([]);
  });

  it("answers what is no call at all", async () => {
    await using temporary = await temporaryEngine();
    const calls = [null, 7, {}, { id: "x" }, { id: 1, name: "grep" }] as unknown as ToolCall[];
    const results = await temporary.engine.dispatchAll(calls);
    expect(results.map((result) => !result.success && `${result.callId}: ${result.error}`)).toEqual(
      ["", "", "", "x", ""].map((id) => `${id}: Cannot dispatch the call: it needs an id and a name that are text`),
    );
  });
});

describe("Engine.dispatch()", () => {
  it("names near tools when the name is unknown", async () => {
    await using temporary = await temporaryEngine();
    const result = await temporary.engine.dispatch({ id: "1", name: "read_fil", input: {} });
    expect(result).toMatchObject({
      success: false,
      errorKind: "not-found",
      error:
        'Cannot call the tool "read_fil": there is no such tool; did you mean "read_file", "edit_file", "move_file"?',
      attempts: 0,
    });
  });

  it("denies an exec tool when there is no reviewer, and runs it once when the reviewer approves", async () => {
    const call = { id: "1", name: "shell", input: { command: "true" } };
    const unasked = fakeBackend(() => ({}));
    await using closed = await temporaryEngine({ backends: [unasked] });
    expect(await closed.engine.dispatch(call)).toMatchObject({ success: false, errorKind: "denied", attempts: 0 });
    await using refused = await temporaryEngine({ backends: [unasked], reviewer: denyAll });
    expect(await refused.engine.dispatch(call)).toMatchObject({
      success: false,
      errorKind: "denied",
      error: 'Permission denied for "shell": the reviewer denied it',
    });
    expect(unasked.commands).toEqual([]);

    const backend = fakeBackend(() => ({ stdout: "ok\n" }));
    await using open = await temporaryEngine({ backends: [backend], reviewer: approveAll });
    const result = await open.engine.dispatch(call);
    expect(result).toMatchObject({ success: true, attempts: 1, metadata: { backend: "docker", termination: "exit" } });
    expect(backend.commands.map(({ command }) => command)).toEqual([{ kind: "shell", script: "true" }]);
    expect(backend.openSessions).toBe(0);
  });

  it("names the limit, keeps the output and drops the layer when a command times out", async () => {
    const backend = fakeBackend(() => ({
      termination: "timeout",
      exitCode: null,
      signal: "SIGKILL",
      stdout: "partial\n",
      durationMs: 4_321,
    }));
    await using temporary = await temporaryEngine({
      backends: [backend],
      reviewer: approveAll,
      sandbox: { timeoutMs: 2_000 },
    });
    const result = await temporary.engine.dispatch({ id: "1", name: "shell", input: { command: "sleep 9" } });
    expect(result).toMatchObject({
      success: false,
      errorKind: "timeout",
      error: '"shell" timed out after 2000 ms; what it changed has been dropped',
      output: expect.stringMatching(/^partial\n/),
      metadata: { termination: "timeout", exitCode: null, timeoutMs: 2_000 },
      changes: [],
    });
    expect(backend.commands[0]?.options.timeoutMs).toBeGreaterThan(1_000);
  });

  it("runs the reviewer's edit, validated again", async () => {
    const backend = fakeBackend(() => ({}));
    const reviewer = scriptedReviewer([
      { decision: "edit", input: { command: "ls" } },
      { decision: "edit", input: { comand: "ls" } },
    ]);
    await using temporary = await temporaryEngine({ backends: [backend], reviewer });
    const call = { id: "1", name: "shell", input: { command: "rm -rf ." } };
    expect(await temporary.engine.dispatch(call)).toMatchObject({ success: true });
    expect(await temporary.engine.dispatch(call)).toMatchObject({
      success: false,
      errorKind: "denied",
      error: expect.stringContaining("the reviewer's edit is not valid input: (input error: command is required"),
    });
    expect(backend.commands.map(({ command }) => command)).toEqual([{ kind: "shell", script: "ls" }]);
  });

  it("gives each attempt a fresh layer and drops those of failed ones", async () => {
    const flaky = defineTool({
      name: "flaky",
      description: "Fails twice",
      risk: "write",
      maxRetries: 2,
      parameters: { type: "object", properties: {} },
      execute: async (_input, { attempt, workspace }) => {
        await workspace.writeFile(`attempt-${attempt}`, "");
        if (attempt < 3) return { success: false, error: "away", errorKind: "dependency" };
        return "here";
      },
    });
    await using temporary = await temporaryEngine({ tools: [flaky], retryDelayMs: 1 });
    const result = await temporary.engine.dispatch({ id: "1", name: "flaky", input: {} });
    expect(result).toMatchObject({ success: true, attempts: 3, output: "here" });
    expect(result.changes.map(({ path }) => path)).toEqual(["attempt-3"]);
    expect((await temporary.engine.workspace.changes()).map(({ path }) => path)).toEqual(["attempt-3"]);
  });

  it("does not repeat what failed in its own terms, nor an exec tool that is not idempotent", async () => {
    const backend = fakeBackend(() => ({}));
    const define = (risk: "read" | "exec", errorKind: "business" | "dependency") =>
      defineTool({
        name: "fails",
        description: "Fails",
        risk,
        maxRetries: 3,
        parameters: { type: "object", properties: {} },
        execute: () => ({ success: false, error: "no", errorKind }),
      });
    for (const tool of [define("read", "business"), define("exec", "dependency")]) {
      await using temporary = await temporaryEngine({
        tools: [tool],
        backends: [backend],
        reviewer: approveAll,
        retryDelayMs: 1,
      });
      expect((await temporary.engine.dispatch({ id: "1", name: "fails", input: {} })).attempts).toBe(1);
    }
  });

  const endings: readonly [string, (write: () => Promise<void>) => unknown, string, boolean][] = [
    ["returns a failure", async (write) => (await write(), { success: false, error: "no" }), "business", true],
    ["throws", async (write) => (await write(), Promise.reject(new Error("bang"))), "internal", false],
    ["never ends", async (write) => (await write(), new Promise(() => undefined)), "timeout", false],
  ];
  it.each(endings)("keeps or drops the layer of a write tool that %s", async (...[, end, errorKind, kept]) => {
    const tool = defineTool({
      name: "tool",
      description: "Ends in some way",
      risk: "write",
      timeoutMs: errorKind === "timeout" ? 200 : 30_000,
      parameters: { type: "object", properties: {} },
      execute: async (_input, { workspace }) => await end(async () => await workspace.writeFile("made", "x")),
    });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const result = await temporary.engine.dispatch({ id: "1", name: "tool", input: {} });
    expect(result).toMatchObject({ success: false, errorKind });
    const paths = (await temporary.engine.workspace.changes()).map(({ path }) => path);
    expect(paths).toEqual(kept ? ["made"] : []);
    expect(result.changes.map(({ path }) => path)).toEqual(paths);
  });

  it("lets nothing that a tool left running reach the workspace", async () => {
    const late = Promise.withResolvers<unknown>();
    const tool = defineTool({
      name: "leaves_work",
      description: "Writes after it returned",
      risk: "write",
      parameters: { type: "object", properties: {} },
      execute: (_input, { workspace }) => {
        setTimeout(() => void workspace.writeFile("late", "x").then(late.resolve, late.resolve), 20);
        return "done";
      },
    });
    await using temporary = await temporaryEngine({ tools: [tool] });
    await temporary.engine.dispatch({ id: "1", name: "leaves_work", input: {} });
    expect(String(await late.promise)).toContain("AbortError");
    expect(await temporary.engine.workspace.changes()).toEqual([]);
  });

  it("hides the host's paths in what an unexpected error says", async () => {
    const tool = defineTool({
      name: "leaks",
      description: "Throws with a path",
      risk: "read",
      parameters: { type: "object", properties: {} },
      execute: () => {
        throw new Error(`ENOENT ${temporaryRoot}/x`);
      },
    });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const temporaryRoot = temporary.root;
    const result = await temporary.engine.dispatch({ id: "1", name: "leaks", input: {} });
    expect(result).toMatchObject({ success: false, error: '"leaks" failed: ENOENT /workspace/x' });
  });

  it("passes progress, output and results to the observer, and survives one that throws", async () => {
    const backend = fakeBackend(({ options }) => {
      options.onOutput?.({ stream: "stdout", bytes: Buffer.from("hi\n") });
      return { stdout: "hi\n" };
    });
    await using temporary = await temporaryEngine({ backends: [backend], reviewer: approveAll });
    const events: string[] = [];
    const result = await temporary.engine.dispatch(
      { id: "1", name: "shell", input: { command: "echo hi" } },
      {
        onEvent: (event) => {
          events.push(event.type);
          throw new Error("The observer is broken");
        },
      },
    );
    expect(result.success).toBe(true);
    expect(events).toEqual(["call-started", "output-received", "call-settled"]);
  });

  it("carries what a tool finished with, and shares state between tools", async () => {
    const parameters = { type: "object", properties: {} } as const;
    const note = defineTool({
      name: "note",
      description: "Notes",
      risk: "read",
      parameters,
      execute: (_input, { state }) => void state.set("noted", 42),
    });
    const submit = defineTool({
      name: "submit",
      description: "Submits",
      risk: "read",
      parameters,
      execute: (_input, { state, finish }) => finish(state.get("noted")),
    });
    await using temporary = await temporaryEngine({ tools: [note, submit] });
    await temporary.engine.dispatch({ id: "1", name: "note", input: {} });
    const result = await temporary.engine.dispatch({ id: "2", name: "submit", input: {} });
    expect(result).toMatchObject({ success: true, output: "(done)", metadata: { finished: 42 } });
  });

  it("rejects once the engine is disposed", async () => {
    const temporary = await temporaryEngine();
    await temporary[Symbol.asyncDispose]();
    await expect(temporary.engine.dispatch({ id: "1", name: "grep", input: {} })).rejects.toThrow(
      "Cannot dispatch: the engine has been disposed",
    );
  });

  it("answers ten thousand calls, each once, without growing", async () => {
    const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
    const echo = defineTool({
      name: "echo",
      description: "Says it",
      risk: "read",
      parameters,
      execute: ({ n }) => `${n}`,
    });
    await using temporary = await temporaryEngine({ tools: [echo] });
    const collect = globalThis.gc;
    const heapAfter = async (count: number): Promise<number> => {
      for (let n = 0; n < count; n += 1) {
        const result = await temporary.engine.dispatch({ id: String(n), name: "echo", input: { n } });
        if (result.output !== String(n) || result.callId !== String(n)) throw new Error(JSON.stringify(result));
      }
      collect?.();
      return process.memoryUsage().heapUsed;
    };
    const warm = await heapAfter(2_000);
    const grown = (await heapAfter(10_000)) - warm;
    expect(collect).toBeTypeOf("function");
    expect(grown).toBeLessThan(4 * 1024 * 1024);
  });
});
