import { once } from "node:events";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { afterEach, describe, expect, it } from "vitest";

import { describeChildCommand } from "../../src/sandbox/child-launch.ts";
import { runChild, type ChildRunOptions } from "../../src/sandbox/child-host.ts";
import { assertNoChildren, childrenOf, isThere } from "./child-processes.ts";

const MB = 1024 * 1024;
const fixtures = fileURLToPath(new URL("./fixtures", import.meta.url));
const command = describeChildCommand({
  entry: new URL("./fixtures/misbehaving-child.ts", import.meta.url),
  packages: [fixtures],
  nodeFlags: [],
});

async function run(act: string, options: Partial<ChildRunOptions> = {}) {
  return await runChild({
    backend: "test",
    command,
    job: { type: "job", act },
    run: { timeoutMs: 30_000 },
    limits: {},
    residentBytes: 400 * MB,
    ...options,
  });
}

describe("runChild()", () => {
  afterEach(assertNoChildren);

  it("gives the report and what was printed before it", async () => {
    const outcome = await run("report");
    expect(outcome.end).toEqual({ kind: "reported", report: { type: "report", answer: 42 } });
    expect(outcome.output).toEqual({
      stdout: "out",
      stderr: "err",
      stdoutBytes: 3,
      stderrBytes: 3,
      truncated: false,
    });
  });

  it("ends a child that stays after its report", async () => {
    expect((await run("report-and-stay")).end.kind).toBe("reported");
  });

  it.each([
    ["exit", { kind: "died", exitCode: 3, signal: null, diagnostics: "" }],
    ["complain", { kind: "died", exitCode: 1, signal: null, diagnostics: "something is wrong\n" }],
  ])("tells how the child died when it ends without a report (%s)", async (act, end) => {
    expect((await run(act)).end).toEqual(end);
  });

  it("kills a busy child at the wall limit", async () => {
    expect((await run("hang", { run: { timeoutMs: 1_500 } })).end).toEqual({ kind: "stopped", by: "timeout" });
  });

  it("kills a busy child when the signal is raised", async () => {
    const signal = AbortSignal.timeout(1_500);
    expect((await run("hang", { run: { timeoutMs: 30_000, signal } })).end).toEqual({
      kind: "stopped",
      by: "cancelled",
    });
  });

  it("starts nothing when the signal is raised already", async () => {
    const outcome = await run("report", {
      command: { file: "/does/not/exist", args: [] },
      run: { timeoutMs: 30_000, signal: AbortSignal.abort() },
    });
    expect(outcome.end).toEqual({ kind: "stopped", by: "cancelled" });
  });

  it("kills a flooding child and keeps its own memory bounded", async () => {
    const before = process.memoryUsage.rss();
    const outcome = await run("flood", { limits: { floodBytes: 50 * MB, retainedOutputBytes: 1_000 } });
    expect(outcome.end).toEqual({ kind: "stopped", by: "output-limit" });
    expect(outcome.output.stdoutBytes).toBeGreaterThan(50 * MB);
    expect(outcome.output.stdout.length).toBeLessThan(1_100);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * MB);
  });

  it("kills a child that holds more memory than it may", async () => {
    expect((await run("grow", { residentBytes: 250 * MB })).end).toEqual({ kind: "stopped", by: "out-of-memory" });
  });

  it.each(["garbage", "no-object", "request"])("refuses a child that breaks the protocol (%s)", async (act) => {
    await expect(run(act)).rejects.toMatchObject({
      name: "SandboxUnavailableError",
      message: 'Cannot run a command in the "test" sandbox: its process sent what it must not send and was killed',
    });
  });

  it("works on a bounded number of requests when the child asks without waiting", async () => {
    let most = 0;
    let open = 0;
    const outcome = await run("ask-for-ever", {
      run: { timeoutMs: 3_000 },
      async onRequest(_request, signal) {
        open += 1;
        most = Math.max(most, open);
        await once(signal, "abort");
        open -= 1;
        return { header: {} };
      },
    });
    expect(outcome.end).toEqual({ kind: "stopped", by: "timeout" });
    expect(open).toBe(0);
    // What one read of the pipe can hold, and no more however long it goes on.
    expect(most).toBeLessThan(3_000);
  });

  it.each(["read-file", "spawn", "thread"])("gives the child no right to %s", async (act) => {
    const { end } = await run(act);
    expect(end).toMatchObject({ kind: "died", exitCode: 1 });
    expect(end.kind === "died" && end.diagnostics).toContain("ERR_ACCESS_DENIED");
  });

  it("fails when the program cannot be started", async () => {
    await expect(run("report", { command: { file: "/does/not/exist", args: [] } })).rejects.toMatchObject({
      name: "SandboxUnavailableError",
      message:
        'Cannot start the "test" sandbox: its process could not be started; run "cofferdam doctor" to see what is missing',
    });
  });

  it("refuses a job that is larger than a frame", async () => {
    await expect(run("report", { jobBody: Buffer.alloc(34 * MB) })).rejects.toMatchObject({
      name: "ConfigurationError",
      message: "Cannot run a command: with its input it takes more than 33 MB; put large data into a file",
    });
  });
});

describe("a child process", () => {
  it.each(["isolate", "virtual"])("dies with the engine when the engine is killed (%s)", async (name) => {
    const engine = spawn(process.execPath, [`${fixtures}/endless-engine.ts`, name], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = engine.pid!;
    await expect.poll(() => childrenOf(pid).length, { timeout: 20_000 }).toBe(1);
    const [child] = childrenOf(pid);
    engine.kill("SIGKILL");
    await once(engine, "exit");
    await expect.poll(() => isThere(child!), { timeout: 5_000 }).toBe(false);
  });

  it("dies with the engine even when it is busy", async () => {
    const engine = spawn(process.execPath, [`${fixtures}/endless-engine.ts`, "isolate"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(engine.stdout, "data");
    const [child] = childrenOf(engine.pid!);
    engine.kill("SIGKILL");
    await once(engine, "exit");
    await expect.poll(() => isThere(child!), { timeout: 5_000 }).toBe(false);
  });
});
