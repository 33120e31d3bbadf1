import { describe, expect, it } from "vitest";
import type { PolicyDefinition, PolicyMode } from "../../src/contract/gate.ts";
import type { Risk } from "../../src/contract/risk.ts";
import { judge } from "../../src/gate/judge.ts";
import type { JudgedPolicy } from "../../src/gate/policy.ts";
import { parseRule } from "../../src/gate/rule.ts";

describe("judge()", () => {
  const modes: readonly [PolicyMode, Risk, string][] = [
    ["plan", "read", "allow"],
    ["plan", "write", "deny"],
    ["plan", "exec", "deny"],
    ["default", "read", "allow"],
    ["default", "write", "allow"],
    ["default", "exec", "ask"],
    ["acceptEdits", "read", "allow"],
    ["acceptEdits", "write", "allow"],
    ["acceptEdits", "exec", "ask"],
    ["auto", "read", "allow"],
    ["auto", "write", "allow"],
    ["auto", "exec", "allow"],
    ["dontAsk", "read", "allow"],
    ["dontAsk", "write", "allow"],
    ["dontAsk", "exec", "ask"],
  ];
  it.each(modes)("lets the mode %s decide for %s tools when no rule speaks: %s", (mode, risk, effect) => {
    expect(judge(policy({ mode }), tool(risk))).toEqual({
      effect,
      reason: `the mode "${mode}" says so for ${risk} tools`,
    });
  });

  it("asks in the mode auto for an exec tool that works outside of every sandbox, unless a rule allows it", () => {
    const outside = { ...tool("exec"), contained: false };
    expect(judge(policy({ mode: "auto" }), outside)).toEqual({
      effect: "ask",
      reason: 'the mode "auto" allows what a sandbox contains, and this tool works outside of every one',
    });
    expect(judge(policy({ mode: "auto", allow: ["tool"] }), outside).effect).toBe("allow");
    expect(judge(policy({ mode: "plan" }), outside).effect).toBe("deny");
  });

  it("takes deny before ask before allow when several rules match, wherever they stand", () => {
    const all = policy({ allow: ["tool"], ask: ["t*"], deny: ["risk:exec"] });
    expect(judge(all, tool("exec"))).toEqual({
      effect: "deny",
      reason: 'the rule "deny risk:exec" of the test says so',
      rule: { text: "risk:exec", source: "the test" },
    });
    expect(judge(policy({ allow: ["tool"], ask: ["t*"] }), tool("exec")).effect).toBe("ask");
    expect(judge(policy({ allow: ["tool"] }), tool("exec")).effect).toBe("allow");
  });

  it("gives the justification of the rule that decided", () => {
    const justified = policy({ deny: [{ rule: "tool", justification: "it is slow" }] });
    expect(judge(justified, tool("read")).reason).toBe('the rule "deny tool" of the test says so: it is slow');
  });

  it("lets no allow rule widen the plan mode", () => {
    expect(judge(policy({ mode: "plan", allow: ["*"] }), tool("write"))).toEqual({
      effect: "deny",
      reason: 'the mode "plan" says so for write tools',
    });
  });

  it("asks for a tool that requires approval although a rule or the mode allows it", () => {
    const asked = { effect: "ask", reason: "the tool asks for approval each time" };
    expect(judge(policy({ mode: "auto" }), { ...tool("exec"), requiresApproval: true })).toEqual(asked);
    expect(judge(policy({ allow: ["tool"] }), { ...tool("exec"), requiresApproval: true })).toEqual(asked);
    expect(judge(policy({ deny: ["tool"] }), { ...tool("exec"), requiresApproval: true }).effect).toBe("deny");
  });

  const globs: readonly [string, string, boolean][] = [
    ["mcp__github__*", "mcp__github__search", true],
    ["mcp__github__*", "mcp__gitlab__search", false],
    ["read_file", "read_file", true],
    ["read_file", "read_files", false],
    ["read_fil?", "read_file", true],
    ["*", "anything", true],
    ["risk:read", "risk_read", false],
  ];
  it.each(globs)("matches the selector %s against the tool %s: %s", (selector, name, matches) => {
    const rule = parseRule(selector, { effect: "deny", source: "the test" });
    expect(rule.selects({ name, risk: "exec" })).toBe(matches);
  });
});

describe("parseRule()", () => {
  it.each(["", "risk:everything", "a b", "tool;rm", "!tool", "{a,b}", "tool\n"])(
    "refuses %j, which is no selector",
    (text) => {
      expect(() => parseRule(text, { effect: "allow", source: "the test" })).toThrow(
        `Cannot use the rule "${text}" of the test: a selector is "risk:read", "risk:write", "risk:exec", a tool name or a glob of one`,
      );
    },
  );
});

function policy(definition: PolicyDefinition): JudgedPolicy {
  const effects = ["allow", "ask", "deny"] as const;
  const rules = effects.flatMap((effect) =>
    (definition[effect] ?? []).map((rule) => parseRule(rule, { effect, source: "the test" })),
  );
  return { mode: definition.mode ?? "default", rules };
}

function tool(risk: Risk): { readonly name: string; readonly risk: Risk; readonly requiresApproval: boolean } {
  return { name: "tool", risk, requiresApproval: false };
}
