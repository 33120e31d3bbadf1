import { describe, expect, it } from "vitest";

import type { Capabilities, SandboxBackend } from "../../src/contract/sandbox.ts";
import { createBackendSelector } from "../../src/sandbox/select-backend.ts";

function backend(name: string, capabilities: Partial<Capabilities> & { readonly available: boolean }) {
  let probes = 0;
  const fake: SandboxBackend & { probes(): number } = {
    name,
    probes: () => probes,
    async probe() {
      probes += 1;
      const base = { commands: ["shell"], workspace: "none", enforces: [], streams: true, details: {} };
      return { ...base, reason: `${name} is off`, remedy: `turn ${name} on`, ...capabilities } as Capabilities;
    },
    async open() {
      throw new Error("not opened here");
    },
  };
  return fake;
}

const off = { available: false };
const shell = { available: true, commands: ["shell"] } as const;
const javascript = { available: true, commands: ["javascript"] } as const;

describe("createBackendSelector()", () => {
  it("runs no shell command outside the image that was asked for", async () => {
    const docker = backend("docker", { ...shell, runsImages: true });
    const selector = createBackendSelector([backend("virtual", shell), docker, backend("isolate", javascript)]);
    const selected = await selector.select({ wanted: "auto", command: "shell", image: "python:3" });
    expect(selected.backend).toBe(docker);
    await expect(selector.select({ wanted: "virtual", command: "shell", image: "python:3" })).rejects.toThrow(
      'Cannot open the "virtual" sandbox: it runs no images, and "python:3" was asked for; leave the image out or use "docker"',
    );
    const only = createBackendSelector([backend("virtual", shell)]);
    await expect(only.select({ wanted: "auto", command: "shell", image: "python:3" })).rejects.toThrow(
      '"virtual": runs no images',
    );
    const script = await selector.select({ wanted: "auto", command: "javascript", image: "python:3" });
    expect(script.backend.name).toBe("isolate");
  });

  it("runs a shell command that is to reach hosts only where single hosts can be let through", async () => {
    const docker = backend("docker", { ...shell, allowsHosts: true });
    const hosts = ["a.example"];
    const selector = createBackendSelector([backend("virtual", shell), docker, backend("isolate", javascript)]);
    expect((await selector.select({ wanted: "auto", command: "shell", hosts })).backend).toBe(docker);
    expect((await selector.select({ wanted: "auto", command: "shell", hosts: [] })).backend.name).toBe("virtual");
    await expect(selector.select({ wanted: "virtual", command: "shell", hosts })).rejects.toThrow(
      'Cannot open the "virtual" sandbox: it can only keep the network off, and "a.example" was to be reached; leave the hosts out or use "docker"',
    );
    const only = createBackendSelector([backend("virtual", shell)]);
    await expect(only.select({ wanted: "auto", command: "shell", hosts })).rejects.toThrow(
      '"virtual": cannot let single hosts through',
    );
    expect((await selector.select({ wanted: "auto", command: "javascript", hosts })).backend.name).toBe("isolate");
  });

  it("takes the first backend that is available and runs the command when auto is wanted", async () => {
    const backends = [backend("docker", off), backend("isolate", javascript), backend("virtual", shell)];
    const selector = createBackendSelector(backends);
    expect((await selector.select({ wanted: "auto", command: "shell" })).backend.name).toBe("virtual");
    expect((await selector.select({ wanted: "auto", command: "javascript" })).backend.name).toBe("isolate");
  });

  it("passes over a backend that cannot enforce what was asked", async () => {
    const backends = [backend("virtual", shell), backend("docker", { ...shell, enforces: ["cpus"] })];
    const selector = createBackendSelector(backends);
    const query = { wanted: "auto", command: "shell", limits: { cpus: 2 } } as const;
    expect((await selector.select(query)).backend.name).toBe("docker");
  });

  it("probes a backend until it is available, and then no more", async () => {
    const [docker, virtual] = [backend("docker", off), backend("virtual", shell)];
    const selector = createBackendSelector([docker, virtual]);
    await selector.select({ wanted: "auto", command: "shell" });
    await selector.select({ wanted: "auto", command: "shell" });
    await selector.report();
    expect([docker.probes(), virtual.probes()]).toEqual([3, 1]);
  });

  it("fails with reason and remedy when the named backend is not available", async () => {
    const selector = createBackendSelector([backend("docker", off), backend("virtual", shell)]);
    await expect(selector.select({ wanted: "docker", command: "shell" })).rejects.toMatchObject({
      code: "sandbox-unavailable",
      message: 'Cannot use the "docker" sandbox: docker is off; turn docker on',
    });
  });

  it("fails when the named backend cannot enforce a limit", async () => {
    const selector = createBackendSelector([backend("virtual", shell)]);
    await expect(selector.select({ wanted: "virtual", command: "shell", limits: { cpus: 1 } })).rejects.toMatchObject({
      code: "configuration",
      message: 'Cannot open the "virtual" sandbox: it cannot enforce "cpus"; leave it out or use a backend that can',
    });
  });

  it("names the backends when the wanted one is unknown", async () => {
    const selector = createBackendSelector([backend("docker", off), backend("virtual", shell)]);
    const message =
      'Cannot use the sandbox "podman": there is none of that name; use one of "auto", "docker", "virtual"';
    expect(() => selector.assertKnown("podman")).toThrow(message);
    await expect(selector.select({ wanted: "podman", command: "shell" })).rejects.toThrow(message);
  });

  it("says why each backend does not fit when none does", async () => {
    const selector = createBackendSelector([backend("docker", off), backend("isolate", javascript)]);
    await expect(selector.select({ wanted: "auto", command: "shell" })).rejects.toMatchObject({
      code: "sandbox-unavailable",
      message:
        'Cannot run a shell command: no sandbox fits ("docker": docker is off (turn docker on); "isolate": runs no shell commands); install Docker (on Debian: apt-get install docker.io) or use Node 24 on Linux, and see "cofferdam doctor"',
    });
  });

  it("runs JavaScript where it can be run when the named backend is a shell", async () => {
    const selector = createBackendSelector([backend("virtual", shell), backend("isolate", javascript)]);
    expect((await selector.select({ wanted: "virtual", command: "javascript" })).backend.name).toBe("isolate");
  });

  it("does not run a shell command elsewhere when the named backend runs JavaScript only", async () => {
    const selector = createBackendSelector([backend("virtual", shell), backend("isolate", javascript)]);
    await expect(selector.select({ wanted: "isolate", command: "shell" })).rejects.toThrow(
      'Cannot run a shell command in the "isolate" sandbox: it does not run that kind; use a backend that does',
    );
  });
});
