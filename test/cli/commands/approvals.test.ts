import { describe, expect, it } from "vitest";
import type { AnswerOutcome, PendingApproval } from "../../../src/contract/approval.ts";
import type { ReviewDecision } from "../../../src/contract/gate.ts";
import { runTestProgram } from "../test-context.ts";

const DIGEST = "5be1a2c3".padEnd(64, "0");
const SHORT = pending("3f2a91c0d1", { command: "npm test" });
const LONG = pending("aaaaaaaaaa", { command: "line\n".repeat(100) });
const TOO_LONG = pending("bbbbbbbbbb", { command: "line\n".repeat(3_000) });
const GONE = { ...pending("cccccccccc", {}), state: "gone" } as const;

const SHOWN = `The tool "shell\\x07" (exec) asks to run
  Does:    runs a command
  Why:     it says so
  Runs:    for at most 1 s
  Input:
    command:
      | npm test
  Answer with: cofferdam approvals approve 3f2a91c0d1-5be1a2c3 (or deny)
  It expires in 0 s
`;

describe("approvals list", () => {
  it("shows short ones whole, names long ones, and marks those whose process died", async () => {
    const { ran } = await run(["list"], [SHORT, LONG, GONE]);
    expect(ran.stdout).toBe(
      [
        SHOWN,
        'The tool "shell\\x07" (exec) asks to run\n  It is long: "cofferdam approvals show aaaaaaaaaa" shows it whole\n',
        `The tool "shell\\x07" (exec) asks to run
  Does:    runs a command
  Why:     it says so
  Runs:    for at most 1 s
  Input:   none
  cccccccccc is gone: the process that asked has died, and the call never ran
`,
      ].join("\n"),
    );
  });

  it("says when nothing waits, and prints an empty array with --json", async () => {
    expect((await run(["list"], [])).ran.stdout).toBe("Nothing waits for an approval\n");
    expect((await run(["list", "--json"], [])).ran.stdout).toBe("[]\n");
  });

  it("prints everything that is asked with --json", async () => {
    const { ran } = await run(["list", "--json"], [SHORT]);
    expect(JSON.parse(ran.stdout)).toEqual([
      { ...SHORT, askedAt: "1970-01-01T00:00:00.000Z", expiresAt: "1970-01-01T00:01:00.000Z" },
    ]);
  });
});

describe("approvals show", () => {
  it("shows a long one whole and ends with the name to approve it by", async () => {
    const { ran } = await run(["show", LONG.id], [SHORT, LONG]);
    expect(ran.stdout.match(/\| line\n/g)).toHaveLength(100);
    expect(ran.stdout).toContain("  Answer with: cofferdam approvals approve aaaaaaaaaa-5be1a2c3 (or deny)\n");
  });

  it("offers no approval of what it had to cut", async () => {
    const { ran } = await run(["show", TOO_LONG.id], [TOO_LONG]);
    expect(ran.stdout).not.toContain("approvals approve");
    expect(ran.stdout).toContain("what is not shown whole cannot be approved");
  });
});

describe("approvals approve", () => {
  it("approves by the name that was shown", async () => {
    const { ran, answers } = await run(["approve", "3f2a91c0d1-5be1a2c3"], [SHORT]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: "Approved 3f2a91c0d1-5be1a2c3\n", stderr: "" });
    expect(answers).toEqual([[SHORT.id, DIGEST, { decision: "approve" }]]);
  });

  it.each([
    ["3f2a91c0d1", "by the id alone"],
    ["3f2a91c0d1-5be1", "by too few digits"],
    ["3f2a91c0d1-5be1a2c4", "by other digits"],
  ])("refuses %s: approved %s", async (name) => {
    const { ran, answers } = await run(["approve", name], [SHORT]);
    expect(ran).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr:
        'cofferdam: Cannot approve "3f2a91c0d1": the name to approve it by is the one that "cofferdam approvals show 3f2a91c0d1" ends with, because that is about what was shown\n',
    });
    expect(answers).toEqual([]);
  });

  it("refuses what is too long to be shown whole, and to remember what may not be", async () => {
    const long = await run(["approve", `${TOO_LONG.id}-5be1a2c3`], [TOO_LONG]);
    expect(long.ran.stderr).toBe(
      'cofferdam: Cannot approve "bbbbbbbbbb": it is too long to be shown whole, and what is not shown whole cannot be approved; deny it\n',
    );
    const remembered = await run(["approve", "3f2a91c0d1-5be1a2c3", "--remember", "always"], [SHORT]);
    expect(remembered.ran.stderr).toBe(
      'cofferdam: Cannot approve "3f2a91c0d1" with --remember "always": it may not be remembered so; approve it without\n',
    );
    expect([...long.answers, ...remembered.answers]).toEqual([]);
    const session = await run(["approve", "3f2a91c0d1-5be1a2c3", "--remember", "session"], [SHORT]);
    expect(session.answers[0]?.[2]).toEqual({ decision: "approve", remember: "session" });
  });

  it.each([
    [{ outcome: "too-late", state: "denied" }, "it has been denied already"],
    [{ outcome: "too-late", state: "gone" }, "the process that asked is gone, and the call never ran"],
    [{ outcome: "unknown" }, 'there is no such approval; "cofferdam approvals list" shows those that wait'],
  ] as const)("says that the answer was not taken: %j", async (outcome, why) => {
    const { ran } = await run(["approve", "3f2a91c0d1-5be1a2c3"], [SHORT], outcome);
    expect(ran).toMatchObject({ exitCode: 1, stdout: "", stderr: `cofferdam: Cannot answer "3f2a91c0d1": ${why}\n` });
  });

  it("says what became of one that no longer waits", async () => {
    const { ran } = await run(["approve", "3f2a91c0d1-5be1a2c3"], [], { outcome: "too-late", state: "withdrawn" });
    expect(ran.stderr).toBe(
      'cofferdam: Cannot answer "3f2a91c0d1": it has been taken back, because its call was cancelled or somebody else decided\n',
    );
  });
});

describe("approvals deny", () => {
  it.each([
    [["3f2a91c0d1"], { decision: "deny" }],
    [["3f2a91c0d1-5be1a2c3", "--reason", "not here"], { decision: "deny", reason: "not here" }],
    [["3f2a91c0d1", "--stop"], { decision: "stop" }],
  ])("denies %j", async (words, decision) => {
    const { ran, answers } = await run(["deny", ...words], [SHORT]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: "Denied 3f2a91c0d1-5be1a2c3\n" });
    expect(answers).toEqual([[SHORT.id, DIGEST, decision]]);
  });
});

function pending(id: string, input: unknown): PendingApproval {
  return {
    id,
    digest: DIGEST,
    state: "waiting",
    askedAt: new Date(0),
    expiresAt: new Date(60_000),
    question: {
      callId: "1",
      tool: "shell\u0007",
      risk: "exec",
      input,
      description: "runs a command",
      reason: "it says so",
      timeoutMs: 1_000,
      reach: { session: "the same again" },
    },
  };
}

async function run(
  words: readonly string[],
  approvals: readonly PendingApproval[],
  outcome: AnswerOutcome = { outcome: "taken" },
) {
  const answers: [string, string, ReviewDecision][] = [];
  const ran = await runTestProgram(["approvals", ...words], {
    engine: {
      approvals: {
        pending: () => approvals,
        answer: ({ id, digest }, decision) => {
          if (outcome.outcome === "taken") answers.push([id, digest, decision]);
          return outcome;
        },
      },
    },
  });
  return { ran, answers };
}
