import { randomUUID } from "node:crypto";

import { expect, it } from "vitest";

import { createBubblewrapBackend } from "../../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { outcome } from "../outcome.ts";
import { describeWithBubblewrap, findProcesses, runOnce } from "./fixture.ts";

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
