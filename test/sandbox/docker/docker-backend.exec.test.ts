import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";

import { afterAll, describe, expect, it } from "vitest";

import type { OutputChunk } from "../../../src/contract/sandbox.ts";
import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import { SandboxUnavailableError } from "../../../src/errors/sandbox-unavailable-error.ts";
import { connectDocker } from "../../../src/sandbox/docker/connect-docker.ts";
import { describeWithEngine } from "./engine-available.ts";
import { assertNothingLeft, leftovers, outcome, owner, runOnce, testBackend } from "./fixture.ts";
import { TEST_IMAGE } from "./test-image.ts";

describeWithEngine("docker backend: running a command", () => {
  afterAll(async () => {
    await assertNothingLeft();
  });

  it("run() keeps stdout and stderr apart and reports the exit code when a command ends", async () => {
    const execution = await runOnce("echo out; echo err >&2; exit 7");
    const docker = await connectDocker();
    const { Id } = await docker.getImage(TEST_IMAGE).inspect();
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
      details: { image: TEST_IMAGE, imageId: Id },
    });
    expect(execution.durationMs).toBeLessThan(10_000);
  });

  it("run() gives the command the request's environment and nothing of the host's", async () => {
    const execution = await runOnce("env | sort", { request: { env: { GREETING: "hello\nworld", LANG: "C" } } });
    expect(execution.stdout).toBe(
      [
        "GIT_CONFIG_COUNT=1",
        "GIT_CONFIG_KEY_0=safe.directory",
        "GIT_CONFIG_VALUE_0=*",
        "GIT_OPTIONAL_LOCKS=0",
        "GREETING=hello",
        "HOME=/home/agent",
        "HOSTNAME=sandbox",
        "LANG=C",
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PWD=/workspace",
        "SHLVL=1",
        "_=/usr/bin/env",
        "world",
        "",
      ].join("\n"),
    );
  });

  it("run() closes stdin at once when there is nothing to read", async () => {
    expect(outcome(await runOnce("cat; echo read"))).toStrictEqual({
      termination: "exit",
      exitCode: 0,
      signal: null,
      stdout: "read\n",
      stderr: "",
    });
  });

  it("run() sends stdin byte for byte and then its end", async () => {
    const stdin = Buffer.alloc(300_000, "0123456789abcdef\0\xff", "latin1");
    const digest = createHash("sha256").update(stdin).digest("hex");
    expect((await runOnce("sha256sum", { stdin })).stdout).toBe(`${digest}  -\n`);
  });

  it("run() ends well when the command does not read its stdin", async () => {
    const execution = await runOnce("echo done", { stdin: Buffer.alloc(5_000_000, "x") });
    expect(outcome(execution)).toStrictEqual({
      termination: "exit",
      exitCode: 0,
      signal: null,
      stdout: "done\n",
      stderr: "",
    });
  });

  it("run() streams output while the command runs", async () => {
    const backend = testBackend();
    await using session = await backend.open({});
    const cancellation = new AbortController();
    const heard: string[] = [];
    const execution = await session.run(
      { kind: "shell", script: "echo first; sleep 60; echo second" },
      {
        timeoutMs: 30_000,
        signal: cancellation.signal,
        onOutput({ stream, bytes }: OutputChunk) {
          heard.push(`${stream}: ${Buffer.from(bytes).toString()}`);
          cancellation.abort();
        },
      },
    );
    expect(heard).toStrictEqual(["stdout: first\n"]);
    expect(outcome(execution)).toStrictEqual({
      termination: "cancelled",
      exitCode: null,
      signal: "SIGTERM",
      stdout: "first\n",
      stderr: "",
    });
  });

  it("run() reports a code above 128 as it is when no signal came from outside", async () => {
    const backend = testBackend();
    await using session = await backend.open({});
    for (const script of ["exit 137", "kill -9 $$"]) {
      const execution = await session.run({ kind: "shell", script }, { timeoutMs: 30_000 });
      expect(outcome(execution)).toStrictEqual({
        termination: "exit",
        exitCode: 137,
        signal: null,
        stdout: "",
        stderr: "",
      });
    }
  });

  it("run() reports the signal when somebody else kills the container", async () => {
    const docker = await connectDocker();
    const backend = testBackend();
    await using session = await backend.open({});
    const execution = await session.run(
      { kind: "shell", script: "echo ready; sleep 60" },
      {
        timeoutMs: 30_000,
        onOutput: () => {
          void leftovers().then(async ([name = ""]) => docker.getContainer(name.slice(1)).kill({ signal: "SIGINT" }));
        },
      },
    );
    expect(outcome(execution)).toStrictEqual({
      termination: "signal",
      exitCode: null,
      signal: "SIGINT",
      stdout: "ready\n",
      stderr: "",
    });
  });

  it("run() refuses JavaScript, a second command at a time, and a closed session", async () => {
    const session = await testBackend().open({});
    const script = { kind: "shell", script: "sleep 60" } as const;
    await expect(session.run({ kind: "javascript", code: "return 1" }, { timeoutMs: 1000 })).rejects.toThrow(
      new ConfigurationError(
        'Cannot run a command of kind "javascript" in a docker sandbox: it runs "shell" only; choose the backend isolate',
      ),
    );
    const first = session.run(script, { timeoutMs: 30_000 });
    await expect(session.run(script, { timeoutMs: 1000 })).rejects.toThrow(
      new ConfigurationError("Cannot run a command: another one runs in this session; await it first"),
    );
    const ended = Promise.allSettled([first]);
    await session[Symbol.asyncDispose]();
    expect(await ended).toStrictEqual([{ status: "rejected", reason: expect.any(SandboxUnavailableError) }]);
    await expect(first).rejects.toThrow(
      new SandboxUnavailableError(
        "Cannot finish the command: the session was closed meanwhile; close it after the command",
      ),
    );
    await expect(session.run(script, { timeoutMs: 1000 })).rejects.toThrow(
      new ConfigurationError("Cannot run a command: the session is closed; open a new one"),
    );
  });

  it("probe() reports what is there and what is enforced", async () => {
    const capabilities = await testBackend().probe();
    expect(capabilities).toMatchObject({
      available: true,
      commands: ["shell"],
      workspace: "mount",
      enforces: ["memoryMb", "pids", "cpus", "retainedOutputBytes", "floodBytes", "graceMs", "network", "wallTime"],
      streams: true,
      runsImages: true,
      allowsHosts: true,
      details: { image: TEST_IMAGE },
    });
  });

  it("open() says how to get an image that the Engine does not have", async () => {
    await expect(testBackend().open({ image: "cofferdam-test-missing:1" })).rejects.toThrow(
      new SandboxUnavailableError(
        'Cannot open a docker sandbox: the Docker Engine has no image "cofferdam-test-missing:1"; get it: docker pull cofferdam-test-missing:1',
      ),
    );
    expect(await testBackend({ image: "cofferdam-test-missing:1" }).probe()).toStrictEqual({
      available: false,
      reason: 'the Docker Engine has no image "cofferdam-test-missing:1"',
      remedy: "Get it: docker pull cofferdam-test-missing:1",
    });
  });
});

describe("dockerode", () => {
  it("createDockerBackend() loads it only when an Engine is asked for", async () => {
    const backendModule = new URL("../../../src/sandbox/docker/docker-backend.ts", import.meta.url);
    const program = `
      const { createDockerBackend } = await import(${JSON.stringify(backendModule.href)});
      createDockerBackend({ owner: ${JSON.stringify(owner)} });
      const { createRequire } = await import("node:module");
      const { cache } = createRequire(${JSON.stringify(backendModule.pathname)});
      const isLoaded = () => Object.keys(cache).some((file) => file.includes("/dockerode/"));
      const before = isLoaded();
      await import(${JSON.stringify(import.meta.resolve("dockerode"))});
      console.log(before, isLoaded());`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
    expect(stdout).toBe("false true\n");
  });
});
