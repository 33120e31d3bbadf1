import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Effect, ReviewDecision, Reviewer } from "../../src/contract/gate.ts";
import { Gate } from "../../src/gate/gate.ts";
import type { GateDecision } from "../../src/gate/gate.ts";
import type { GateRequest } from "../../src/gate/gate-request.ts";
import type { Policy } from "../../src/gate/policy.ts";
import { parseRule } from "../../src/gate/rule.ts";
import { deepFreeze } from "../../src/schema/deep-freeze.ts";
import { scriptedReviewer } from "../../src/testing/reviewers.ts";

const SESSION = { decision: "approve", remember: "session" } as const;
const ALWAYS = { decision: "approve", remember: "always" } as const;
const NO_RULE = "no rule would be narrow enough";
const APPROVE = { decision: "approve" } as const;
const DENY = { decision: "deny" } as const;

describe("Gate.decide(), with what was approved before", () => {
  it("does not ask again about the very exec call that was approved for the session, and about another one it does", async () => {
    const reviewer = scriptedReviewer([SESSION, DENY]);
    const { gate } = gateWith({ reviewer });
    const decisions = [];
    for (const command of ["ls", "ls", "ls -a"]) decisions.push(await gate.decide(exec({ command })));
    expect(decisions.map(told)).toEqual([
      'reviewer: the mode "default" says so for exec tools',
      "reviewer: the reviewer approved it for the session",
      "reviewer denied: the reviewer denied it",
    ]);
    expect(reviewer.requests.map(({ input }) => input)).toEqual([{ command: "ls" }, { command: "ls -a" }]);
  });

  it("covers every input of an in-process tool for the session, until its schema changes", async () => {
    const reviewer = scriptedReviewer([SESSION, DENY]);
    const { gate } = gateWith({ reviewer, rules: { ask: ["write_file"] } });
    await gate.decide(write({ path: "a" }));
    expect(told(await gate.decide(write({ path: "b" })))).toBe("reviewer: the reviewer approved it for the session");
    const changed = { ...write({ path: "b" }), schemaFingerprint: "other" };
    expect(told(await gate.decide(changed))).toBe("reviewer denied: the reviewer denied it");
  });

  it("asks each time what the tool itself asks about, whatever was approved for the policy's sake", async () => {
    const reviewer = scriptedReviewer([SESSION, APPROVE]);
    const { gate } = gateWith({ reviewer, rules: { ask: ["write_file"] } });
    await gate.decide(write({ path: "a" }));
    const authorize = () => ({ effect: "ask", reason: "it is a branch that others use" }) as const;
    await gate.decide({ ...write({ path: "b" }), authorize });
    expect(reviewer.requests.map(({ input }) => input)).toEqual([{ path: "a" }, { path: "b" }]);
  });

  it("lets a deny rule stand against what was approved for the session", async () => {
    const { gate, setRules } = gateWith({ reviewer: scriptedReviewer([SESSION]), rules: { ask: ["write_file"] } });
    await gate.decide(write({}));
    setRules({ deny: ["write_file"] });
    expect(told(await gate.decide(write({})))).toBe('policy denied: the rule "deny write_file" of the test says so');
  });

  it("writes the rule that was offered when it is approved for good, and needs nobody from then on", async () => {
    const reviewer = scriptedReviewer([ALWAYS]);
    const { gate, written } = gateWith({ reviewer });
    expect(told(await gate.decide(remote({ title: "a" })))).toBe('reviewer: the mode "default" says so for exec tools');
    const description = 'every call of "mcp__issues__create", with any input, outside of the sandbox';
    expect(reviewer.requests[0]?.reach).toEqual({
      session: description,
      always: { rule: "mcp__issues__create", description },
    });
    expect(written).toEqual(["mcp__issues__create"]);
    expect(told(await gate.decide(remote({ title: "b" })))).toBe("reviewer: the reviewer approved it for the session");
  });

  it.each(["command", "code", "script", "args", "sql", "file_path"])(
    "offers no rule for a tool that is given what to run as %s",
    async (key) => {
      const reviewer = scriptedReviewer([APPROVE]);
      await gateWith({ reviewer }).gate.decide(remote({ [key]: "x" }));
      expect(reviewer.requests[0]?.reach).toEqual({ session: '"mcp__issues__create" with exactly this input' });
    },
  );

  const notOffered = [
    { what: "a command for good", request: exec({ command: "ls | sh" }), rules: {}, answer: ALWAYS, why: NO_RULE },
    {
      what: "what an ask rule asks for good",
      request: write({}),
      rules: { ask: ["write_file"] },
      answer: ALWAYS,
      why: NO_RULE,
    },
    {
      what: "a tool that wants approval each time for the session",
      request: { ...exec({}), tool: { name: "shell", risk: "exec", requiresApproval: true } } as const,
      rules: {},
      answer: SESSION,
      why: "it is asked each time",
    },
  ];
  it.each(notOffered)("denies instead of remembering $what", async ({ request, rules, answer, why }) => {
    const { gate, written } = gateWith({ reviewer: () => answer, rules });
    expect(told(await gate.decide(request))).toBe(
      `reviewer denied: the reviewer failed: "${answer.remember}" is no answer to this request: ${why}`,
    );
    expect(written).toEqual([]);
  });

  it("denies when the rule cannot be written", async () => {
    const { gate } = gateWith({ reviewer: () => ALWAYS, failsToWrite: "the disk is full" });
    expect(told(await gate.decide(remote({})))).toBe(
      "reviewer denied: the reviewer failed: the reviewer approved it for good, and the rule could not be written: the disk is full",
    );
  });
});

describe("Gate.decide(), with what was denied before", () => {
  it("asks nobody about a call that was denied three times, and still asks about others", async () => {
    const reviewer = scriptedReviewer([DENY, DENY, DENY, DENY]);
    const { gate } = gateWith({ reviewer });
    const decisions = [];
    for (let round = 0; round < 5; round += 1) decisions.push(told(await gate.decide(exec({ command: "rm" }))));
    const again =
      "reviewer denied: the reviewer has denied this very call 3 times and is not asked again; do something else";
    expect(decisions.slice(2)).toEqual(["reviewer denied: the reviewer denied it", again, again]);
    expect(told(await gate.decide(exec({ command: "ls" })))).toBe("reviewer denied: the reviewer denied it");
    expect(reviewer.requests).toHaveLength(4);
  });

  it("counts anew after an approval, and counts neither expiry nor failure", async () => {
    const broken = { decision: "nonsense" } as never;
    const reviewer = scriptedReviewer([DENY, DENY, APPROVE, DENY, DENY, broken, broken, DENY]);
    const { gate } = gateWith({ reviewer });
    for (let round = 0; round < 9; round += 1) await gate.decide(exec(undefined));
    expect(reviewer.requests).toHaveLength(8);
  });

  it("says that it is no use when one deny rule is run into again and again", async () => {
    const { gate } = gateWith({ rules: { deny: ["shell"] } });
    const decisions = [];
    for (const command of ["a", "b", "c"]) decisions.push(told(await gate.decide(exec({ command }))));
    expect(decisions[1]).toBe('policy denied: the rule "deny shell" of the test says so');
    expect(decisions[2]).toBe(
      'policy denied: the rule "deny shell" of the test says so; this is denial 3 by this rule, and asking again changes nothing',
    );
  });
});

describe("Gate.decide(), of the same call twice at once", () => {
  it("puts one question, gives each call a permit of its own, and asks anew once it is answered", async () => {
    const asked: PromiseWithResolvers<ReviewDecision>[] = [];
    const { gate } = gateWith({ reviewer: async () => await promised(asked) });
    const both = [gate.decide(exec(undefined, "1")), gate.decide(exec(undefined, "2"))];
    const other = gate.decide(exec({ command: "other" }, "3"));
    await turn();
    expect(asked).toHaveLength(2);
    for (const { resolve } of asked) resolve(APPROVE);
    const [first, second] = await Promise.all(both);
    expect([told(first!), told(second!), told(await other)]).toEqual(
      Array(3).fill('reviewer: the mode "default" says so for exec tools'),
    );
    const [one, two] = [first, second].map((decision) => (decision as { readonly permit?: object }).permit);
    expect(one).not.toBe(two);
    const third = gate.decide(exec(undefined, "4"));
    await turn();
    expect(asked).toHaveLength(3);
    asked[2]!.resolve(DENY);
    expect(told(await third)).toBe("reviewer denied: the reviewer denied it");
  });

  it("goes on while one of them waits, takes the question back when none does, and counts one denial for both", async () => {
    const asked: (PromiseWithResolvers<ReviewDecision> & { readonly signal: AbortSignal })[] = [];
    const reviewer: Reviewer = async ({ signal }) => await promised(asked, { signal });
    const { gate } = gateWith({ reviewer });
    const [left, stays] = [new AbortController(), new AbortController()];
    const decisions = [exec(undefined, "1", left.signal), exec(undefined, "2", stays.signal)].map(async (each) =>
      gate.decide(each),
    );
    await turn();
    left.abort();
    expect(await decisions[0]).toEqual({ outcome: "cancelled" });
    expect(asked[0]!.signal.aborted).toBe(false);
    stays.abort();
    expect(await decisions[1]).toEqual({ outcome: "cancelled" });
    expect(asked[0]!.signal.aborted).toBe(true);
    for (let round = 1; round <= 3; round += 1) {
      const pair = [gate.decide(exec(undefined, "a")), gate.decide(exec(undefined, "b"))];
      await turn();
      asked[round]!.resolve(DENY);
      expect((await Promise.all(pair)).map(told)).toEqual(Array(2).fill("reviewer denied: the reviewer denied it"));
    }
    expect(asked).toHaveLength(4);
  });
});

interface Setting {
  readonly reviewer?: Reviewer;
  readonly rules?: Partial<Record<Effect, readonly string[]>>;
  readonly failsToWrite?: string;
}

function gateWith({ reviewer, rules = {}, failsToWrite }: Setting) {
  const written: string[] = [];
  const parsed = [...rulesOf(rules)];
  const gate = new Gate({
    root: "/repository",
    policies: usable({
      mode: "default",
      rules: parsed,
      hide: [],
      workspace: {},
      sandbox: {},
      digest: "p",
      notices: [],
    }),
    ...(reviewer === undefined ? {} : { reviewer }),
    approvalTimeoutMs: 60_000,
    clock: () => 0,
    approvals: { ask: async () => await Promise.reject(new Error("Nothing was to be enqueued")) },
    addUserRule: async (rule) => {
      await turn();
      if (failsToWrite !== undefined) throw new Error(failsToWrite);
      written.push(rule);
    },
  });
  const setRules = (next: NonNullable<Setting["rules"]>): void => {
    parsed.splice(0, parsed.length, ...rulesOf(next));
  };
  return { gate, written, setRules };
}

function rulesOf(rules: NonNullable<Setting["rules"]>) {
  return (["allow", "ask", "deny"] as const).flatMap((effect) =>
    (rules[effect] ?? []).map((rule) => parseRule(rule, { effect, source: "the test" })),
  );
}

function exec(input: unknown = { command: "ls" }, callId = "1", signal = new AbortController().signal): GateRequest {
  return {
    callId,
    tool: { name: "shell", risk: "exec", requiresApproval: false },
    schemaFingerprint: "f",
    input: deepFreeze(input),
    describe: () => "runs it",
    backend: "docker",
    timeoutMs: 5_000,
    signal,
  };
}

function write(input: unknown): GateRequest {
  const { backend: _backend, ...request } = exec(input);
  return { ...request, tool: { name: "write_file", risk: "write", requiresApproval: false } };
}

function remote(input: unknown): GateRequest {
  const { backend: _backend, ...request } = exec(input);
  return {
    ...request,
    tool: { name: "mcp__issues__create", risk: "exec", requiresApproval: false, contained: false },
  };
}

function told(decision: GateDecision): string {
  switch (decision.outcome) {
    case "permitted":
      return `${decision.decidedBy}: ${decision.verdict.reason}`;
    case "denied":
      return `${decision.decidedBy} denied: ${decision.reason}`;
    default:
      return decision.outcome;
  }
}

async function promised<More extends object>(
  list: (PromiseWithResolvers<ReviewDecision> & More)[],
  more?: More,
): Promise<ReviewDecision> {
  // Without `More` there is nothing to add.
  const waiting = { ...Promise.withResolvers<ReviewDecision>(), ...(more ?? ({} as More)) };
  list.push(waiting);
  return await waiting.promise;
}

function usable(policy: Policy): ConstructorParameters<typeof Gate>[0]["policies"] {
  return { state: { status: "usable", policy }, refresh: () => undefined };
}
