import { describe, expect, it } from "vitest";
import type { ApprovalRequest, PolicyMode, ReviewDecision, Reviewer } from "../../src/contract/gate.ts";
import { Gate } from "../../src/gate/gate.ts";
import type { GateDecision } from "../../src/gate/gate.ts";
import type { GateRequest } from "../../src/gate/gate-request.ts";
import type { Policy } from "../../src/gate/policy.ts";
import { parseRule } from "../../src/gate/rule.ts";
import { deepFreeze } from "../../src/schema/deep-freeze.ts";

describe("Gate.decide()", () => {
  it("permits an allowed call without asking anybody", async () => {
    const decision = await gate({ reviewer: unexpected }).decide(request({ risk: "read" }));
    expect(summary(decision)).toEqual({
      outcome: "permitted",
      reason: 'the mode "default" says so for read tools',
      decidedBy: "policy",
    });
  });

  it("denies what has to be asked when there is no reviewer", async () => {
    expect(await gate({}).decide(request())).toEqual({
      outcome: "denied",
      reason: 'it has to be approved (the mode "default" says so for exec tools) and nobody is there to answer',
      decidedBy: "nobody",
    });
  });

  it("denies what has to be asked in the mode dontAsk, reviewer or not", async () => {
    expect(await gate({ mode: "dontAsk", reviewer: unexpected }).decide(request())).toEqual({
      outcome: "denied",
      reason:
        'it has to be approved (the mode "dontAsk" says so for exec tools) and the mode "dontAsk" turns that into a denial',
      decidedBy: "policy",
    });
  });

  it("shows the reviewer a copy of exactly what will run", async () => {
    const seen: ApprovalRequest[] = [];
    const input = Object.freeze({ command: "ls" });
    const reviewer: Reviewer = (asked) => {
      seen.push({ ...asked, input: structuredClone(asked.input) });
      Object.assign(asked.input as object, { command: "rm -rf /" });
      return { decision: "approve" };
    };
    const decision = await gate({ reviewer }).decide(request({ input }));
    expect(decision.outcome).toBe("permitted");
    expect(input).toEqual({ command: "ls" });
    expect(seen).toEqual([
      {
        callId: "1",
        tool: "shell",
        risk: "exec",
        input: { command: "ls" },
        description: "runs ls",
        reason: 'the mode "default" says so for exec tools',
        backend: "docker",
        timeoutMs: 5_000,
        reach: {
          session: '"shell" with exactly this input',
          always: {
            rule: "shell(ls)",
            description: "a command of exactly these words, alone or as a part of a longer line",
          },
        },
        signal: expect.any(AbortSignal),
        enqueue: expect.any(Function),
      },
    ]);
  });

  const answers: readonly [string, unknown, unknown][] = [
    ["deny", { decision: "deny" }, { outcome: "denied", reason: "the reviewer denied it", decidedBy: "reviewer" }],
    [
      "deny with a reason",
      { decision: "deny", reason: "no" },
      { outcome: "denied", reason: "the reviewer denied it: no", decidedBy: "reviewer" },
    ],
    [
      "stop",
      { decision: "stop", reason: "enough" },
      {
        outcome: "denied",
        reason: "the reviewer stopped this and every other call of its batch: enough",
        decidedBy: "reviewer",
        stopsBatch: true,
      },
    ],
    [
      "escalate, with nobody behind it",
      { decision: "escalate" },
      { outcome: "denied", reason: "every reviewer left the decision to another one", decidedBy: "nobody" },
    ],
    ["edit", { decision: "edit", input: { command: "pwd" } }, { outcome: "edited", input: { command: "pwd" } }],
    [
      "nothing",
      undefined,
      { outcome: "denied", reason: "the reviewer failed: it did not answer with a decision", decidedBy: "reviewer" },
    ],
    [
      "true",
      true,
      { outcome: "denied", reason: "the reviewer failed: it did not answer with a decision", decidedBy: "reviewer" },
    ],
    [
      "a word it does not know",
      { decision: "ok" },
      { outcome: "denied", reason: "the reviewer failed: it did not answer with a decision", decidedBy: "reviewer" },
    ],
    [
      "a reason that is no text",
      { decision: "deny", reason: { toString: null } },
      { outcome: "denied", reason: "the reviewer failed: it did not answer with a decision", decidedBy: "reviewer" },
    ],
    [
      "something else to remember",
      { decision: "approve", remember: "forever" },
      { outcome: "denied", reason: "the reviewer failed: it did not answer with a decision", decidedBy: "reviewer" },
    ],
    [
      "an edit without input",
      { decision: "edit" },
      { outcome: "denied", reason: "the reviewer failed: it did not answer with a decision", decidedBy: "reviewer" },
    ],
  ];
  it.each(answers)("takes the answer %s", async (_title, answer, expected) => {
    const decision = await gate({ reviewer: () => answer as ReviewDecision }).decide(request());
    expect(decision).toEqual(expected);
  });

  it("denies when the reviewer throws, at once or later", async () => {
    const failed = { outcome: "denied", reason: "the reviewer failed: out of order", decidedBy: "reviewer" };
    const throwing: Reviewer = () => {
      throw new Error("out of order");
    };
    expect(await gate({ reviewer: throwing }).decide(request())).toEqual(failed);
    const rejecting: Reviewer = async () => await Promise.reject(new Error("out of order"));
    expect(await gate({ reviewer: rejecting }).decide(request())).toEqual(failed);
  });

  it("denies and tells the reviewer when nobody answers in time", async () => {
    let signal: AbortSignal | undefined;
    const silent: Reviewer = (asked) => {
      ({ signal } = asked);
      return new Promise(() => undefined);
    };
    expect(await gate({ reviewer: silent, approvalTimeoutMs: 20 }).decide(request())).toEqual({
      outcome: "denied",
      reason: "nobody answered within 0.02 s",
      decidedBy: "expiry",
    });
    expect(signal?.aborted).toBe(true);
  });

  it("is cancelled with the call, before and while the reviewer is asked", async () => {
    expect(await gate({ reviewer: unexpected }).decide(request({ signal: AbortSignal.abort() }))).toEqual({
      outcome: "cancelled",
    });
    const controller = new AbortController();
    const silent: Reviewer = () => {
      controller.abort();
      return new Promise(() => undefined);
    };
    expect(await gate({ reviewer: silent }).decide(request({ signal: controller.signal }))).toEqual({
      outcome: "cancelled",
    });
  });

  it("does not ask a second time about the reviewer's own edit, and lets a deny rule stand", async () => {
    const edited = await gate({ reviewer: unexpected }).decide(request(), true);
    expect(summary(edited)).toMatchObject({ outcome: "permitted", decidedBy: "reviewer" });
    const denied = await gate({ reviewer: unexpected, deny: "shell" }).decide(request(), true);
    expect(denied).toEqual({
      outcome: "denied",
      reason: 'the rule "deny shell" of the test says so',
      decidedBy: "policy",
    });
  });
});

function gate(options: {
  readonly mode?: PolicyMode;
  readonly reviewer?: Reviewer;
  readonly approvalTimeoutMs?: number;
  readonly deny?: string;
}): Gate {
  const rules = options.deny === undefined ? [] : [parseRule(options.deny, { effect: "deny", source: "the test" })];
  return new Gate({
    root: "/repository",
    policies: usable({
      mode: options.mode ?? "default",
      rules,
      hide: [],
      workspace: {},
      sandbox: {},
      digest: "p",
      notices: [],
    }),
    ...(options.reviewer === undefined ? {} : { reviewer: options.reviewer }),
    approvalTimeoutMs: options.approvalTimeoutMs ?? 60_000,
    clock: () => 0,
    approvals: { ask: async () => await Promise.reject(new Error("Nothing was to be enqueued")) },
    addUserRule: async () => await Promise.reject(new Error("No rule was to be written")),
  });
}

function request(
  change: { readonly risk?: "read" | "exec"; readonly input?: unknown; readonly signal?: AbortSignal } = {},
): GateRequest {
  return {
    callId: "1",
    tool: { name: "shell", risk: change.risk ?? "exec", requiresApproval: false },
    schemaFingerprint: "f",
    input: deepFreeze(change.input ?? { command: "ls" }),
    describe: () => "runs ls",
    backend: "docker",
    timeoutMs: 5_000,
    signal: change.signal ?? new AbortController().signal,
  };
}

function summary(decision: GateDecision): unknown {
  if (decision.outcome !== "permitted") return decision;
  const { outcome, verdict, decidedBy } = decision;
  return { outcome, reason: verdict.reason, decidedBy };
}

const unexpected: Reviewer = () => {
  throw new Error("The reviewer was asked");
};

function usable(policy: Policy): ConstructorParameters<typeof Gate>[0]["policies"] {
  return { state: { status: "usable", policy }, refresh: () => undefined };
}
