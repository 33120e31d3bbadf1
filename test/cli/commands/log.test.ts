import { describe, expect, it } from "vitest";
import type { JournalRecord, JournalVerification } from "../../../src/contract/record.ts";
import { runTestProgram } from "../test-context.ts";

const HASH = "a1".repeat(32);
const read: JournalRecord = {
  sequence: 1,
  hash: HASH,
  callId: "1",
  tool: "read_file",
  risk: "read",
  startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  durationMs: 7,
  attempts: 1,
  outcome: "success",
  input: { path: "a" },
  verdict: 'the mode "default" says so for read tools',
  decidedBy: "policy",
};
const run: JournalRecord = {
  ...read,
  sequence: 2,
  tool: "shell",
  risk: "exec",
  durationMs: 61_250,
  layer: 3,
  verdict: 'the mode "default" says so for exec tools',
  decidedBy: "reviewer",
};
const denied: JournalRecord = {
  ...read,
  sequence: 3,
  tool: "a\u001B[2Jb",
  durationMs: 0,
  attempts: 0,
  outcome: "denied",
  error: `no\u202E ${"x".repeat(200)}`,
  decidedBy: "reviewer",
};

/** A journal with these records, the newest last. */
function journalOf(...records: readonly JournalRecord[]) {
  const verify = (): JournalVerification => {
    throw new Error("nobody asked to verify");
  };
  return { recent: (limit: number) => records.toReversed().slice(0, limit), verify };
}

function verified(found: JournalVerification) {
  return { ...journalOf(), verify: () => found };
}

describe("cofferdam log", () => {
  it("shows the calls, the newest last, with nothing that could drive the terminal", async () => {
    const ran = await runTestProgram(["log"], { engine: { journal: journalOf(read, run, denied) } });
    expect(ran).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: [
        "time                      tool       outcome  duration  layer  reason",
        '2026-01-02T03:04:05.006Z  read_file  success  7 ms      -      the mode "default" says so for read tools',
        '2026-01-02T03:04:05.006Z  shell      success  61.3 s    3      approved by the reviewer, who was asked because the mode "default" says so for exec tools',
        `2026-01-02T03:04:05.006Z  a\\x1b[2Jb  denied   0 ms      -      no\\u{202e} ${"x".repeat(116)}…`,
        "",
      ].join("\n"),
    });
  });

  it("shows as many as asked, twenty without a number, and says when there are none", async () => {
    const many = Array.from({ length: 30 }, (_, n) => ({ ...read, sequence: n }));
    const lines = async (...words: string[]) => {
      const { stdout } = await runTestProgram(["log", ...words], { engine: { journal: journalOf(...many) } });
      return stdout.trimEnd().split("\n").length - 1;
    };
    expect(await lines()).toBe(20);
    expect(await lines("-n", "25")).toBe(25);
    const empty = await runTestProgram(["log"], { engine: { journal: journalOf() } });
    expect(empty.stdout).toBe("The journal is empty\n");
  });

  it("prints one JSON object per line with --json, on a terminal too", async () => {
    const engine = { journal: journalOf(read, denied) };
    const ran = await runTestProgram(["log", "--json"], { engine, terminal: true });
    expect(ran.stdout).not.toContain("\u001B");
    expect(
      ran.stdout
        .trimEnd()
        .split("\n")
        .map((line): unknown => JSON.parse(line)),
    ).toEqual([read, denied]);
    const empty = await runTestProgram(["log", "--json"], { engine: { journal: journalOf() } });
    expect(empty.stdout).toBe("");
  });

  it.each(["0", "-1", "x", "1.5", "1e3", "1000001"])("refuses to show %s calls", async (count) => {
    const ran = await runTestProgram(["log", `--limit=${count}`]);
    expect(ran).toMatchObject({
      exitCode: 2,
      opened: [],
      stderr: `cofferdam: Cannot use --limit "${count}": it is no count; give a whole number from 1 to 1000000\n`,
    });
  });
});

describe("cofferdam log --verify", () => {
  it.each<[JournalVerification, string]>([
    [
      { status: "intact", records: 1_234, unchained: 0, newest: { sequence: 5_678, hash: HASH } },
      `The journal is as it was written: 1,234 records fit; record 5678 is the newest and has the hash ${HASH}\n`,
    ],
    [
      { status: "intact", records: 1, unchained: 2, newest: { sequence: 3, hash: HASH } },
      `The journal is as it was written: 1 record fits; record 3 is the newest and has the hash ${HASH}\n2 records from before the chain of hashes cannot be checked\n`,
    ],
    [{ status: "intact", records: 0, unchained: 0 }, "The journal is as it was written: 0 records fit\n"],
  ])("says that all is well and exits with 0: %o", async (found, stdout) => {
    const ran = await runTestProgram(["log", "--verify"], { engine: { journal: verified(found) } });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "", stdout });
  });

  it.each([
    ["altered", "record 8 does not fit, so it or the one before it was changed"],
    ["missing", "record 8 is missing"],
    ["unexpected", "record 8 was added by something else"],
  ] as const)("says which record does not fit and exits with 1 when it is %s", async (problem, sentence) => {
    const found = { status: "broken", records: 7, unchained: 0, sequence: 8, problem } as const;
    const ran = await runTestProgram(["log", "--verify"], { engine: { journal: verified(found) } });
    const stdout = `The journal has been changed: ${sentence}; 7 records before it fit\n`;
    expect(ran).toMatchObject({ exitCode: 1, stdout });
    const asJson = await runTestProgram(["log", "--verify", "--json"], { engine: { journal: verified(found) } });
    expect(asJson.exitCode).toBe(1);
    expect(JSON.parse(asJson.stdout)).toEqual(found);
  });

  it("refuses a number beside it, since it always looks at all of them", async () => {
    const ran = await runTestProgram(["log", "--verify", "-n", "5"]);
    expect(ran).toMatchObject({ exitCode: 2, opened: [] });
    expect(ran.stderr).toBe(
      'cofferdam: Option "--verify" cannot be used with option "-n, --limit <count>"; see "cofferdam log --help"\n',
    );
  });
});
