/** What the seed systems say of who is asked, what is remembered of the answers, and what comes first. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ReviewDecision, Reviewer } from "../../src/contract/gate.ts";
import { createEngine } from "../../src/engine.ts";
import { connectReviewer } from "../../src/gate/reviewers/reviewer-connection.ts";
import type { SentRequest } from "../../src/gate/reviewers/reviewer-connection.ts";
import { scriptedReviewer } from "../../src/testing/reviewers.ts";
import { coreTools } from "../../src/tools/core-tools.ts";
import { toolsOfTier, toolsWithCapabilities } from "../../src/tools/choose-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { ToolGroup } from "../../src/tools/tool-group.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { answers, askAll, readTool } from "./seed-engine.ts";

const parameters = { type: "object", properties: { text: { type: "string" } } } as const;
/** Works outside of the sandbox, so that every mode asks about it. */
const send = defineTool({
  name: "send",
  description: "Sends a text away",
  contained: false,
  parameters,
  execute: ({ text }) => `sent ${text}`,
});
const approve = { decision: "approve" } as const;
const deny = { decision: "deny" } as const;

/** The user's policy, for the time of a test: a remembered rule is written to it. */
let configHome: string;
beforeEach(async () => {
  configHome = await mkdtemp(join(tmpdir(), "cofferdam-config-"));
  vi.stubEnv("XDG_CONFIG_HOME", configHome);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(configHome, { recursive: true });
});

describe("Chimera", () => {
  it("CH-31 an answer counts once or from then on, and whoever is asked again denies again", async () => {
    const reviewer = scriptedReviewer([approve, deny, { ...approve, remember: "always" }]);
    await using temporary = await temporaryEngine({ tools: [send], reviewer });
    const texts = ["once", "not once", "always", "and so on"];
    const results = [];
    for (const text of texts) results.push(...(await askAll(temporary.engine, ["send", { text }])));
    expect(results.map((result) => (result.success ? result.output : result.errorKind))).toEqual([
      "sent once",
      "denied",
      "sent always",
      "sent and so on",
    ]);
    expect(reviewer.requests.map(({ input }) => input)).toEqual(texts.slice(0, 3).map((text) => ({ text })));
  });

  it("CH-32 what was denied three times is denied without asking", async () => {
    const reviewer = scriptedReviewer([deny, deny, deny]);
    await using temporary = await temporaryEngine({ tools: [send], reviewer, maxRepeats: 9 });
    const results = [];
    for (const _time of [1, 2, 3, 4, 5]) results.push(...(await askAll(temporary.engine, ["send", { text: "a" }])));
    expect(reviewer.requests).toHaveLength(3);
    expect(results.map((result) => !result.success && result.error)).toEqual([
      ...Array.from({ length: 3 }, () => 'Permission denied for "send": the reviewer denied it'),
      ...Array.from({ length: 2 }, () => expect.stringContaining("has denied this very call 3 times")),
    ]);
  });
});

describe("Echo Agent", () => {
  it("EC-40 approvals wait where another process answers them, once; equal ones are one, and late ones expire", async () => {
    const reviewer: Reviewer = async ({ enqueue }) => await enqueue();
    await using asking = await temporaryEngine({ tools: [send], reviewer, approvalTimeoutMs: 60_000 });
    await using answering = await createEngine({ root: asking.root, stateHome: asking.stateHome });
    const waiting = askAll(asking.engine, ["send", { text: "a" }]);
    const again = askAll(asking.engine, ["send", { text: "a" }]);
    await expect.poll(() => answering.approvals.pending()).toHaveLength(1);
    const [pending] = answering.approvals.pending();
    expect(pending).toMatchObject({ state: "waiting", question: { tool: "send", input: { text: "a" } } });
    const forged = { id: pending!.id, digest: "0".repeat(64) };
    expect(answering.approvals.answer(forged, approve)).toEqual({ outcome: "other-digest" });
    expect(answering.approvals.answer(pending!, approve)).toEqual({ outcome: "taken" });
    expect(answering.approvals.answer(pending!, deny)).toEqual({ outcome: "too-late", state: "approved" });
    expect([...(await waiting), ...(await again)].map(({ output }) => output)).toEqual(["sent a", "sent a"]);
  });

  it("EC-40 an approval that nobody gives in time is none", async () => {
    const reviewer: Reviewer = async ({ enqueue }) => await enqueue();
    const [expired] = await answers({ tools: [send], reviewer, approvalTimeoutMs: 50 }, ["send", { text: "a" }]);
    expect(expired).toMatchObject({
      errorKind: "denied",
      attempts: 0,
      error: expect.stringContaining("nobody answered within 0.05 s"),
    });
  });

  it("EC-41 when a reviewer is disconnected, what waits for it is denied, and so is what comes", async () => {
    const sent: SentRequest[] = [];
    const connection = connectReviewer({ send: (request) => void sent.push(request) });
    await using temporary = await temporaryEngine({ tools: [send], reviewer: connection.reviewer });
    const waiting = askAll(temporary.engine, ["send", { text: "a" }], ["send", { text: "b" }]);
    await expect.poll(() => sent.length).toBeGreaterThan(0);
    connection[Symbol.dispose]();
    const later = await askAll(temporary.engine, ["send", { text: "c" }]);
    expect([...(await waiting), ...later].map((result) => !result.success && result.errorKind)).toEqual([
      "denied",
      "denied",
      "denied",
    ]);
  });

  it("EC-42 an approval counts once, for the session or always, and what is kept always is kept in a file", async () => {
    const remembering = async (answer: ReviewDecision, options: object = {}) => {
      const reviewer = scriptedReviewer([answer]);
      await using temporary = await temporaryEngine({ tools: [send], reviewer, ...options });
      const results = [];
      for (const text of ["a", "b"]) results.push(...(await askAll(temporary.engine, ["send", { text }])));
      return results.map(({ success }) => success);
    };
    expect(await remembering(approve)).toEqual([true, false]);
    expect(await remembering({ ...approve, remember: "session" })).toEqual([true, true]);
    expect(await remembering(deny)).toEqual([false, false]);
    expect(await remembering({ ...approve, remember: "always" })).toEqual([true, true]);
    const kept: unknown = JSON.parse(await readFile(join(configHome, "cofferdam", "policy.json"), "utf8"));
    expect(kept).toEqual({ allow: ["send"] });
    // Another engine asks nobody any more.
    expect(await remembering(deny)).toEqual([true, true]);
  });

  it("EC-43 a profile is a set of tools and a policy, in which deny beats whatever allows", async () => {
    const tools = [...coreTools(), send.copy({ tier: "specialist", capabilities: ["messages"] })];
    const profiles = {
      minimal: { tools: toolsWithCapabilities(tools, { any: ["files"] }), mode: "plan" },
      messaging: { tools: toolsWithCapabilities(tools, { any: ["messages"] }), mode: "dontAsk" },
      coding: { tools: toolsOfTier(tools, "core"), mode: "auto" },
      full: { tools: [new ToolGroup("full", tools)], policy: { allow: ["*"], deny: ["send"] } },
    } as const;
    const outcomes = async (options: object) => {
      const asked = [
        ["write_file", { path: "a", content: "" }],
        ["send", { text: "a" }],
      ] as const;
      const results = await answers(options, ...asked);
      return results.map((result) => (result.success ? "ran" : result.errorKind));
    };
    expect(await outcomes(profiles.minimal)).toEqual(["denied", "not-found"]);
    expect(await outcomes(profiles.messaging)).toEqual(["not-found", "denied"]);
    expect(await outcomes(profiles.coding)).toEqual(["ran", "not-found"]);
    expect(await outcomes(profiles.full)).toEqual(["ran", "denied"]);
  });
});

describe("OpenAgentSDK", () => {
  it("SW-18 a hook comes first, then rules and the mode, and a reviewer is asked what they leave open", async () => {
    const log: string[] = [];
    const reviewer = ({ tool }: { readonly tool: string }) => {
      log.push(`asked ${tool}`);
      return approve;
    };
    const names = ["blocked", "forbidden", "free", "open"];
    const results = await answers(
      {
        tools: names.map((name) => readTool(name, () => name)),
        hooks: {
          beforeCall: ({ tool }) => {
            log.push(`hook ${tool}`);
            return tool === "blocked" ? { decision: "block", reason: "no" } : undefined;
          },
        },
        policy: { deny: ["forbidden"], ask: ["open", "blocked"] },
        reviewer,
      },
      ...names.map((name) => [name] as const),
    );
    expect(log.toSorted()).toEqual(["asked open", ...names.map((name) => `hook ${name}`)].toSorted());
    expect(results.map(({ success }) => success)).toEqual([false, false, true, true]);
  });

  it("SW-19 an answer may change the input, give a reason, be remembered, and interrupt the rest", async () => {
    const reviewer = scriptedReviewer([
      { decision: "edit", input: { text: "b" } },
      { decision: "deny", reason: "not today" },
      { decision: "stop", reason: "enough" },
    ]);
    await using temporary = await temporaryEngine({ tools: [send, readTool("read", () => "read")], reviewer });
    const [edited] = await askAll(temporary.engine, ["send", { text: "a" }]);
    const [denied] = await askAll(temporary.engine, ["send", { text: "c" }]);
    const rest = await askAll(temporary.engine, ["read"], ["send", { text: "d" }], ["send", { text: "e" }]);
    expect([edited, denied]).toMatchObject([
      { output: "sent b" },
      { error: 'Permission denied for "send": the reviewer denied it: not today' },
    ]);
    expect(rest.map((result) => !result.success && result.errorKind)).toEqual(["cancelled", "denied", "cancelled"]);
  });

  it.each([
    ["default", { mode: "default" }, ["ran", "ran", "asked", "asked"]],
    ["acceptEdits", { mode: "acceptEdits" }, ["ran", "ran", "asked", "asked"]],
    ["bypassPermissions", { policy: { allow: ["*"] } }, ["ran", "ran", "ran", "ran"]],
    ["plan", { mode: "plan" }, ["ran", "denied", "denied", "denied"]],
    ["dontAsk", { mode: "dontAsk" }, ["ran", "ran", "denied", "denied"]],
    ["auto", { mode: "auto" }, ["ran", "ran", "ran", "asked"]],
  ] as const)(
    "SW-20 the mode %s of old is a mode or a rule, and reads run in each",
    async (_mode, options, expected) => {
      const plain = (["read", "write", "exec"] as const).map((risk) =>
        defineTool({ name: risk, description: "Does nothing", risk, execute: () => "" }),
      );
      const asked: string[] = [];
      const reviewer = ({ tool }: { readonly tool: string }) => {
        asked.push(tool);
        return deny;
      };
      const tools = [...plain, send];
      const results = await answers({ tools, reviewer, ...options }, ...tools.map(({ name }) => [name] as const));
      const found = results.map(({ tool, success }) => (success ? "ran" : asked.includes(tool) ? "asked" : "denied"));
      expect(found).toEqual(expected);
    },
  );
});
