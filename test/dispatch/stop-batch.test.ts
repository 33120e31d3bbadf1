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
