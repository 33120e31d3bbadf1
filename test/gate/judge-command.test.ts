import { describe, expect, it } from "vitest";
import type { PolicyDefinition } from "../../src/contract/gate.ts";
import { createCommandAnalyser } from "../../src/gate/command/analyse-command.ts";
import { explain, judge } from "../../src/gate/judge.ts";
import type { JudgedPolicy } from "../../src/gate/policy.ts";
import { parseRule } from "../../src/gate/rule.ts";

const analyse = await createCommandAnalyser();
const SHELL = { name: "shell", risk: "exec", requiresApproval: false } as const;

describe("judge()", () => {
  const rules = {
    allow: ["shell(git status)", "shell(npm run test:*)", "shell(sort:*)", "shell(echo:*)", "shell(cd:*)"],
  };
  it.each([
    ["git status", "allow"],
    ["git status -s", "ask"],
    ["npm run test", "allow"],
    ["npm run test:unit -- --watch", "allow"],
    ["npm run tests", "ask"],
    ["sort -k2 a.txt", "allow"],
    ["sort -o b.txt a.txt", "ask"],
    ["sort -ub.txto a", "ask"],
    ["sort --outp=b a", "ask"],
    ["echo $x > out.txt", "allow"],
    ["echo x > ../out.txt", "ask"],
    ["echo x > /dev/null", "allow"],
    ["echo x > $target", "ask"],
    ["timeout 5 npm run test", "allow"],
    ["env NODE_ENV=test npm run test", "allow"],
    ["env LD_PRELOAD=./x.so npm run test", "ask"],
    ["NODE_OPTIONS=--require=./x.js npm run test", "ask"],
    ["PATH=.; git status", "ask"],
    ["message=hello; echo $message", "allow"],
    ["./git status", "ask"],
    ["/usr/bin/git status", "ask"],
    ["git() { npm publish; }; git status", "ask"],
    ["git status && npm publish", "ask"],
    ["echo $(npm publish)", "ask"],
    ["sh -c 'git status; sort a'", "allow"],
    ["cd sub && git status", "allow"],
    ["eval 'git status'", "ask"],
    ["alias sort='npm publish'; sort a", "ask"],
  ] as const)("judges %s by what it runs: %s", (command, effect) => {
    expect(verdict(rules, command).effect).toBe(effect);
  });

  it.each([
    ["git push", "deny"],
    ["git -C . push", "deny"],
    ["git --no-pager -c a=b push origin", "deny"],
    ["/usr/bin/git push", "deny"],
    ["/usr/lib/git-core/git-push", "deny"],
    ["FOO=1 sudo -u root nice git push", "deny"],
    ["echo $(git push)", "deny"],
    ["sh -c 'git push'", "deny"],
    ["bash <<< 'git push'", "deny"],
    ["echo push | xargs git", "deny"],
    ["git $verb", "deny"],
    ["$tool push", "deny"],
    ['"$tool" status', "ask"],
    ["git log -n push", "ask"],
    ["git stash push", "ask"],
    ["rm -fr dist", "deny"],
    ["rm -f dist -R", "deny"],
    ["rm --recursive --force dist", "deny"],
    ["find . -exec rm -rf {} +", "deny"],
    ["rm -r dist", "ask"],
    ["cat .env", "deny"],
    ["cat ./src/../.env.local", "deny"],
    ["cd src && cat ../.ENV", "deny"],
    ["grep -f.env x", "deny"],
    ["cat .e*", "deny"],
    ["cat *.ts", "ask"],
    ["cat < .env", "deny"],
    ["echo x > .env", "ask"],
    ["echo .env", "ask"],
    ["npm run deploy:production", "deny"],
    ["npm --prefix api run-script deploy", "deny"],
  ] as const)("denies whatever could be %s: %s", (command, effect) => {
    const deny = ["shell(git push:*)", "shell(rm -rf:*)", "read_file(.env*)", "shell(npm run deploy:*)"];
    expect(verdict({ deny }, command).effect).toBe(effect);
  });

  it("denies a command line that is too large, whatever allows it", () => {
    expect(verdict({ allow: ["shell", "shell(ls)"] }, `echo ${"a".repeat(100_001)}`)).toEqual({
      effect: "deny",
      reason: "the command line is too large to be judged: it has more than 100000 characters",
    });
    expect(verdict({ allow: ["shell", "shell(ls)"] }, "ls;".repeat(1_001)).effect).toBe("deny");
    expect(verdict({ allow: ["shell", "shell(ls)"] }, `${"echo $(".repeat(40)}ls${")".repeat(40)}`).effect).toBe(
      "deny",
    );
  });

  it("says which rule decided about which part, and what would be needed", () => {
    const { verdict: whole, describeParts } = explain(policy({ allow: ["shell(sort:*)"] }), SHELL, {
      command: "sort a | sort -o b",
    });
    expect(whole).toEqual({
      effect: "ask",
      reason: 'no rule allows "sort -o b" and the mode "default" says so for exec tools',
    });
    expect(describeParts().map(({ effect, reason, needed }) => ({ effect, reason, needed }))).toEqual([
      { effect: "allow", reason: 'the rule "allow shell(sort:*)" of the test says so for "sort a"', needed: undefined },
      {
        effect: "ask",
        reason: 'no rule allows "sort -o b" and the mode "default" says so for exec tools',
        needed: '"allow shell(sort:*)" of the test does not cover it, for it writes a file',
      },
    ]);
  });

  it("lets a rule on the tool decide where no rule on commands speaks", () => {
    const definition = { allow: ["shell"], deny: ["shell(git push:*)"] };
    expect(verdict(definition, "curl example.com").effect).toBe("allow");
    expect(verdict(definition, "curl example.com; git push").effect).toBe("deny");
    expect(verdict({ ask: ["shell"], allow: ["shell(ls)"] }, "ls").effect).toBe("ask");
    expect(verdict({ deny: ["shell"], allow: ["shell(ls)"] }, "ls").effect).toBe("deny");
  });

  it("matches paths of the file tools after they were normalised", () => {
    const definition = { deny: ["write_file(.env*)", "risk:write(/secrets/)"] };
    const write = (path: string) =>
      judge(policy(definition), { ...SHELL, name: "write_file", risk: "write" }, { path }).effect;
    expect(
      [".env", "a/./.env.local", "a//../.ENV", "secrets/key", "./x/../secrets/", "/workspace/.env"].map(write),
    ).toEqual(Array.from({ length: 6 }, () => "deny"));
    expect(["env", "a/secrets/key", ".envrc/../x"].map(write)).toEqual(["allow", "allow", "allow"]);
    const patch = "*** Begin Patch\n*** Update File: src/../.env\n@@\n-a\n+b\n*** End Patch";
    const apply = { ...SHELL, name: "apply_patch", risk: "write" } as const;
    expect(judge(policy({ deny: ["risk:write(.env)"] }), apply, { patch }).effect).toBe("deny");
  });

  it("matches hosts and arguments of other tools", () => {
    const definition = {
      ask: ["risk:read"],
      deny: ["fetch_url(domain:*.internal)"],
      allow: ["deploy(target.stage=dev*)"],
    };
    const fetch = (url: string) =>
      judge(policy(definition), { ...SHELL, name: "fetch_url", risk: "read" }, { url }).effect;
    expect(["https://A.INTERNAL./x", "http://user@a.b.internal:80", "https://internal"].map(fetch)).toEqual([
      "deny",
      "deny",
      "ask",
    ]);
    const deploy = (input: unknown) => judge(policy(definition), { ...SHELL, name: "deploy" }, input).effect;
    expect([{ target: { stage: "dev-1" } }, { target: { stage: "prod" } }, {}].map(deploy)).toEqual([
      "allow",
      "ask",
      "ask",
    ]);
  });
});

describe("parseRule()", () => {
  it.each([
    [
      "shell(ls; rm)",
      'a matcher for commands is one command of plain words, with ":*" at the end for any more of them',
    ],
    [
      "shell(echo $x)",
      'a matcher for commands is one command of plain words, with ":*" at the end for any more of them',
    ],
    ["shell(*)", "it matches every call; name the tool without parentheses"],
    [
      "fetch_url(domain:a/b)",
      'a host is written as "domain:example.com", or "domain:*.example.com" for what is below it',
    ],
    ["write_file(!a)", 'a matcher for paths is a glob as in ".gitignore" files, without "!"'],
    ["*(a)", 'name the tools for files, or "shell" alone; a matcher cannot be a path and a command at once'],
    ["deploy(production)", 'for this tool a matcher is "domain:…" or "argument=glob"'],
  ])("refuses %s, whose matcher means nothing", (text, problem) => {
    expect(() => parseRule(text, { effect: "deny", source: "the test", line: 3, analyse })).toThrow(
      `Cannot use the rule "${text}" of the test, line 3: ${problem}`,
    );
  });
});

function verdict(definition: PolicyDefinition, command: string) {
  return judge(policy(definition), SHELL, { command });
}

function policy(definition: PolicyDefinition): JudgedPolicy {
  const rules = (["allow", "ask", "deny"] as const).flatMap((effect) =>
    (definition[effect] ?? []).map((rule) => parseRule(rule, { effect, source: "the test", analyse })),
  );
  return { mode: definition.mode ?? "default", rules, analyse };
}
