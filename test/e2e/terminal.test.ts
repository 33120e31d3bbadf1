import { describe, expect, it } from "vitest";
import { openPseudoTerminal } from "../cli/pseudo-terminal.ts";
import { createProject, MAIN } from "./command-line.ts";
import type { TestProject } from "./command-line.ts";

const DOWN = "\u001B[B";
const UP = "\u001B[A";
const CTRL_C = "\u0003";
const ENTER = "\r";
/** What appears last of a question. */
const LAND_QUESTION = "Discard";
const GATE_QUESTION = "Edit";

describe("cofferdam run on a terminal", () => {
  it("asks before it runs an agent's call, shows the diff, and lands it when told so", async () => {
    await using project = await createProject({ "a.txt": "old\n" });
    await using terminal = open(project, ["run", "--sandbox", "virtual", "--gate", "--", "echo new > a.txt"]);
    await terminal.waitFor("    command:\r\n      | echo new > a.txt\r\n");
    await terminal.waitFor(GATE_QUESTION);
    terminal.type(UP);
    terminal.type(ENTER);
    await terminal.waitFor("-old\r\n+new\r\n1 change (1 modified):\r\n  modified      a.txt\r\n");
    await terminal.waitFor(LAND_QUESTION);
    terminal.type(UP);
    terminal.type(ENTER);
    await terminal.waitFor("Landed 1 change (1 modified) as ");
    expect(await terminal.exitCode).toBe(0);
    expect(await project.files()).toEqual({ "a.txt": "new\n" });
  });

  it("denies with the reason that is typed", async () => {
    await using project = await createProject({ "a.txt": "old\n" });
    await using terminal = open(project, ["run", "--sandbox", "virtual", "--gate", "--", "rm a.txt"]);
    await terminal.waitFor(GATE_QUESTION);
    terminal.type(ENTER);
    await terminal.waitFor("Why not?");
    terminal.type(`not today${ENTER}`);
    await terminal.waitFor('Permission denied for "shell": the reviewer denied it: not today\r\n');
    expect(await terminal.exitCode).toBe(126);
  });

  it("neither approves nor lands nor discards when a command line is typed at its questions", async () => {
    await using project = await createProject({ "a.txt": "old\n" });
    await using gated = open(project, ["run", "--sandbox", "virtual", "--gate", "--", "rm a.txt"]);
    await gated.waitFor(GATE_QUESTION);
    gated.type(`make${ENTER}`);
    await gated.waitFor("Why not?");
    gated.type(ENTER);
    expect(await gated.exitCode).toBe(126);

    await using reviewed = open(project, ["run", "--sandbox", "virtual", "--", "rm a.txt"]);
    await reviewed.waitFor(LAND_QUESTION);
    reviewed.type(`clear; cf land${ENTER}`);
    await reviewed.waitFor("  land:      cofferdam land --root ");
    expect(await reviewed.exitCode).toBe(0);
    expect((await project.run(["status"])).stdout).toContain("  deleted       a.txt\n");
  });

  it("cancels the call when the question is left with Ctrl-C", async () => {
    await using project = await createProject({ "a.txt": "old\n" });
    await using terminal = open(project, ["run", "--sandbox", "virtual", "--gate", "--", "rm a.txt"]);
    await terminal.waitFor(GATE_QUESTION);
    terminal.type(CTRL_C);
    expect(await terminal.exitCode).toBe(130);
  });

  it("keeps the changes on Enter alone, and discards them when told so", async () => {
    await using project = await createProject({ "a.txt": "old\n" });
    await using keeping = open(project, ["run", "--sandbox", "virtual", "--", "rm a.txt"]);
    await keeping.waitFor(LAND_QUESTION);
    keeping.type(ENTER);
    expect(await keeping.exitCode).toBe(0);
    expect((await project.run(["status"])).stdout).toContain("  deleted       a.txt\n");

    await using discarding = open(project, ["discard"]);
    await discarding.waitFor("Discard these changes?");
    await discarding.waitFor("Keep");
    discarding.type(UP);
    discarding.type(ENTER);
    await discarding.waitFor("Discarded 1 change (1 deleted)");
    expect(await discarding.exitCode).toBe(0);
    expect((await project.run(["status"])).stdout).toContain("Nothing waits for review");
    expect(await project.files()).toEqual({ "a.txt": "old\n" });
  });

  it("puts the terminal back after a command that left it in disorder, and shows a hostile diff as escapes", async () => {
    await using project = await createProject({ "a.txt": "old\n" });
    const script = String.raw`printf '\033[?1049h\033[8m'; printf '\033[2Jnew\n' > a.txt`;
    await using terminal = open(project, ["run", "--sandbox", "virtual", "--", script]);
    await terminal.waitFor("\u001B[?1049h\u001B[8m");
    await terminal.waitFor("\u001B\\\u001B[?1047l\u001B[!p\u001B[0m\u001B[K");
    await terminal.waitFor("-old\r\n+\\x1b[2Jnew\r\n");
    await terminal.waitFor(LAND_QUESTION);
    terminal.type(DOWN);
    terminal.type(ENTER);
    await terminal.waitFor("Drop them for good?");
    await terminal.waitFor(LAND_QUESTION);
    terminal.type(DOWN);
    terminal.type(ENTER);
    await terminal.waitFor("Discarded 1 change (1 modified)");
    expect(await terminal.exitCode).toBe(0);
  });
});

function open(project: TestProject, words: readonly string[]) {
  return openPseudoTerminal([process.execPath, MAIN, ...words], { cwd: project.root, env: project.env });
}
