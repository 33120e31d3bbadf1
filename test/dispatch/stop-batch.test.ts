import { expect, it } from "vitest";
import { scriptedReviewer } from "../../src/testing/reviewers.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

it("dispatchAll() runs nothing of a batch that the reviewer stopped, and answers every call of it", async () => {
  const ran: string[] = [];
  const tool = (name: string, risk: "read" | "exec") =>
    defineTool({ name, description: name, risk, execute: () => void ran.push(name) });
  const reviewer = scriptedReviewer([{ decision: "approve" }, { decision: "stop", reason: "wrong branch" }]);
  await using temporary = await temporaryEngine({ reviewer, tools: [tool("look", "read"), tool("act", "exec")] });
  const calls = ["look", "act", "nope", "act", "look", "nope", "act"].map((name, index) => ({
    id: String(index),
    name,
    input: { index },
  }));
  const results = await temporary.engine.dispatchAll([
    ...calls.map((call) => ({ ...call, input: {} })),
    { id: "7" } as never,
  ]);
  const withdrawn = (name: string) => `Cancelled "${name}" before it started: the reviewer stopped the batch`;
  expect(ran).toEqual([]);
  expect(
    results.map((result) => (result.success ? "success" : [result.callId, result.errorKind, result.error])),
  ).toEqual([
    ["0", "cancelled", withdrawn("look")],
    ["1", "cancelled", withdrawn("act")],
    ["2", "not-found", expect.any(String)],
    [
      "3",
      "denied",
      'Permission denied for "act": the reviewer stopped this and every other call of its batch: wrong branch',
    ],
    ["4", "cancelled", withdrawn("look")],
    ["5", "not-found", expect.any(String)],
    ["6", "cancelled", withdrawn("act")],
    ["7", "validation", expect.any(String)],
  ]);
});

it("dispatchAll() runs nothing of a batch that a hook stopped, and asks nobody about what is behind it", async () => {
  const ran: string[] = [];
  const tool = (name: string) =>
    defineTool({
      name,
      description: name,
      risk: "read",
      requiresApproval: name === "c",
      execute: () => void ran.push(name),
    });
  const reviewer = scriptedReviewer([]);
  await using temporary = await temporaryEngine({
    tools: ["a", "b", "c"].map(tool),
    reviewer,
    hooks: { beforeCall: (call) => (call.tool === "b" ? { decision: "stop", reason: "too late" } : undefined) },
  });
  const results = await temporary.engine.dispatchAll(["a", "b", "c"].map((name) => ({ id: name, name, input: {} })));
  expect([ran, reviewer.requests]).toEqual([[], []]);
  expect(results.map((result) => (result.success ? "success" : [result.errorKind, result.error]))).toEqual([
    ["cancelled", 'Cancelled "a" before it started: a hook stopped the batch'],
    ["denied", 'Permission denied for "b": a hook stopped this and every other call of its batch: too late'],
    ["cancelled", 'Cancelled "c" before it started: a hook stopped the batch'],
  ]);
});
