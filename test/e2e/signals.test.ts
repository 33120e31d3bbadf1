import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { describeWithBubblewrap, findProcesses } from "../sandbox/bubblewrap/fixture.ts";
import { describeWithEngine } from "../sandbox/docker/engine-available.ts";
import { TEST_IMAGE } from "../sandbox/docker/test-image.ts";
import { createProject, MAIN } from "./command-line.ts";
import type { Started } from "./command-line.ts";

const VIRTUAL = ["run", "--sandbox", "virtual", "--"];

it("SIGTERM ends a command of the virtual sandbox, drops what it changed and leaves no process", async () => {
  await using project = await createProject({ "a.txt": "a\n" });
  const started = project.start([...VIRTUAL, "rm a.txt; while true; do :; done"]);
  const children = await waitForChildren(started);
  started.child.kill("SIGTERM");
  expect(await started.finished).toMatchObject({ exitCode: 143, signal: null, stdout: "" });
  expect(children.filter((pid) => isRunning(pid))).toEqual([]);
  expect((await project.run(["status"])).stdout).toBe(`On ${project.root}\nNothing waits for review\n`);
});

describeWithEngine("a command in Docker", () => {
  testRealCommands(["run", "--sandbox", "docker", "--image", TEST_IMAGE, "--"], containersOf);
});

describeWithBubblewrap("a command in bubblewrap", () => {
  testRealCommands(["run", "--sandbox", "bubblewrap", "--"], (_started, marker) => findProcesses(marker).join("\n"));
});

/** What holds for every sandbox of real programs; `leftovers` of a command are found by its marker. */
function testRealCommands(words: readonly string[], leftovers: (started: Started, marker: string) => string): void {
  it("is streamed byte for byte while it runs", async () => {
    await using project = await createProject({ "a.txt": "a\n" });
    const script = String.raw`printf '\000\001\r\n'; printf 'e\n' >&2; read -r line || true; printf done`;
    expect(await project.run([...words, script])).toEqual({
      exitCode: 0,
      signal: null,
      stdout: "\0\u0001\r\ndone",
      stderr: "e\n",
    });
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("ends on %s with exit code %i, without its changes and without a trace", async (signal, exitCode) => {
    await using project = await createProject({ "a.txt": "a\n" });
    const marker = randomUUID();
    const script = `: ${marker}; rm a.txt; echo ready; trap '' TERM INT HUP; sleep 300 & wait`;
    const started = project.start([...words, script]);
    await started.waitFor("ready");
    started.child.kill(signal);
    const stopping = `cofferdam: Stopping on ${signal}; a second one leaves at once\n`;
    expect(await started.finished).toEqual({
      exitCode,
      signal: null,
      stdout: "ready\n",
      stderr: `${stopping}cofferdam: The command was stopped: it was cancelled; what it changed has been dropped\n`,
    });
    expect(leftovers(started, marker)).toBe("");
    expect((await project.run(["status"])).stdout).toBe(`On ${project.root}\nNothing waits for review\n`);
  });

  it("leaves at once on a second SIGINT, and what is left goes with the next run", async () => {
    await using project = await createProject({ "a.txt": "a\n" });
    const marker = randomUUID();
    const started = project.start([...words, `: ${marker}; trap '' TERM INT; echo ready; sleep 300`]);
    await started.waitFor("ready");
    started.child.kill("SIGINT");
    await started.waitFor("Stopping on SIGINT");
    started.child.kill("SIGINT");
    expect(await started.finished).toMatchObject({ exitCode: 130, signal: null });
    expect(await project.run([...words, "cat a.txt"])).toMatchObject({ exitCode: 0, stdout: "a\n", stderr: "" });
    expect(leftovers(started, marker)).toBe("");
  });

  it("ends quietly when nobody reads its output any more", async () => {
    await using project = await createProject({ "a.txt": "a\n" });
    const line = [process.execPath, MAIN, ...words, "yes"];
    const script = `{ "$@" | head -n 1; echo "\${PIPESTATUS[0]}"; } 2>&1`;
    const options = { cwd: project.root, env: project.env, encoding: "utf8" } as const;
    expect(execFileSync("bash", ["-c", script, "bash", ...line], options)).toBe("y\n141\n");
  });

  it("exits as the command did, or as what ended it", async () => {
    await using project = await createProject({ "a.txt": "a\n" });
    const ran = await project.run([...words, "exit 42"]);
    expect(ran).toEqual({ exitCode: 42, signal: null, stdout: "", stderr: "" });
    const timed = await project.run([...words.slice(0, -1), "--timeout", "10s", "--", "echo ready; sleep 300"]);
    expect(timed).toMatchObject({ exitCode: 124, stdout: "ready\n" });
    const greedy = ["--memory", "32m", "--", "perl -e '$x = q(x) x 200_000_000'"];
    expect(await project.run([...words.slice(0, -1), ...greedy])).toMatchObject({ exitCode: 137, stdout: "" });
  });
}

/** The sandbox's processes, as soon as there is one. */
async function waitForChildren({ child }: Started): Promise<readonly number[]> {
  const file = `/proc/${child.pid}/task/${child.pid}/children`;
  for (;;) {
    const children = (await readFile(file, "utf8")).trim();
    if (children !== "") return children.split(" ").map(Number);
    await delay(10);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Names of the containers that carry the label of this process. */
function containersOf({ child }: Started): string {
  const names = execFileSync("docker", ["ps", "-a", "--format", '{{.Names}} {{.Label "cofferdam.owner"}}'], {
    encoding: "utf8",
  });
  return names
    .split("\n")
    .filter((line) => line.includes(` ${child.pid}:`))
    .join("\n");
}
