/**
 * What the gate adds to a call of a read tool that the policy allows: deciding, and using the permit up, beside an empty
 * asynchronous function that is called twice.
 */

import { Bench } from "tinybench";
import { Gate } from "../src/gate/gate.ts";
import { LivePolicy } from "../src/gate/live-policy.ts";
import { loadPolicy } from "../src/gate/load-policy.ts";
import { deepFreeze } from "../src/schema/deep-freeze.ts";
import { printRatios } from "./print-ratios.ts";

const option = { allow: ["read_*"], ask: ["fetch_url"], deny: ["mcp__*"] };
const files = ["/nonexistent/cofferdam.json", "/nonexistent/policy.json"];
const [, userFile = ""] = files;
const load = async () => await loadPolicy({ root: "/nonexistent", userFile, option });
const gate = new Gate({
  root: "/nonexistent",
  policies: await LivePolicy.open({ load, files }),
  approvalTimeoutMs: 1_000,
  clock: Date.now,
  approvals: { ask: async () => await Promise.reject(new Error("Nothing is asked")) },
  addUserRule: async () => await Promise.reject(new Error("No rule is added")),
});
const facts = {
  callId: "1",
  tool: { name: "read_file", risk: "read", requiresApproval: false },
  schemaFingerprint: "f",
  input: deepFreeze({ path: "README.md" }),
} as const;
const { signal } = new AbortController();
const request = { ...facts, describe: () => "Reads", timeoutMs: 1_000, signal };
const nothing = async () => await Promise.resolve();

const bench = new Bench({ name: "gate pass of an allowed read tool", time: 1_000, warmupTime: 200 });
bench
  .add("deciding and redeeming", async () => {
    const decision = await gate.decide(request);
    if (decision.outcome !== "permitted") throw new Error(JSON.stringify(decision));
    const refusal = await gate.redeem(decision, facts);
    if (refusal !== undefined) throw new Error(refusal);
  })
  .add("two empty asynchronous functions", async () => {
    await nothing();
    await nothing();
  });
await bench.run();
printRatios(bench);
