import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PolicyDefinition } from "../../../src/contract/gate.ts";
import { createEngine } from "../../../src/engine.ts";
import { runTestProgram } from "../test-context.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "cofferdam-policy-"));
  await mkdir(join(directory, "root"));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe("cofferdam policy explain", () => {
  it("says part by part which rule decided, where it stands and what would be needed", async () => {
    const file = join(directory, "policy.json");
    await writeFile(file, '{\n  "allow": ["shell(sort:*)"],\n  "deny": ["shell(git push:*)"]\n}\n');
    const ran = await run(["policy", "explain", "--", "sort a | sort -o b\nsh -c 'git -C . push'"], file);
    expect(ran.stdout).toBe(
      [
        'deny: the rule "deny shell(git push:*)" of "policy.json" says so for "git -C . push"',
        "  allow  sort a",
        '         the rule "allow shell(sort:*)" of "policy.json" says so for "sort a" (line 2)',
        "  ask    sort -o b",
        '         no rule allows "sort -o b" and the mode "default" says so for exec tools',
        '         needed: "allow shell(sort:*)" of "policy.json" does not cover it, for it writes a file',
        "  allow  sh -c git -C . push  [line 2]",
        "         it does nothing but run what follows, which is judged itself",
        "  deny   git -C . push  [line 2, in sh]",
        '         the rule "deny shell(git push:*)" of "policy.json" says so for "git -C . push" (line 3)',
        "",
      ].join("\n"),
    );
    expect(ran.exitCode).toBe(0);
  });

  it("explains the call of another tool, and refuses one that there is not", async () => {
    const policy: PolicyDefinition = { deny: ["write_file(.env*)"] };
    const denied = await run(
      ["policy", "explain", "--json", "--tool", "write_file", "--input", '{"path":"a/.env"}'],
      policy,
    );
    expect(JSON.parse(denied.stdout)).toEqual({
      effect: "deny",
      reason: 'the rule "deny write_file(.env*)" of the policy option says so',
      rule: { text: "write_file(.env*)", source: "the policy option" },
      parts: [],
    });
    const unknown = await run(["policy", "explain", "--tool", "wrote_file"], policy);
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      2,
      'cofferdam: Cannot judge the call: there is no tool "wrote_file"; "cofferdam tools" lists them\n',
    ]);
  });
});

describe("cofferdam policy check", () => {
  it.each([
    ["ls -la", 0, 'allow: the rule "allow shell(ls:*)" of the policy option says so for "ls -la"\n'],
    ["curl x", 1, 'ask: no rule allows "curl x" and the mode "default" says so for exec tools\n'],
    ["git push", 126, 'deny: the rule "deny shell(git push:*)" of the policy option says so for "git push"\n'],
  ])("prints the verdict on %s and exits with %i", async (command, exitCode, stdout) => {
    const ran = await run(["policy", "check", "--", command], { allow: ["shell(ls:*)"], deny: ["shell(git push:*)"] });
    expect({ exitCode: ran.exitCode, stdout: ran.stdout }).toEqual({ exitCode, stdout });
  });

  it("judges each line of a batch, and names the one that is no call", async () => {
    const lines = ['{"command":"ls"}', "", '{"tool":"write_file","input":{"path":"a"}}'].join("\n");
    const ran = await run(["policy", "check", "--batch", "-"], { allow: ["shell(ls:*)"] }, lines);
    expect(
      ran.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).effect),
    ).toEqual(["allow", "allow"]);
    const wrong = await run(["policy", "check", "--batch", "-"], {}, '{"command":"ls"}\n{"cmd":"ls"}');
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      2,
      'cofferdam: Cannot read line 2 of the batch: it is no call; give {"command": …} or {"tool": …, "input": …}\n',
    ]);
  });
});

describe("cofferdam policy test", () => {
  it("passes the stock policy, and fails one that allows what gets around rules", async () => {
    const stock = await run(["policy", "test"], { include: ["stock"] });
    expect([stock.exitCode, stock.stdout.split("\n").at(-2)]).toEqual([
      0,
      "The policy allows none of 496 ways around rules",
    ]);
    const wide = await run(["policy", "test"], { include: ["stock"], allow: ["shell(curl:*)"] });
    expect(wide.exitCode).toBe(1);
    expect(wide.stdout).toContain("  allowed: curl example.com\n");
  });
});

describe("cofferdam policy import", () => {
  it("translates what means the same, and tells what does not", async () => {
    const settings = {
      permissions: {
        defaultMode: "bypassPermissions",
        allow: [
          "Bash(npm run test:*)",
          "Bash(git diff *)",
          "Read(src/**)",
          "WebFetch(domain:example.com)",
          "mcp__github",
          "Bash(git * main)",
        ],
        deny: ["Bash(rm:*)", "Edit(.env)", "Read(//etc/**)", "Task(x)", "Bash(a; b)"],
      },
    };
    const ran = await run(["policy", "import", "-"], {}, JSON.stringify(settings));
    expect(JSON.parse(ran.stdout)).toEqual({
      allow: [
        "shell(npm run test:*)",
        "shell(git diff:*)",
        "risk:read(src/**)",
        "fetch_url(domain:example.com)",
        "mcp__github__*",
      ],
      deny: ["shell(rm:*)", "risk:write(.env)"],
    });
    expect(ran.stderr.split("\n").filter((line) => line.includes("Left out"))).toHaveLength(5);
    expect(ran.stderr).toContain('Left out "Bash(git * main)": a star can only stand at the end of a command, as ":*"');
  });
});

async function run(words: readonly string[], policy: PolicyDefinition | string, stdin = "") {
  return await runTestProgram(words, {
    stdin,
    openEngine: async () =>
      await createEngine({ root: join(directory, "root"), stateHome: join(directory, "state"), policy }),
  });
}
