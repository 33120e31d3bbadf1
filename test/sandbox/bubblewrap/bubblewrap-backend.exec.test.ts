import { createHash, randomUUID } from "node:crypto";

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

  it("run() gives the command its three streams and no other descriptor", async () => {
    const { stdout } = await runOnce("ls /proc/$$/fd; :");
    expect(stdout).toBe("0\n1\n2\n");
  });

  it("run() gives the command streams that can be opened by name", async () => {
    const script = "cat /dev/stdin >/dev/stdout; echo err >/dev/stderr; [ -p /dev/stdout ] && echo pipe";
    expect(outcome(await runOnce(script, { stdin: Buffer.from("in\n") }))).toStrictEqual({
      termination: "exit",
      exitCode: 0,
      signal: null,
      stdout: "in\npipe\n",
      stderr: "err\n",
    });
  });

  it("run() closes stdin at once when there is nothing to read", async () => {
    expect((await runOnce("cat; echo read")).stdout).toBe("read\n");
  });

  it("run() sends stdin byte for byte and then its end", async () => {
    const stdin = Buffer.alloc(300_000, "0123456789abcdef\0\xff", "latin1");
    const digest = createHash("sha256").update(stdin).digest("hex");
    expect((await runOnce("sha256sum", { stdin })).stdout).toBe(`${digest}  -\n`);
  });

  it("run() ends well when the command does not read its stdin", async () => {
    const execution = await runOnce("echo done", { stdin: Buffer.alloc(5_000_000, "x") });
    expect(execution).toMatchObject({ termination: "exit", exitCode: 0, stdout: "done\n", stderr: "" });
  });

  it("run() reports 127 for a program that does not exist, and codes above 128 as they are", async () => {
    const backend = createBubblewrapBackend();
    await using session = await backend.open({});
    const codes: (number | null)[] = [];
    for (const script of ["no-such-program", "exit 137", "kill -9 $$", "kill -TERM $$; sleep 9"]) {
      codes.push((await session.run({ kind: "shell", script }, { timeoutMs: 30_000 })).exitCode);
    }
    expect(codes).toStrictEqual([127, 137, 137, 143]);
  });

  it("run() runs several sessions of one backend at once, each with its own output", async () => {
    const backend = createBubblewrapBackend();
    const numbers = Array.from({ length: 6 }, (_, index) => String(index));
    const outputs = await Promise.all(
      numbers.map(
        async (number) => (await runOnce(`head -c 200000 /dev/zero | tr '\\0' ${number}`, { backend })).stdout,
      ),
    );
    expect(outputs.map((output) => [...new Set(output.replaceAll(/\n.*\n/g, ""))].join())).toStrictEqual(numbers);
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

  it("run() refuses JavaScript", async () => {
    await using session = await createBubblewrapBackend().open({});
    await expect(session.run({ kind: "javascript", code: "return 1" }, { timeoutMs: 1000 })).rejects.toThrow(
      new ConfigurationError(
        'Cannot run a javascript command in the "bubblewrap" sandbox: it does not run that kind; use a backend that does',
      ),
    );
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
