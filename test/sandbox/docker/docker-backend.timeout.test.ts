import { afterAll, expect, it } from "vitest";

import { describeWithEngine } from "./engine-available.ts";
import { assertNothingLeft, leftovers, outcome, runOnce, testBackend } from "./fixture.ts";

describeWithEngine("docker backend: stopping a command", () => {
  afterAll(async () => {
    await assertNothingLeft();
  });

  it("run() asks with SIGTERM, keeps what was printed and gives no exit code when time is up", async () => {
    const execution = await runOnce("echo started; sleep 100", { timeoutMs: 500 });
    expect(outcome(execution)).toStrictEqual({
      termination: "timeout",
      exitCode: null,
      signal: "SIGTERM",
      stdout: "started\n",
      stderr: "",
    });
    expect(execution.durationMs).toBeLessThan(5_000);
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

  it("run() kills what ignores SIGTERM, and everything that has got away from its parents", async () => {
    const script = "trap '' TERM; setsid sh -c 'trap \"\" TERM HUP; sleep 300' & disown -a; echo started; sleep 300";
    const execution = await runOnce(script, { timeoutMs: 500, request: { limits: { graceMs: 300 } } });
    expect({ ...outcome(execution), survivors: execution.survivors }).toStrictEqual({
      termination: "timeout",
      exitCode: null,
      signal: "SIGKILL",
      stdout: "started\n",
      stderr: "",
      survivors: 0,
    });
    expect(execution.durationMs).toBeLessThan(10_000);
  });

  it("run() ends with the command when a background process holds its output open", async () => {
    const execution = await runOnce("setsid sleep 300 & (sleep 300 &) ; echo done", { timeoutMs: 30_000 });
    expect(outcome(execution)).toStrictEqual({
      termination: "exit",
      exitCode: 0,
      signal: null,
      stdout: "done\n",
      stderr: "",
    });
    expect(execution.durationMs).toBeLessThan(10_000);
  });

  it("run() starts nothing when it is cancelled before", async () => {
    const execution = await runOnce("echo never", { signal: AbortSignal.abort() });
    expect(outcome(execution)).toStrictEqual({
      termination: "cancelled",
      exitCode: null,
      signal: null,
      stdout: "",
      stderr: "",
    });
  });

  it("run() leaves nothing behind whenever it is cancelled on the way to the start", async () => {
    const backend = testBackend();
    await using session = await backend.open({});
    for (const afterMs of [0, 10, 30, 60, 120, 250]) {
      const signal = AbortSignal.timeout(afterMs);
      const execution = await session.run({ kind: "shell", script: "sleep 100" }, { timeoutMs: 30_000, signal });
      expect(execution.termination).toBe("cancelled");
      expect(execution.exitCode).toBeNull();
      expect(await leftovers()).toStrictEqual([]);
    }
  });
});
