import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { afterAll, describe, expect, it } from "vitest";

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
