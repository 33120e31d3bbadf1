import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import type { Capabilities } from "../../../src/contract/sandbox.ts";
import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import { SandboxUnavailableError } from "../../../src/errors/sandbox-unavailable-error.ts";
import { createDockerBackend } from "../../../src/sandbox/docker/docker-backend.ts";
import { noLifeline, owner } from "./fixture.ts";

const INFO = {
  OSType: "linux",
  NCPU: 4,
  MemoryLimit: true,
  SwapLimit: true,
  PidsLimit: true,
  CpuCfsQuota: true,
  ServerVersion: "99.1",
};

describe("probe() and open() with an Engine that cannot be used", () => {
  it("probe() says how to start an Engine when none answers", async () => {
    expect(await probe("unix:///nonexistent/docker.sock")).toStrictEqual({
      available: false,
      reason: "no Docker Engine answers at unix:///nonexistent/docker.sock",
      remedy: "Start the Docker Engine: sudo systemctl start docker",
    });
  });

  it("open() says the same as an error", async () => {
    const backend = createDockerBackend({ owner, dockerHost: "tcp://127.0.0.1:1", lifeline: noLifeline });
    await expect(backend.open({})).rejects.toThrow(
      new SandboxUnavailableError(
        "Cannot open a docker sandbox: no Docker Engine answers at tcp://127.0.0.1:1; start the Docker Engine: sudo systemctl start docker",
      ),
    );
  });

  it("probe() says that DOCKER_CONTEXT is not read when it is set and nothing answers at the usual place", async () => {
    vi.stubEnv("DOCKER_CONTEXT", "colima");
    vi.stubEnv("DOCKER_HOST", "");
    try {
      const { readEngineFacts } = await import("../../../src/sandbox/docker/engine-facts.ts");
      const { default: Docker } = await import("dockerode");
      const state = await readEngineFacts(new Docker({ socketPath: "/nonexistent/docker.sock" }));
      expect(state).toStrictEqual({
        usable: false,
        reason: "no Docker Engine answers at unix:///var/run/docker.sock",
        remedy: 'Set DOCKER_HOST to the address that "docker context inspect colima" shows: DOCKER_CONTEXT is not read',
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it.each(["docker.sock", "ssh://host", "tcp://host", "tcp//:2375"])(
    "open() refuses the address %j",
    async (dockerHost) => {
      const backend = createDockerBackend({ owner, dockerHost, lifeline: noLifeline });
      await expect(backend.open({})).rejects.toThrow(
        new ConfigurationError(
          `Cannot connect to the Docker Engine: "${dockerHost}" is no address of a Docker Engine; use unix:///path or tcp://host:port, or leave DOCKER_HOST unset`,
        ),
      );
    },
  );

  it.each([
    [
      "garbage",
      '"garbage" is no address of a Docker Engine',
      "Use unix:///path or tcp://host:port, or leave DOCKER_HOST unset",
    ],
    [
      "tcp://127.0.0.1:1",
      "no Docker Engine answers at tcp://127.0.0.1:1",
      "Start that Docker Engine, or correct DOCKER_HOST",
    ],
  ])("probe() says what is wrong with DOCKER_HOST=%s", async (dockerHost, reason, remedy) => {
    vi.stubEnv("DOCKER_HOST", dockerHost);
    try {
      expect(await createDockerBackend({ owner, lifeline: noLifeline }).probe()).toStrictEqual({
        available: false,
        reason,
        remedy,
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("probe() refuses an Engine that runs Windows containers", async () => {
    const capabilities = await withEngine({ "/info": { ...INFO, OSType: "windows" } }, probe);
    expect(capabilities).toStrictEqual({
      available: false,
      reason: "the Docker Engine runs windows containers",
      remedy: "Switch the Docker Engine to Linux containers",
    });
  });

  it("probe() names the command that builds the default image when it is missing", async () => {
    expect(await withEngine({ "/info": INFO }, probe)).toStrictEqual({
      available: false,
      reason: 'the Docker Engine has no image "cofferdam-sandbox:latest"',
      remedy: "Build it: npx cofferdam images build",
    });
  });

  it.each([
    ["memoryMb", { SwapLimit: false }],
    ["memoryMb", { MemoryLimit: false }],
    ["pids", { PidsLimit: false }],
    ["cpus", { CpuCfsQuota: false }],
  ])("open() refuses an Engine that cannot limit %s (%o)", async (name, info) => {
    const answers = {
      "/info": { ...INFO, ...info },
      "/images/cofferdam-sandbox:latest/json": { Id: "sha256:1" },
    };
    await withEngine(answers, async (dockerHost) => {
      const backend = createDockerBackend({ owner, dockerHost, lifeline: noLifeline });
      await expect(backend.open({})).rejects.toThrow(
        new ConfigurationError(
          `Cannot limit ${name} of the sandbox: the Docker Engine has no control group for it; enable the control group or choose another backend`,
        ),
      );
    });
  });

  it("probe() gives the Engine's own words when it answers with an error", async () => {
    expect(await withEngine({}, probe)).toStrictEqual({
      available: false,
      reason: 'Cannot reach the Engine: the Docker Engine says "no answer for /info"',
      remedy: "Start the Docker Engine: sudo systemctl start docker",
    });
  });
});

async function probe(dockerHost: string): Promise<Capabilities> {
  return createDockerBackend({ owner, dockerHost, lifeline: noLifeline }).probe();
}

/** An Engine that has these answers and no others. */
async function withEngine<T>(
  answers: Readonly<Record<string, unknown>>,
  use: (dockerHost: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-test-"));
  const answer: RequestListener = (request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    const body = answers[path];
    response.statusCode = body === undefined ? (path === "/info" ? 500 : 404) : 200;
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(body ?? { message: `no answer for ${path}` }));
  };
  const server = createServer(answer);
  try {
    const socket = join(directory, "engine.sock");
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    return await use(`unix://${socket}`);
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(directory, { recursive: true });
  }
}
