import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNoopMeter, metrics } from "@opentelemetry/api";
import type { Attributes, MeterProvider } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EngineOptions } from "../../src/contract/engine.ts";
import type { Reviewer } from "../../src/contract/gate.ts";
import type { DispatchRecord } from "../../src/contract/record.ts";
import { createEngine } from "../../src/engine.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
const echo = defineTool({
  name: "echo",
  description: "Says it again",
  risk: "read",
  parameters,
  execute: ({ text }) => text,
});
const careful = defineTool({
  name: "careful",
  description: "Asks first",
  risk: "write",
  requiresApproval: true,
  parameters,
  execute: async ({ text }, { workspace }) => {
    await workspace.writeFile("note", text);
  },
});

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "cofferdam-engine-journal-"));
  await mkdir(join(directory, "root"));
});
afterEach(async () => await rm(directory, { recursive: true }));

async function open(options: Partial<EngineOptions> = {}) {
  const places = { root: join(directory, "root"), stateHome: join(directory, "state") };
  return await createEngine({ ...places, tools: [echo, careful], ...options });
}

/** The account of one call to a tool that asks first. */
async function accountOf(reviewer: Reviewer | undefined, options: Partial<EngineOptions> = {}) {
  await using engine = await open({ ...(reviewer === undefined ? {} : { reviewer }), ...options });
  await engine.dispatch({ id: "1", name: "careful", input: { text: "hello" } });
  return engine.journal.recent(1)[0];
}

describe("Engine.journal", () => {
  it("has a record of a call that ran, with the layer that it left", async () => {
    expect(await accountOf(() => ({ decision: "approve" }))).toMatchObject({
      sequence: 1,
      callId: "1",
      tool: "careful",
      risk: "write",
      attempts: 1,
      outcome: "success",
      input: { text: "hello" },
      verdict: "the tool asks for approval each time",
      decidedBy: "reviewer",
      layer: expect.any(Number) as number,
    });
  });

  const refused: readonly [string, Reviewer | undefined, Partial<EngineOptions>, Partial<DispatchRecord>][] = [
    [
      "by the policy",
      undefined,
      { policy: { deny: ["careful"] } },
      { decidedBy: "policy", verdict: 'the rule "deny careful" of the policy option says so' },
    ],
    [
      "because nobody is there",
      undefined,
      {},
      {
        decidedBy: "nobody",
        verdict: "it has to be approved (the tool asks for approval each time) and nobody is there to answer",
      },
    ],
    [
      "by the reviewer",
      () => ({ decision: "deny", reason: "not with password=hunter2" }),
      {},
      { decidedBy: "reviewer", verdict: "the reviewer denied it: not with password=[masked]" },
    ],
    [
      "by a hook",
      undefined,
      { hooks: { beforeCall: () => ({ decision: "block", reason: "not now" }) } },
      { decidedBy: "hook", verdict: "a hook blocked it: not now" },
    ],
    [
      "because the time to answer is over",
      async () => await new Promise(() => undefined),
      { approvalTimeoutMs: 10 },
      { decidedBy: "expiry", verdict: "nobody answered within 0.01 s" },
    ],
  ];
  it.each(refused)("says who denied a call and why: %s", async (...[, reviewer, options, expected]) => {
    const account = await accountOf(reviewer, options);
    expect(account).toMatchObject({
      tool: "careful",
      attempts: 0,
      outcome: "denied",
      input: { text: "hello" },
      error: `Permission denied for "careful": ${expected.verdict}`,
      ...expected,
    });
    expect(account).not.toHaveProperty("layer");
  });

  it("says that the allow list denied a call", async () => {
    const account = await accountOf(undefined, { allowedTools: ["echo"] });
    expect(account).toMatchObject({ outcome: "denied", decidedBy: "policy", verdict: account?.error });
  });

  it("shows the input that ran when the reviewer edited it", async () => {
    const account = await accountOf(() => ({ decision: "edit", input: { text: "bye" } }));
    expect(account).toMatchObject({ outcome: "success", input: { text: "bye" }, decidedBy: "reviewer" });
  });

  it("has a record of a call that was cancelled, invalid, or no call at all", async () => {
    await using engine = await open();
    await engine.dispatch({ id: "1", name: "echo", input: { text: "x" } }, { signal: AbortSignal.abort() });
    await engine.dispatch({ id: "2", name: "echo", input: { token: "hunter2" } });
    await engine.dispatch({ id: "3", name: "no such tool", input: null });
    expect(engine.journal.recent(3).map(({ callId, outcome, input }) => ({ callId, outcome, input }))).toEqual([
      { callId: "3", outcome: "not-found", input: null },
      { callId: "2", outcome: "validation", input: { token: "[masked]" } },
      { callId: "1", outcome: "cancelled", input: { text: "x" } },
    ]);
    expect(engine.journal.verify()).toMatchObject({ status: "intact", records: 3 });
  });

  it("goes on with the chain when the root is opened again", async () => {
    await accountOf(undefined);
    await accountOf(undefined);
    await using engine = await open();
    expect(engine.journal.verify()).toMatchObject({ status: "intact", records: 2, newest: { sequence: 2 } });
  });
});

describe("createEngine()", () => {
  afterEach(() => metrics.disable());

  it("measures calls with the SDK that is registered, also when that is after it was made", async () => {
    await using engine = await open();
    const values: (Attributes | undefined)[] = [];
    await engine.dispatch({ id: "1", name: "echo", input: { text: "x" } });
    metrics.setGlobalMeterProvider(recordingProvider(values));
    await engine.dispatch({ id: "2", name: "echo", input: { text: "x" } });
    await engine.dispatch({ id: "3", name: "careful", input: { text: "x" } });
    expect(values).toEqual([
      { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "echo" },
      { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "careful", "error.type": "denied" },
    ]);
  });
});

function recordingProvider(values: (Attributes | undefined)[]): MeterProvider {
  const record = (_value: number, attributes?: Attributes) => void values.push(attributes);
  return { getMeter: () => Object.assign(createNoopMeter(), { createHistogram: () => ({ record }) }) };
}
