import { randomUUID } from "node:crypto";

import { expect, it } from "vitest";

import { createBubblewrapBackend } from "../../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { outcome } from "../outcome.ts";
import { describeWithBubblewrap, findProcesses, runOnce } from "./fixture.ts";

const HOG = `perl -e '$x = "a" x 200000000; print "got it\\n"'`;

describeWithBubblewrap("bubblewrap backend: stopping a command", () => {
  it("run() asks with SIGTERM, keeps what was printed and gives no exit code when time is up", async () => {
    const execution = await runOnce("echo started; sleep 100", { timeoutMs: 500 });
    expect(outcome(execution)).toStrictEqual({
      termination: "timeout",
      exitCode: null,
      signal: "SIGTERM",
      stdout: "started\n",
      stderr: "",
    });
  });

  it("run() lets a command that answers SIGTERM finish within the grace time", async () => {
    const script = "trap 'echo cleaned up; exit 0' TERM; echo started; while :; do sleep 0.05; done";
    expect(outcome(await runOnce(script, { timeoutMs: 500 }))).toStrictEqual({
      termination: "timeout",
      exitCode: null,
      signal: null,
      stdout: "started\ncleaned up\n",
      stderr: "",
    });
  });

  it.each([
    ["ignores SIGTERM", "trap '' TERM; sleep 300"],
    ["is stopped", "kill -STOP $$"],
    ["has children in other sessions", "trap '' TERM; setsid sh -c 'trap \"\" TERM HUP; sleep 300' & sleep 300"],
    ["has forked twice", "trap '' TERM; (setsid nohup sh -c 'sleep 300 & sleep 300' &) ; sleep 300"],
    ["has stopped children", "trap '' TERM; setsid sh -c 'kill -STOP $$' & sleep 300"],
  ])("run() leaves nothing of a command that %s", async (_how, script) => {
    const marker = randomUUID();
    const marked = `echo started; bash -c ": ${marker}; sleep 300; :" & ${script}`;
    const execution = await runOnce(marked, { timeoutMs: 500, request: { limits: { graceMs: 300 } } });
    expect({ ...outcome(execution), survivors: execution.survivors }).toStrictEqual({
      termination: "timeout",
      exitCode: null,
      signal: "SIGKILL",
      stdout: "started\n",
      stderr: "",
      survivors: 0,
    });
    expect(findProcesses(marker)).toStrictEqual([]);
  });

  it("run() ends with the command when background processes hold its output open", async () => {
    const marker = randomUUID();
    const execution = await runOnce(`setsid bash -c ": ${marker}; sleep 300; :" & (sleep 300 &) ; echo done`);
    expect(outcome(execution)).toStrictEqual({
      termination: "exit",
      exitCode: 0,
      signal: null,
      stdout: "done\n",
      stderr: "",
    });
    expect(findProcesses(marker)).toStrictEqual([]);
  });

  it("run() starts nothing when it is cancelled before", async () => {
    const execution = await runOnce("echo never", { signal: AbortSignal.abort() });
    expect(execution).toMatchObject({ termination: "cancelled", exitCode: null, stdout: "", durationMs: 0 });
  });

  it("run() leaves nothing behind whenever it is cancelled on the way to the start", async () => {
    const backend = createBubblewrapBackend();
    await using session = await backend.open({});
    for (const afterMs of [0, 1, 3, 10, 20, 40, 80, 160]) {
      const marker = randomUUID();
      const signal = AbortSignal.timeout(afterMs);
      const script = `: ${marker}; sleep 100; :`;
      const execution = await session.run({ kind: "shell", script }, { timeoutMs: 30_000, signal });
      expect([execution.termination, execution.exitCode]).toStrictEqual(["cancelled", null]);
      expect(findProcesses(marker)).toStrictEqual([]);
    }
  });

  it("dispose() ends a running command", async () => {
    const session = await createBubblewrapBackend().open({});
    const marker = randomUUID();
    const { promise: started, resolve } = Promise.withResolvers<void>();
    const running = session.run(
      { kind: "shell", script: `trap '' TERM; : ${marker}; echo; sleep 300; :` },
      { timeoutMs: 300_000, onOutput: () => resolve() },
    );
    await started;
    await session[Symbol.asyncDispose]();
    expect((await running).termination).toBe("cancelled");
    expect(findProcesses(marker)).toStrictEqual([]);
  });

  it("run() kills a flood of output and keeps its head and tail", async () => {
    const execution = await runOnce("yes", {
      request: { limits: { floodBytes: 1_000_000, retainedOutputBytes: 200 } },
    });
    expect(execution).toMatchObject({
      termination: "output-limit",
      exitCode: null,
      signal: "SIGKILL",
      truncated: true,
    });
    expect(execution.stdoutBytes).toBeGreaterThan(1_000_000);
    expect(execution.stdout.length).toBeLessThan(400);
  });

  it("run() fails a full directory in memory instead of the command", async () => {
    const script =
      "for d in /tmp /dev/shm /home/agent /run; do head -c 600000000 /dev/zero >$d/fill; stat -c %s $d/fill; rm $d/fill; done";
    const execution = await runOnce(script);
    expect(execution).toMatchObject({
      termination: "exit",
      exitCode: 0,
      stdout: "268435456\n134217728\n134217728\n16777216\n",
    });
  });

  it("run() takes no core dump, few open files, and no file that a layer could not keep", async () => {
    const { stdout } = await runOnce("ulimit -Hc; ulimit -Hn; truncate -s 9G /tmp/large; echo $?");
    expect(stdout).toBe("0\n4096\n153\n");
  });
});

const { available, ...facts } = await createBubblewrapBackend().probe();
const hasGroups = available && "enforces" in facts && facts.enforces.includes("memoryMb");

describeWithBubblewrap("bubblewrap backend: limits of control groups", () => {
  it.runIf(hasGroups)("run() reports out-of-memory when the kernel kills the command for it", async () => {
    const execution = await runOnce(`echo started; ${HOG}`, { request: { limits: { memoryMb: 64 } } });
    expect(execution).toMatchObject({
      termination: "out-of-memory",
      exitCode: null,
      signal: "SIGKILL",
      stdout: "started\n",
    });
  });

  it.runIf(hasGroups)("run() reports the exit code when the command gets over a kill for memory", async () => {
    const execution = await runOnce(`${HOG} || echo recovered`, { request: { limits: { memoryMb: 64 } } });
    expect(execution).toMatchObject({ termination: "exit", exitCode: 0, stdout: "recovered\n" });
  });

  it.runIf(hasGroups)("run() gives a command no more than the processor time that was asked for", async () => {
    const script = "t=$(($(date +%s%N) + 1000000000)); while [ $(date +%s%N) -lt $t ]; do :; done; times | tail -n 1";
    const execution = await runOnce(script, { request: { limits: { cpus: 0.1 } } });
    const [, user = "", system = ""] = /0m([\d.]+)s 0m([\d.]+)s/.exec(execution.stdout) ?? [];
    expect(Number(user) + Number(system)).toBeLessThan(0.5);
  });

  it("run() holds a fork bomb to its pids and ends it in time", async () => {
    const execution = await runOnce("bomb() { bomb | bomb & bomb; }; bomb", {
      timeoutMs: 1_500,
      request: { limits: { pids: 40, graceMs: 300 } },
    });
    expect(execution).toMatchObject({ termination: "timeout", exitCode: null, survivors: 0 });
    expect(execution.stderr).toContain("fork: retry: Resource temporarily unavailable");
  });
});
