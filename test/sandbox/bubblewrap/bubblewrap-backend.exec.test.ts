import { randomUUID } from "node:crypto";

import { expect, it } from "vitest";

import type { SandboxRequest } from "../../../src/contract/sandbox.ts";
import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import { createBubblewrapBackend } from "../../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { outcome } from "../outcome.ts";
import { describeWithBubblewrap, findProcesses, runOnce } from "./fixture.ts";

describeWithBubblewrap("bubblewrap backend: running a command", () => {
  it("run() keeps stdout and stderr apart and reports the exit code when a command ends", async () => {
    const execution = await runOnce("echo out; echo err >&2; exit 7");
    expect(execution).toStrictEqual({
      termination: "exit",
      exitCode: 7,
      signal: null,
      stdout: "out\n",
      stderr: "err\n",
      stdoutBytes: 4,
      stderrBytes: 4,
      truncated: false,
      durationMs: execution.durationMs,
      survivors: 0,
    });
  });

  it("run() gives the command the request's environment and nothing of the host's", async () => {
    const request = { env: { GREETING: "hello\nworld", LANG: "C", LD_LIBRARY_PATH: "/workspace" } };
    const execution = await runOnce("env | sort", { request });
    expect(execution.stdout).toBe(
      [
        "GIT_CONFIG_COUNT=1",
        "GIT_CONFIG_KEY_0=safe.directory",
        "GIT_CONFIG_VALUE_0=*",
        "GIT_OPTIONAL_LOCKS=0",
        "GREETING=hello",
        "HOME=/home/agent",
        "LANG=C",
        "LD_LIBRARY_PATH=/workspace",
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PWD=/workspace",
        "SHLVL=1",
        "_=/usr/bin/env",
        "world",
        "",
      ].join("\n"),
    );
  });

  it("run() shows the environment on no command line of the host", async () => {
    const secret = randomUUID();
    const backend = createBubblewrapBackend();
    await using session = await backend.open({ env: { SECRET: secret } });
    const cancellation = new AbortController();
    let seen: readonly string[] | undefined;
    const execution = await session.run(
      { kind: "shell", script: 'echo "$SECRET"; sleep 60' },
      {
        timeoutMs: 30_000,
        signal: cancellation.signal,
        onOutput() {
          seen = findProcesses(secret);
          cancellation.abort();
        },
      },
    );
    expect([execution.stdout, seen]).toStrictEqual([`${secret}\n`, []]);
  });

  it("run() gives nothing of one command's output to the next", async () => {
    const backend = createBubblewrapBackend();
    for (let round = 0; round < 4; round += 1) {
      const request = { limits: { floodBytes: 100_000, retainedOutputBytes: 100, graceMs: 100 } };
      const flood = await runOnce("yes flood", { backend, request });
      expect(flood.termination).toBe("output-limit");
      expect((await runOnce("echo clean", { backend })).stdout).toBe("clean\n");
    }
  });

  it("run() refuses a command that is longer than Linux passes on", async () => {
    await expect(runOnce(`: ${"x".repeat(131_070)}`)).rejects.toThrow(
      new ConfigurationError("Cannot run a command: it is longer than 131,071 bytes; write it to a file and run that"),
    );
    expect((await runOnce(`: ${"x".repeat(131_000)}; echo fits`)).stdout).toBe("fits\n");
  });

  it.each<[SandboxRequest, string]>([
    [
      { image: "debian" },
      'Cannot open the "bubblewrap" sandbox: it runs no images, and "debian" was asked for; leave the image out or use "docker"',
    ],
    [
      { network: ["example.com"] },
      'Cannot open the "bubblewrap" sandbox: it can only keep the network off, and "example.com" was to be reached; leave the hosts out or use "docker"',
    ],
    [{ limits: { pids: 1 } }, "Cannot limit pids of the sandbox to 1: it is out of range; use a whole number from 2"],
  ])("open() refuses %o", async (request, message) => {
    await expect(createBubblewrapBackend().open(request)).rejects.toThrow(new ConfigurationError(message));
  });

  it("run() reports the signal when somebody else kills bubblewrap", async () => {
    const backend = createBubblewrapBackend();
    await using session = await backend.open({});
    const marker = randomUUID();
    const execution = await session.run(
      { kind: "shell", script: `: ${marker}; echo ready; sleep 60; :` },
      {
        timeoutMs: 30_000,
        onOutput() {
          const own = findProcesses(marker)
            .map(Number)
            .toSorted((left, right) => left - right);
          process.kill(own[0] ?? 0, "SIGKILL");
        },
      },
    );
    expect(outcome(execution)).toStrictEqual({
      termination: "signal",
      exitCode: null,
      signal: "SIGKILL",
      stdout: "ready\n",
      stderr: "",
    });
    expect(findProcesses(marker)).toStrictEqual([]);
  });
});
