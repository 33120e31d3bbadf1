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
