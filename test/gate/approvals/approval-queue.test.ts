import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApprovalQuestion } from "../../../src/contract/gate.ts";
import { StateError } from "../../../src/errors/state-error.ts";
import { ApprovalQueue } from "../../../src/gate/approvals/approval-queue.ts";
import { openDatabase } from "../../../src/state/database.ts";
import { takeSeat } from "../../../src/state/seat.ts";
import type { Seat } from "../../../src/state/seat.ts";

const QUESTION: ApprovalQuestion = {
  callId: "1",
  tool: "shell",
  risk: "exec",
  input: { command: "npm test", secret: "in the input" },
  description: "runs a command",
  reason: "it says so",
  backend: "docker",
  timeoutMs: 1_000,
  reach: { session: "the same again" },
};

describe("ApprovalQueue", () => {
  let directory: string;
  let now: number;
  let asking: Side;
  let answering: Side;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-approvals-"));
    now = 1_000_000;
    asking = open();
    answering = open();
  });
  afterEach(async () => {
    for (const { database, seat } of [asking, answering]) {
      database.close();
      seat[Symbol.dispose]();
    }
    await rm(directory, { recursive: true });
  });

  /** Two of them are two processes to each other: each has its own connection, seat and key. */
  function open(): Side {
    const database = openDatabase(join(directory, "state.sqlite"));
    const seat = takeSeat(join(directory, "seats"));
    const places = { stateDirectory: directory, seatsDirectory: join(directory, "seats") };
    return { database, seat, queue: new ApprovalQueue({ ...places, database, seatId: seat.id, clock: () => now }) };
  }

  const ask = (signal = new AbortController().signal, question = QUESTION) => {
    const answer = asking.queue.ask(question, { expiresAtMs: now + 60_000, signal });
    // Its failure is looked at later.
    answer.catch(() => undefined);
    return answer;
  };
  const only = () => answering.queue.pending()[0]!;

  it("shows the whole question to another process and takes its answer", async () => {
    const answer = ask();
    expect(answering.queue.pending()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{10}$/),
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        state: "waiting",
        askedAt: new Date(1_000_000),
        expiresAt: new Date(1_060_000),
        question: QUESTION,
      },
    ]);
    const decision = { decision: "approve", remember: "session" } as const;
    expect(answering.queue.answer(only(), decision)).toEqual({ outcome: "taken" });
    expect(await answer).toEqual(decision);
    expect(answering.queue.pending()).toEqual([]);
  });

  it("counts the first of two answers and tells the second what became of it", async () => {
    const answer = ask();
    const shown = only();
    expect(asking.queue.answer(shown, { decision: "deny", reason: "no" })).toEqual({ outcome: "taken" });
    const late = { outcome: "too-late", state: "denied" };
    expect(answering.queue.answer(shown, { decision: "approve" })).toEqual(late);
    expect(await answer).toEqual({ decision: "deny", reason: "no" });
    expect(answering.queue.answer(shown, { decision: "approve" })).toEqual(late);
  });

  it("takes no answer to an unknown question, or to another one than was shown", () => {
    void ask();
    const { id, digest } = only();
    expect(answering.queue.answer({ id: "0000000000", digest }, { decision: "approve" })).toEqual({
      outcome: "unknown",
    });
    expect(answering.queue.answer({ id, digest: "0".repeat(64) }, { decision: "approve" })).toEqual({
      outcome: "other-digest",
    });
  });

  it("keeps nothing of what was asked once it is over", async () => {
    const over = new AbortController();
    const [withdrawn, answered] = [ask(over.signal), ask()];
    over.abort(new Error("cancelled"));
    await expect(withdrawn).rejects.toThrow("aborted");
    answering.queue.answer(only(), { decision: "edit", input: { secret: "in the input" } });
    await answered;
    const rows = answering.database.prepare("SELECT * FROM approvals").all();
    expect(rows.map(({ state }) => state)).toEqual(["withdrawn", "approved"]);
    expect(JSON.stringify(rows)).not.toContain("in the input");
  });

  it("is over when it expires, whether its process says so or not", async () => {
    const over = new AbortController();
    const answer = ask(over.signal);
    const shown = only();
    now += 60_000;
    expect(answering.queue.pending()).toEqual([]);
    expect(answering.queue.answer(shown, { decision: "approve" })).toEqual({ outcome: "too-late", state: "expired" });
    over.abort();
    await expect(answer).rejects.toThrow("aborted");
    expect(answering.queue.answer(shown, { decision: "approve" })).toEqual({ outcome: "too-late", state: "expired" });
  });

  it("marks what a dead process asked as gone, takes no answer to it, and forgets it when it expires", async () => {
    void ask();
    expect(only().state).toBe("waiting");
    const { id } = asking.seat;
    asking.seat[Symbol.dispose]();
    asking = { ...asking, seat: takeSeat(join(directory, "seats")) };
    expect(asking.seat.id).not.toBe(id);
    const shown = only();
    expect(shown.state).toBe("gone");
    expect(answering.queue.answer(shown, { decision: "approve" })).toEqual({ outcome: "too-late", state: "gone" });
    now += 60_000;
    const next = answering.queue.ask(QUESTION, { expiresAtMs: now + 1, signal: AbortSignal.timeout(50) });
    await expect(next).rejects.toThrow("aborted");
    const [row] = answering.database.prepare("SELECT state, question FROM approvals").all();
    expect(row).toEqual({ state: "expired", question: null });
  });

  describe("with somebody who can write to the database and has no key", () => {
    it("takes no answer that is not signed, nor the answer to another question", async () => {
      const first = ask();
      const { id, digest } = only();
      answering.queue.answer({ id, digest }, { decision: "approve" });
      await first;
      const [{ answer_signature } = {}] = answering.database.prepare("SELECT answer_signature FROM approvals").all();
      const second = ask();
      answering.database
        .prepare("UPDATE approvals SET state = 'approved', answer = ?, answer_signature = ? WHERE state = 'pending'")
        .run('{"decision":"approve"}', answer_signature ?? "");
      await expect(second).rejects.toThrow(
        /^Cannot take the answer to the approval "[0-9a-f]{10}": it is not signed with the key of the state directory$/,
      );
    });

    it("shows and answers no question that was changed, and none that was made up", () => {
      void ask();
      const shown = only();
      answering.database.prepare("UPDATE approvals SET question = replace(question, 'npm test', 'true')").run();
      const message = `Cannot use the approval "${shown.id}": it is not what its process asked; somebody else wrote to the state directory`;
      expect(() => answering.queue.pending()).toThrow(new StateError(message));
      expect(() => answering.queue.answer(shown, { decision: "approve" })).toThrow(new StateError(message));
    });

    it("holds a question to its own deadline", () => {
      void ask();
      answering.database.prepare("UPDATE approvals SET expires_at_ms = expires_at_ms + 1").run();
      expect(() => answering.queue.pending()).toThrow(StateError);
    });
  });

  it("makes one key, readable by its owner only, and leaves nothing beside it", async () => {
    void ask();
    const keys = (await readdir(directory)).filter((name) => name.includes("key"));
    expect(keys).toEqual(["approvals.key"]);
    const { mode, size } = await stat(join(directory, "approvals.key"));
    expect([mode & 0o777, size]).toEqual([0o600, 32]);
  });

  it.each([
    ["others may read", async (file: string) => await chmod(file, 0o644)],
    ["is of another size", async (file: string) => await writeFile(file, "short")],
  ])("refuses a key that %s", async (_title, spoil) => {
    const file = join(directory, "approvals.key");
    await writeFile(file, Buffer.alloc(32), { mode: 0o600 });
    await spoil(file);
    await expect(ask()).rejects.toThrow(
      new StateError(
        `Cannot use the key "${file}": it is not a regular file of 32 bytes that only you can read; remove it, and a new one is made`,
      ),
    );
  });

  it("remembers five hundred that are over", async () => {
    answering.database.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
       INSERT INTO approvals (id, state, owner, asked_at_ms, expires_at_ms, signature)
       SELECT i, 'denied', '', 0, 0, '' FROM n`,
    );
    void ask();
    const rows = answering.database.prepare("SELECT count(*) AS count, min(sequence) AS oldest FROM approvals").get();
    expect(rows).toEqual({ count: 500, oldest: 102 });
  });
});

interface Side {
  readonly database: DatabaseSync;
  readonly seat: Seat;
  readonly queue: ApprovalQueue;
}
