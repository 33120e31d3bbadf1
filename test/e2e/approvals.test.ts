import { once } from "node:events";
import { expect, it } from "vitest";
import type { Engine } from "../../src/contract/engine.ts";
import { createEngine } from "../../src/engine.ts";
import { createProject } from "./command-line.ts";
import type { TestProject } from "./command-line.ts";

const RUN = ["run", "--queue", "--sandbox", "virtual", "--land", "auto", "--", "echo new > new.txt"];
const FILES = { "old.txt": "old\n" };
const WAITS = '"shell" waits for an answer; "cofferdam approvals list" shows it from another terminal';

it("a call runs when another process approves what it was shown", async () => {
  await using project = await createProject(FILES);
  const waiting = project.start(RUN);
  await waiting.waitFor(WAITS);
  const { stdout } = await project.run(["approvals", "list"]);
  const name = /approvals approve (?<name>\S+)/.exec(stdout)?.groups?.["name"] ?? `nothing in:\n${stdout}`;
  expect(await project.run(["approvals", "approve", name])).toMatchObject({
    exitCode: 0,
    stdout: `Approved ${name}\n`,
    stderr: "",
  });
  expect(await waiting.finished).toMatchObject({ exitCode: 0 });
  expect(await project.files()).toEqual({ ...FILES, "new.txt": "new\n" });
});

it("a call is denied with the reason that another process gives, and nobody else is heard after that", async () => {
  await using project = await createProject(FILES);
  const waiting = project.start(RUN);
  await waiting.waitFor(WAITS);
  await using engine = await engineOn(project);
  const [asked] = engine.approvals.pending();
  engine.approvals.answer(asked!, { decision: "deny", reason: "not on this branch" });
  expect(engine.approvals.answer(asked!, { decision: "approve" })).toEqual({ outcome: "too-late", state: "denied" });
  const { exitCode, stderr } = await waiting.finished;
  expect(exitCode).toBe(126);
  expect(stderr).toContain('Permission denied for "shell": the reviewer denied it: not on this branch\n');
  expect(await project.files()).toEqual(FILES);
});

it("what a killed process asked is marked as gone, cannot be approved, and never runs", async () => {
  await using project = await createProject(FILES);
  const waiting = project.start(RUN);
  await waiting.waitFor(WAITS);
  const ended = once(waiting.child, "exit");
  waiting.child.kill("SIGKILL");
  await ended;
  await using engine = await engineOn(project);
  const [asked] = engine.approvals.pending();
  expect(asked).toMatchObject({ state: "gone", question: { tool: "shell", input: { command: "echo new > new.txt" } } });
  expect(engine.approvals.answer(asked!, { decision: "approve" })).toEqual({ outcome: "too-late", state: "gone" });
  expect(await project.files()).toEqual(FILES);
});

async function engineOn({ root, env }: TestProject): Promise<Engine> {
  return await createEngine({ root, stateHome: env["COFFERDAM_STATE"] ?? "" });
}
