import { describe, expect, it } from "vitest";
import type { Effect, ToolVerdict } from "../../src/contract/gate.ts";
import { tighten } from "../../src/gate/tighten.ts";

const policy = (effect: Effect) => ({ effect, reason: "the policy" });
const own = (effect: "ask" | "deny"): ToolVerdict => ({ effect, reason: "force" });
const REASONS = { ask: "the tool asks for approval of this call: force", deny: "the tool refuses it: force" };

describe("tighten()", () => {
  it.each<[Effect, ToolVerdict, "the policy" | "the tool"]>([
    ["allow", "allow", "the policy"],
    ["allow", own("ask"), "the tool"],
    ["allow", own("deny"), "the tool"],
    ["ask", "allow", "the policy"],
    ["ask", own("deny"), "the tool"],
    ["deny", "allow", "the policy"],
    ["deny", own("ask"), "the policy"],
    ["deny", own("deny"), "the policy"],
  ])("takes the stricter of %s and %j", (effect, answer, decider) => {
    const byTool = decider === "the tool";
    const verdict =
      byTool && answer !== "allow" ? { effect: answer.effect, reason: REASONS[answer.effect] } : policy(effect);
    expect(tighten(policy(effect), () => answer)).toEqual({ verdict, byTool });
  });

  it("keeps the policy's reason when both ask, and says that the tool asks too", () => {
    expect(tighten(policy("ask"), () => own("ask"))).toEqual({ verdict: policy("ask"), byTool: true });
  });

  it("leaves the policy's verdict when the tool has nothing to say", () => {
    const verdict = policy("allow");
    expect(tighten(verdict, undefined)).toEqual({ verdict, byTool: false });
  });

  it.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["true", () => true],
    ["a word", () => "deny"],
    ["an effect without a reason", () => ({ effect: "ask" })],
    ["the effect allow as an object", () => ({ effect: "allow", reason: "fine" })],
    ["a promise", async () => "allow"],
    ["a promise that rejects", async () => await Promise.reject(new Error("lost"))],
  ])("denies when the check answers %s", (_name, check) => {
    // Its type does not allow it; the code that runs may be JavaScript.
    expect(tighten(policy("allow"), check as () => ToolVerdict)).toEqual({
      verdict: { effect: "deny", reason: "the tool's own check does not say whether the call may run" },
      byTool: true,
    });
  });

  it("denies when the check throws", () => {
    const check = () => {
      throw new Error("no table of branches");
    };
    expect(tighten(policy("allow"), check)).toEqual({
      verdict: { effect: "deny", reason: "the tool's own check failed: no table of branches" },
      byTool: true,
    });
  });
});
