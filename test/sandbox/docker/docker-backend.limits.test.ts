import { afterAll, expect, it } from "vitest";

import { describeWithEngine } from "./engine-available.ts";
import { assertNothingLeft, outcome, runOnce } from "./fixture.ts";

const HOG = `perl -e '$x = "a" x 200000000; print "got it\\n"'`;

describeWithEngine("docker backend: limits", () => {
  afterAll(async () => {
    await assertNothingLeft();
  });

  it("run() reports out-of-memory when the kernel kills the command for it", async () => {
    const execution = await runOnce(`echo started; ${HOG}`, { request: { limits: { memoryMb: 64 } } });
    expect(execution).toMatchObject({
      termination: "out-of-memory",
      exitCode: null,
      signal: "SIGKILL",
      stdout: "started\n",
    });
  });

  it("run() reports the exit code when the command gets over a kill for memory", async () => {
    const execution = await runOnce(`${HOG} || echo recovered`, { request: { limits: { memoryMb: 64 } } });
    expect(execution).toMatchObject({ termination: "exit", exitCode: 0, stdout: "recovered\n" });
  });

  it("run() fails a full tmpfs instead of the command", async () => {
    const script = "head -c 100000000 /dev/zero >/tmp/fill; echo $?; stat -c %s /tmp/fill";
    const execution = await runOnce(script, { request: { limits: { memoryMb: 64 } } });
    expect(execution).toMatchObject({ termination: "exit", exitCode: 0, stdout: "1\n33554432\n" });
  });

  it("run() holds a fork bomb to its pids and ends it in time", async () => {
    const execution = await runOnce("bomb() { bomb | bomb & bomb; }; bomb", {
      timeoutMs: 1_500,
      request: { limits: { pids: 40, graceMs: 300 } },
    });
    expect(execution).toMatchObject({ termination: "timeout", exitCode: null, survivors: 0 });
    expect(execution.stderr).toContain("fork: retry: Resource temporarily unavailable");
    expect(execution.durationMs).toBeLessThan(20_000);
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

  it("run() gives a command the cpus that were asked for", async () => {
    const script =
      "cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us 2>/dev/null || cat /sys/fs/cgroup/cpu.max";
    const execution = await runOnce(script, { request: { limits: { cpus: 0.5 } } });
    expect(execution.stdout.trim().split(/\s+/)).toStrictEqual(["50000", "100000"]);
  });

  it("run() takes no core dump and few open files", async () => {
    expect(outcome(await runOnce("ulimit -Hc; ulimit -Hn"))).toStrictEqual({
      termination: "exit",
      exitCode: 0,
      signal: null,
      stdout: "0\n4096\n",
      stderr: "",
    });
  });
});
