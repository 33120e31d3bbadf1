import { describe, expect, it } from "vitest";
import type { PolicyDefinition } from "../../src/contract/gate.ts";
import { readRules } from "../../src/gate/read-rules.ts";

describe("readRules()", () => {
  it("holds each rule to its own examples", async () => {
    const allow = [
      {
        rule: "shell(npm run test:*)",
        match: ["npm run test -- a", "timeout 5 npm run test"],
        notMatch: ["npm run tests", "npm run test; ls"],
      },
    ];
    const deny = [
      { rule: "shell(git push:*)", match: ["git -C . push", "ls && git push"], notMatch: ["git status"] },
      { rule: "write_file(.env*)", match: ["a/.env.local"], notMatch: ["env"] },
      { rule: "fetch_url(domain:*.internal)", match: ["https://a.internal/x", "a.internal"], notMatch: ["internal"] },
      { rule: "mcp__*", match: ["mcp__github__search"], notMatch: ["shell"] },
      { rule: "deploy(stage=prod*)", match: ["production"], notMatch: ["dev"] },
    ];
    expect((await read({ allow, deny })).rules.map(({ text }) => text)).toEqual([
      "shell(npm run test:*)",
      ...deny.map(({ rule }) => rule),
    ]);
  });

  it.each([
    [
      { deny: [{ rule: "shell(git push:*)", match: ["git pull"] }] },
      'it does not hold for "git pull", which is among "match"',
    ],
    [
      { deny: [{ rule: "shell(git push:*)", notMatch: ["git push"] }] },
      'it holds for "git push", which is among "notMatch"',
    ],
  ])("refuses a rule that is not what its examples say", async (definition, problem) => {
    await expect(read(definition)).rejects.toThrow(`Cannot use the rule "shell(git push:*)" of the test: ${problem}`);
  });

  it("tells the line of each rule in its file", async () => {
    const text = '{\n  "deny": [\n    "shell(rm:*)",\n    { "rule": "read_file" }],\n  "allow": ["shell"] }';
    const definition: PolicyDefinition = JSON.parse(text);
    const { rules } = await readRules([{ definition, source: "the test", text, trust: "trusted" }]);
    expect(rules.map(({ text: rule, line }) => [rule, line])).toEqual([
      ["shell", 5],
      ["shell(rm:*)", 3],
      ["read_file", 4],
    ]);
  });

  it("takes in the rules that ship where a trusted policy includes them, and only there", async () => {
    const { rules } = await read({ include: ["stock"] });
    expect(rules.length).toBeGreaterThan(100);
    const definition = { include: ["stock"], deny: ["shell(x)"] } as const;
    const untrusted = await readRules([{ definition, source: "the root", trust: "untrusted" }]);
    expect(untrusted.rules.map(({ text }) => text)).toEqual(["shell(x)"]);
  });

  it("loads the parser of commands only when a rule speaks of arguments", async () => {
    expect(await read({ deny: ["shell", "risk:exec"] })).not.toHaveProperty("analyse");
    expect(await read({ deny: ["shell(ls)"] })).toHaveProperty("analyse");
  });
});

function read(definition: PolicyDefinition) {
  return readRules([{ definition, source: "the test", trust: "trusted" }]);
}
