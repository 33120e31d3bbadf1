import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DispatchEvent, DispatchOptions } from "../../src/contract/event.ts";
import type { ToolResult } from "../../src/contract/tool-result.ts";
import { createEngine } from "../../src/engine.ts";
import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { LASTING_CALLS, lastingOptions } from "./fixtures/lasting-calls.ts";

const DYING_ENGINE = fileURLToPath(new URL("fixtures/dying-engine.ts", import.meta.url));

describe("an engine that was killed while calls ran", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-replay-"));
    await mkdir(join(directory, "root"));
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  it.each([
    ["whose conversation is named", ["chat-7"]],
    ["whose conversation is not named", []],
  ])("is followed by one that answers those calls and never runs them again, %s", async (_what, names) => {
    const child = spawn(process.execPath, [DYING_ENGINE, directory, ...names], { stdio: "inherit" });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    const [conversation] = names;
    const options: DispatchOptions = conversation === undefined ? {} : { conversation };

    for (const times of [1, 2]) {
      await using engine = await createEngine(lastingOptions(directory));
      const results = await engine.dispatchAll(LASTING_CALLS, options);
      expect(results.map(summary)).toEqual(
        LASTING_CALLS.map(({ id, name }) => [
          id,
          "internal",
          `"${name}" may or may not have run: the engine died while it did. This call is not run again; look at what is there now, and make a new call for what is missing`,
          0,
        ]),
      );
      expect((await effects()).toSorted()).toEqual(["send somebody", "write note"]);
      expect(await engine.workspace.changes()).toEqual([]);
      // One account of the run that nobody saw the end of, and one of each time that it was asked for again.
      const records = engine.journal.recent(99);
      expect(records.filter(({ attempts }) => attempts === 1).map(({ callId }) => callId)).toHaveLength(3);
      expect(records.filter(({ attempts }) => attempts === 0)).toHaveLength(3 * times);
      expect(records.at(-1)).toMatchObject({ outcome: "internal", durationMs: 0, error: expect.any(String) as string });
      expect(engine.journal.verify().status).toBe("intact");
    }
  });

  it("is followed by one that runs a call with another id, tool or input", async () => {
    const child = spawn(process.execPath, [DYING_ENGINE, directory], { stdio: "inherit" });
    await once(child, "exit");
    await using engine = await createEngine(lastingOptions(directory));
    const other = { id: "toolu_3", name: "sleep_in_sandbox", input: { script: "echo another" } };
    expect((await engine.dispatch(other)).output).toBe("another\n");
    const controller = new AbortController();
    const onEvent = ({ type }: DispatchEvent): void => {
      if (type === "call-progressed") controller.abort();
    };
    const elsewhere = { conversation: "other", signal: controller.signal, onEvent };
    expect(await engine.dispatch(LASTING_CALLS[0], elsewhere)).toMatchObject({ errorKind: "cancelled", attempts: 1 });
  });

  async function effects(): Promise<readonly string[]> {
    return (await readFile(join(directory, "effects"), "utf8")).trimEnd().split("\n");
  }
});

function summary(result: ToolResult): readonly unknown[] {
  return [result.callId, ...(result.success ? ["ran"] : [result.errorKind, result.error]), result.attempts];
}

describe("Engine.dispatch() in a conversation that is named", () => {
  const parameters = { type: "object", properties: { n: { type: "integer", default: 1 } } } as const;

  function counting() {
    const ran: number[] = [];
    const tool = defineTool({
      name: "count",
      description: "Counts",
      risk: "write",
      parameters,
      execute: async ({ n }, { workspace }) => {
        ran.push(n);
        await workspace.writeFile(`${n}`, "");
        return { success: n < 5, output: `ran ${ran.length} times`, error: "too many", metadata: { n } };
      },
    });
    return { ran, tool };
  }

  const options = { conversation: "chat" };
  const call = { id: "toolu_1", name: "count", input: {} };

  it("answers a call that was answered before with the recorded result, whether it succeeded or failed", async () => {
    const { ran, tool } = counting();
    await using temporary = await temporaryEngine({ tools: [tool] });
    const { engine } = temporary;
    for (const asked of [call, { ...call, id: "toolu_2", input: { n: 7 } }]) {
      const first = await engine.dispatch(asked, options);
      expect(await engine.dispatch(asked, options)).toEqual({
        ...first,
        attempts: 0,
        metadata: { ...first.metadata, replayed: true },
      });
      expect(engine.journal.recent(1)).toMatchObject([
        { callId: asked.id, verdict: "this very call has been answered before, and is given the same result" },
      ]);
    }
    expect(ran).toEqual([1, 7]);
  });

  it("asks nobody, and tells no hook, about a call that was answered before", async () => {
    const { tool } = counting();
    const asked: string[] = [];
    await using temporary = await temporaryEngine({
      tools: [tool.copy({ requiresApproval: true })],
      reviewer: ({ callId }) => {
        asked.push(callId);
        return { decision: "approve" };
      },
      hooks: { beforeCall: ({ callId }) => void asked.push(callId), afterCall: () => asked.push("after") },
    });
    for (const _time of [1, 2]) await temporary.engine.dispatch(call, options);
    expect(asked).toEqual(["toolu_1", "toolu_1", "after"]);
  });

  it("runs a call once that comes twice, in one batch or in two", async () => {
    const { ran, tool } = counting();
    await using temporary = await temporaryEngine({ tools: [tool] });
    const { engine } = temporary;
    const batches = await Promise.all([engine.dispatchAll([call, call], options), engine.dispatch(call, options)]);
    expect(batches.flat().map(({ output }) => output)).toEqual(["ran 1 times", "ran 1 times", "ran 1 times"]);
    expect(ran).toEqual([1]);
  });

  it("says that a call is running, when it may overlap with itself", async () => {
    const running = Promise.withResolvers<undefined>();
    const goOn = Promise.withResolvers<undefined>();
    const tool = defineTool({
      name: "count",
      description: "Waits",
      risk: "write",
      parallel: true,
      execute: async () => {
        running.resolve(undefined);
        await goOn.promise;
      },
    });
    await using temporary = await temporaryEngine({ tools: [tool] });
    const first = temporary.engine.dispatch(call, options);
    await running.promise;
    expect(await temporary.engine.dispatch(call, options)).toMatchObject({
      errorKind: "conflict",
      error: '"count" was not started: this very call is already running',
    });
    goOn.resolve(undefined);
    expect((await first).success).toBe(true);
  });

  it("runs it again in another conversation, in none, or when a read tool is called", async () => {
    const { ran, tool } = counting();
    const look = defineTool({ name: "look", description: "Looks", risk: "read", execute: () => void ran.push(0) });
    await using temporary = await temporaryEngine({ tools: [tool, look] });
    const { engine } = temporary;
    for (const each of [options, { conversation: "other" }, {}]) await engine.dispatch(call, each);
    for (const _time of [1, 2]) await engine.dispatch({ ...call, name: "look" }, options);
    expect(ran).toEqual([1, 1, 1, 0, 0]);
  });

  it.each(["", 5])("refuses the name %j", async (conversation) => {
    await using temporary = await temporaryEngine();
    await expect(temporary.engine.dispatch(call, { conversation: conversation as string })).rejects.toThrow(
      new ConfigurationError('Cannot dispatch: "conversation" is no text that names one; give one, or leave it out'),
    );
  });
});
