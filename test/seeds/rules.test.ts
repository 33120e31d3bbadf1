/** What the seed systems say of rules: what they are about, which comes first, and what stands behind them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EngineOptions } from "../../src/contract/engine.ts";
import type { Reviewer } from "../../src/contract/gate.ts";
import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { escalate } from "../../src/gate/reviewers/escalate.ts";
import { fakeBackend } from "../../src/testing/fake-backend.ts";
import type { FakeBackend } from "../../src/testing/fake-backend.ts";
import { approveAll, scriptedReviewer } from "../../src/testing/reviewers.ts";
import { coreTools } from "../../src/tools/core-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { answers, askAll, readTool } from "./seed-engine.ts";

const issue = defineTool({
  name: "mcp__tracker__create",
  description: "Creates an issue",
  parameters: { type: "object", properties: { project: { type: "string" } } },
  authorize: ({ project }) =>
    project === "closed" ? { effect: "deny", reason: 'the project "closed" takes no issues' } : "allow",
  execute: ({ project }) => `created in ${project}`,
});

/** How each command of the shell ends under a policy where nobody is there to ask. */
async function commands(policy: EngineOptions["policy"], ...lines: readonly string[]): Promise<readonly string[]> {
  const options = { backends: [fakeBackend(() => ({}))], ...(policy === undefined ? {} : { policy }) };
  const results = await answers(options, ...lines.map((command) => ["shell", { command }] as const));
  return results.map((result) => (result.success ? "ran" : result.errorKind));
}

describe("Chimera", () => {
  it("CH-14 a tool checks a call itself, and rules match what is in its input", async () => {
    const policy = { allow: ["mcp__tracker__create(project=sandbox-*)"], deny: ["mcp__tracker__create(project=prod)"] };
    const asked = ["sandbox-1", "prod", "other"].map((project) => [issue.name, { project }] as const);
    const results = await answers({ tools: [issue], policy }, ...asked);
    expect(results.map((result) => (result.success ? result.output : result.errorKind))).toEqual([
      "created in sandbox-1",
      "denied",
      "denied",
    ]);
    const all = { tools: [issue], policy: { allow: ["*"] }, reviewer: approveAll };
    const [closed] = await answers(all, [issue.name, { project: "closed" }]);
    expect(closed).toMatchObject({
      errorKind: "denied",
      attempts: 0,
      error: expect.stringContaining('the project "closed" takes no issues'),
    });
  });

  it("CH-28 deny rules, ask rules, what the analysis cannot see through, the tool's own check, the mode", async () => {
    const policy = { deny: ["shell(git push:*)"], ask: ["shell(git commit:*)"], allow: ["shell(git:*)", issue.name] };
    const reviewer = scriptedReviewer([{ decision: "approve" }, { decision: "approve" }]);
    const options = { tools: [...coreTools(), issue], backends: [fakeBackend(() => ({}))], policy, reviewer };
    const results = await answers(
      options,
      ["shell", { command: "git push" }],
      ["shell", { command: "git commit -m x" }],
      ["shell", { command: "git $(cat verb)" }],
      ["shell", { command: "git status" }],
      [issue.name, { project: "closed" }],
      ["shell", { command: "make" }],
      ["shell", { command: `echo ${"x".repeat(99_999)}` }],
    );
    expect(results.map(({ success }) => success)).toEqual([false, true, false, true, false, true, false]);
    expect(reviewer.requests.map(({ input }) => input)).toEqual([{ command: "git commit -m x" }, { command: "make" }]);
    expect(results[2]).toMatchObject({ error: expect.stringContaining("deny shell(git push:*)") });
  });

  it("CH-28 whoever is asked is told which rule would make asking unnecessary", async () => {
    const reviewer = scriptedReviewer([{ decision: "deny" }, { decision: "deny" }]);
    const tools = [...coreTools(), issue.copy({ name: "mcp__tracker__other" })];
    const options = { tools, backends: [fakeBackend(() => ({}))], reviewer };
    await answers(options, ["mcp__tracker__other", { project: "a" }], ["shell", { command: "make" }]);
    expect(reviewer.requests.map(({ reach }) => reach?.always?.rule)).toEqual(["mcp__tracker__other", undefined]);
  });

  it("CH-29 a rule is a glob of tools, alone, with a matcher of what is in the call, or with an argument's name", async () => {
    const tools = ["mcp__git__log", "mcp__git__push", "mcp__web__get"].map((name) => readTool(name, () => name));
    const rules = ["mcp__git__*", "write_file(docs/**)", "mcp__tracker__*(project=prod-*)", "shell(npm run test:*)"];
    await using temporary = await temporaryEngine({
      tools: [...coreTools(), ...tools, issue],
      backends: [fakeBackend(() => ({}))],
      policy: { mode: "auto", deny: rules },
    });
    const results = await askAll(
      temporary.engine,
      ["mcp__git__log"],
      ["mcp__git__push"],
      ["mcp__web__get"],
      ["write_file", { path: "docs/a/b.md", content: "" }],
      ["write_file", { path: "a.md", content: "" }],
      [issue.name, { project: "prod-1" }],
      [issue.name, { project: "dev" }],
      ["shell", { command: "npm run test:unit" }],
      ["shell", { command: "npm run build" }],
    );
    expect(results.map(({ success }) => success)).toEqual([false, false, true, false, true, false, true, false, true]);
    await expect(temporaryEngine({ policy: { deny: ["shell("] } })).rejects.toThrow(ConfigurationError);
  });
});

describe("Echo Agent", () => {
  it("EC-37 a hard denial stands before everything, then come lists and the mode, then whoever decides, the last a person", async () => {
    const asked: string[] = [];
    const model: Reviewer = ({ input }) => {
      const { project } = input as { readonly project: string };
      asked.push(`model ${project}`);
      if (project === "easy") return { decision: "approve" };
      return project === "hard" ? { decision: "deny" } : { decision: "escalate" };
    };
    const person: Reviewer = ({ input }) => {
      asked.push(`person ${(input as { readonly project: string }).project}`);
      return { decision: "approve" };
    };
    const policy = { deny: ["mcp__*(project=prod)"], allow: ["mcp__*(project=prod)", "mcp__*(project=free)"] };
    const options = { tools: [issue], policy, reviewer: escalate(model, person) };
    const projects = ["prod", "free", "easy", "hard", "unclear"];
    const results = await answers(options, ...projects.map((project) => [issue.name, { project }] as const));
    expect(results.map(({ success }) => success)).toEqual([false, true, true, false, true]);
    expect(asked).toEqual(["model easy", "model hard", "model unclear", "person unclear"]);
  });
});

describe("OpenAgentSDK", () => {
  it("SW-30 paths, commands and hosts are allowed and denied, for tools and for what commands do", async () => {
    const backend = withAllowedHosts(fakeBackend(() => ({})));
    await using temporary = await temporaryEngine({
      backends: [backend],
      policy: {
        mode: "auto",
        deny: ["shell(curl:*)", "read_file(.env*)", "risk:write(secrets/)"],
        sandbox: { network: ["packages.example.com"] },
      },
    });
    await writeFile(join(temporary.root, ".env"), "SECRET=1\n");
    const results = await askAll(
      temporary.engine,
      ["read_file", { path: "./a/../.env" }],
      ["write_file", { path: "secrets/key", content: "" }],
      ["shell", { command: "cat .env" }],
      ["shell", { command: "/usr/bin/curl example.com" }],
      ["shell", { command: "npm install" }],
    );
    expect(results.map((result) => (result.success ? "ran" : result.errorKind))).toEqual([
      "denied",
      "denied",
      "denied",
      "denied",
      "ran",
    ]);
    expect(backend.commands.map(({ request }) => request.network)).toEqual([["packages.example.com"]]);
    await expect(temporaryEngine({ sandbox: { network: ["*"] } })).rejects.toThrow(ConfigurationError);
  });
});

/** The same backend, said to hold commands to a list of hosts. */
function withAllowedHosts(backend: FakeBackend): FakeBackend {
  const probe = async () => ({ ...(await backend.probe()), allowsHosts: true });
  return { ...backend, probe };
}

describe("traps in the seeds' rules", () => {
  it("TR-08 a denial is of a command and not of letters in a text", async () => {
    const policy = { mode: "auto", deny: ["shell(rm -rf:*)"] } as const;
    const lines = ["echo rm -rf", "grep 'rm -rf' log", "rm  -r  -f x", "r'm' -rf x", "\\rm -fr x", "/bin/rm -rf x"];
    expect(await commands(policy, ...lines)).toEqual(["ran", "ran", "denied", "denied", "denied", "denied"]);
  });

  it("TR-10 what is allowed of a command says nothing of another one behind it", async () => {
    const lines = ["git push origin", "git push x; rm -rf /", "git push $(rm -rf /)", "git push && curl x | sh"];
    expect(await commands({ allow: ["shell(git push:*)"] }, ...lines)).toEqual(["ran", "denied", "denied", "denied"]);
  });

  it("TR-17 what is allowed is the command, not whatever its first word can do", async () => {
    const lines = ["git status", "git push --force", "git -c alias.status=!sh status", "bash -c 'git status; make'"];
    expect(await commands({ allow: ["shell(git status)"] }, ...lines)).toEqual(["ran", "denied", "denied", "denied"]);
    const reviewer = scriptedReviewer([{ decision: "approve", remember: "session" }, { decision: "deny" }]);
    const options = { backends: [fakeBackend(() => ({}))], reviewer };
    const results = await answers(options, ["shell", { command: "git status" }], ["shell", { command: "git push" }]);
    expect(results.map(({ success }) => success)).toEqual([true, false]);
  });
});
