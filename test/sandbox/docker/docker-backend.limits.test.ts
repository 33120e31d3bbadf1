import { afterAll, expect, it } from "vitest";

import { describeWithEngine } from "./engine-available.ts";
import { assertNothingLeft, outcome, runOnce } from "./fixture.ts";

describeWithEngine("docker backend: limits", () => {
  afterAll(async () => {
    await assertNothingLeft();
  });

  it("run() fails a full tmpfs instead of the command", async () => {
    const script = "head -c 100000000 /dev/zero >/tmp/fill; echo $?; stat -c %s /tmp/fill";
    const execution = await runOnce(script, { request: { limits: { memoryMb: 64 } } });
    expect(execution).toMatchObject({ termination: "exit", exitCode: 0, stdout: "1\n33554432\n" });
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
