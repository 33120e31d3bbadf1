import { deepEqual, equal, ok } from "node:assert/strict";

import type { BackendCheck, BackendUnderTest } from "./backend-check.ts";
import { exited, lastingCommand, outcomeOf, runCommand, runScript } from "./run-command.ts";

const STOPPED = { exitCode: null, survivors: 0 };
/** What a backend may take to stop a command, beyond the wall and grace times. */
const LENIENCE_MS = 2_000;

/** How commands are stopped, and what is told of them. */
export const stopChecks: readonly BackendCheck[] = [
  {
    name: "run() stops a command at the wall time, and gives no exit code",
    needs: ["wallTime"],
    async run({ backend, capabilities }) {
      const execution = await runCommand(backend, lastingCommand(capabilities), { timeoutMs: 1_500 });
      const { termination, exitCode, survivors, durationMs } = execution;
      deepEqual({ termination, exitCode, survivors }, { termination: "timeout", ...STOPPED });
      ok(durationMs < 1_500 + 2_000 + LENIENCE_MS, `it took ${durationMs} ms`);
    },
  },
  {
    name: "run() keeps what a command printed before the wall time",
    needs: ["shell", "wallTime"],
    async run({ backend }) {
      const script = "echo started; echo careful >&2; sleep 300";
      const { termination, stdout, stderr } = await runScript(backend, script, { timeoutMs: 3_000 });
      deepEqual({ termination, stdout, stderr }, { termination: "timeout", stdout: "started\n", stderr: "careful\n" });
    },
  },
  {
    name: "run() gives a command that answers SIGTERM the grace time to clean up",
    needs: ["shell", "programs", "graceMs"],
    async run({ backend }) {
      const script = "trap 'echo cleaned up; exit 0' TERM; echo started; while :; do sleep 0.05; done";
      const request = { limits: { graceMs: 10_000 } };
      deepEqual(outcomeOf(await runScript(backend, script, { timeoutMs: 1_500, request })), {
        termination: "timeout",
        exitCode: null,
        signal: null,
        stdout: "started\ncleaned up\n",
        stderr: "",
      });
    },
  },
  ...(
    [
      ["ignores SIGTERM", "trap '' TERM; echo started; while :; do sleep 0.1; done"],
      ["is stopped", "echo started; kill -STOP $$"],
    ] as const
  ).map(([what, script]) => ({
    name: `run() kills a command that ${what} after the grace time`,
    needs: ["shell", "programs", "graceMs"] as const,
    async run({ backend }: BackendUnderTest) {
      const request = { limits: { graceMs: 300 } };
      const execution = await runScript(backend, script, { timeoutMs: 1_500, request });
      deepEqual(outcomeOf(execution), {
        termination: "timeout",
        exitCode: null,
        signal: "SIGKILL",
        stdout: "started\n",
        stderr: "",
      });
      ok(execution.durationMs < 1_500 + 300 + LENIENCE_MS, `it took ${execution.durationMs} ms`);
    },
  })),
  {
    name: "run() starts nothing when it is cancelled before",
    needs: [],
    async run({ backend, capabilities }) {
      const signal = AbortSignal.abort();
      const execution = await runCommand(backend, lastingCommand(capabilities), { signal, timeoutMs: 60_000 });
      const { termination, exitCode, stdout, survivors } = execution;
      deepEqual({ termination, exitCode, stdout, survivors }, { termination: "cancelled", stdout: "", ...STOPPED });
    },
  },
  {
    name: "run() is cancelled whenever that happens on the way to the start, and leaves nothing",
    needs: [],
    async run({ backend, capabilities }) {
      await using session = await backend.open({});
      for (const afterMs of [0, 5, 20, 60, 150, 400]) {
        const options = { timeoutMs: 60_000, signal: AbortSignal.timeout(afterMs) };
        const { termination, exitCode, survivors } = await session.run(lastingCommand(capabilities), options);
        deepEqual({ termination, exitCode, survivors }, { termination: "cancelled", ...STOPPED });
      }
    },
  },
  {
    name: "run() keeps what a command printed before it was cancelled",
    needs: ["shell", "streams"],
    async run({ backend }) {
      const cancellation = new AbortController();
      const { termination, exitCode, stdout } = await runScript(backend, "echo started; sleep 300", {
        signal: cancellation.signal,
        onOutput: () => cancellation.abort(),
      });
      deepEqual({ termination, exitCode, stdout }, { termination: "cancelled", exitCode: null, stdout: "started\n" });
    },
  },
  {
    name: "run() goes on as usual in the same session after a command was stopped",
    needs: ["shell"],
    async run({ backend }) {
      await using session = await backend.open({});
      const stopped = await session.run({ kind: "shell", script: "sleep 300" }, { timeoutMs: 1_000 });
      equal(stopped.termination, "timeout");
      const next = await session.run({ kind: "shell", script: "echo next" }, { timeoutMs: 60_000 });
      deepEqual(outcomeOf(next), exited(0, { stdout: "next\n" }));
    },
  },
];
