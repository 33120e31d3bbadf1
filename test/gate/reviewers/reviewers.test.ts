import { describe, expect, it } from "vitest";
import type { ApprovalRequest, Reviewer } from "../../../src/contract/gate.ts";
import { escalate } from "../../../src/gate/reviewers/escalate.ts";
import { firstOf } from "../../../src/gate/reviewers/first-of.ts";
import { connectReviewer } from "../../../src/gate/reviewers/reviewer-connection.ts";
import type { SentRequest } from "../../../src/gate/reviewers/reviewer-connection.ts";
import { approveAll, denyAll } from "../../../src/testing/reviewers.ts";

const escalates: Reviewer = () => ({ decision: "escalate" });
const fails: Reviewer = () => {
  throw new Error("out of order");
};
const notReached: Reviewer = () => {
  throw new Error("This reviewer was not to be asked");
};

describe("escalate()", () => {
  it("takes the first decision in their order and asks nobody behind it", async () => {
    expect(await escalate(escalates, denyAll, notReached)(request())).toEqual({ decision: "deny" });
  });

  it("escalates itself when all of them do, and when there are none", async () => {
    expect(await escalate(escalates, escalates)(request())).toEqual({ decision: "escalate" });
    expect(await escalate()(request())).toEqual({ decision: "escalate" });
  });

  it("does not pass by a reviewer that fails", async () => {
    await expect(escalate(fails, approveAll)(request())).rejects.toThrow("out of order");
  });

  it("asks nobody else once the request is over", async () => {
    const over = new AbortController();
    const leaves: Reviewer = () => {
      over.abort(new Error("it is over"));
      return { decision: "escalate" };
    };
    await expect(escalate(leaves, notReached)(request(over.signal))).rejects.toThrow("it is over");
  });
});

describe("firstOf()", () => {
  it("takes the first decision, and tells the others that theirs no longer matters", async () => {
    let signal: AbortSignal | undefined;
    const slow: Reviewer = async (asked) => {
      ({ signal } = asked);
      return await new Promise(() => undefined);
    };
    expect(await firstOf(slow, escalates, fails, approveAll)(request())).toEqual({ decision: "approve" });
    expect(signal?.aborted).toBe(true);
  });

  it("escalates when nobody decides and one escalated, fails when all failed, and escalates when there are none", async () => {
    expect(await firstOf(fails, escalates)(request())).toEqual({ decision: "escalate" });
    await expect(firstOf(fails, fails)(request())).rejects.toThrow("out of order");
    expect(await firstOf()(request())).toEqual({ decision: "escalate" });
  });

  it("takes nothing for a decision that is none", async () => {
    const nonsense = (() => ({ decision: "ok" })) as never as Reviewer;
    await expect(firstOf(nonsense)(request())).rejects.toThrow("A reviewer did not answer with a decision");
    expect(await firstOf(nonsense, denyAll)(request())).toEqual({ decision: "deny" });
  });
});

describe("connectReviewer()", () => {
  it("sends plain data, takes one answer by its name, and withdraws the request", async () => {
    const { connection, sent, withdrawn } = connect();
    const decision = connection.reviewer(request());
    const [{ id, ...rest } = { id: "" }] = sent;
    const { signal: _signal, enqueue: _enqueue, ...plain } = request();
    expect(rest).toEqual(plain);
    expect(structuredClone(sent)).toEqual(sent);
    expect(connection.answer("another", { decision: "approve" })).toBe(false);
    expect(connection.answer(id, { decision: "approve" })).toBe(true);
    expect(connection.answer(id, { decision: "deny" })).toBe(false);
    expect(await decision).toEqual({ decision: "approve" });
    expect(withdrawn).toEqual([id]);
  });

  it("fails whatever waits when it is disconnected, and whatever comes after", async () => {
    const { connection, sent } = connect();
    const waiting = [connection.reviewer(request()), connection.reviewer(request())];
    connection[Symbol.dispose]();
    for (const each of waiting) await expect(each).rejects.toThrow("it is not connected any more");
    expect(connection.answer(sent[0]!.id, { decision: "approve" })).toBe(false);
    await expect(connection.reviewer(request())).rejects.toThrow("it is not connected any more");
  });

  it("ends with the request, and fails when nothing can be sent", async () => {
    const { connection, withdrawn } = connect();
    const over = new AbortController();
    const decision = connection.reviewer(request(over.signal));
    over.abort(new Error("it expired"));
    await expect(decision).rejects.toThrow("it expired");
    expect(withdrawn).toHaveLength(1);
    const broken = connectReviewer({
      send: () => {
        throw new Error("the line is dead");
      },
    });
    await expect(broken.reviewer(request())).rejects.toThrow("the line is dead");
  });
});

function connect() {
  const sent: SentRequest[] = [];
  const withdrawn: string[] = [];
  const connection = connectReviewer({
    send: (each) => void sent.push(each),
    withdraw: (id) => void withdrawn.push(id),
  });
  return { connection, sent, withdrawn };
}

function request(signal = new AbortController().signal): ApprovalRequest {
  return {
    callId: "1",
    tool: "shell",
    risk: "exec",
    input: { command: "ls" },
    description: "runs ls",
    reason: "it says so",
    timeoutMs: 1_000,
    signal,
    enqueue: async () => await Promise.reject(new Error("Nothing was to be enqueued")),
  };
}
