import { describe, expect, it } from "vitest";

import type { SandboxLimits, SandboxRequest } from "../../../src/contract/sandbox.ts";
import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import type { EngineFacts } from "../../../src/sandbox/docker/engine-facts.ts";
import { assertRequest } from "../../../src/sandbox/command-limits.ts";
import { resolveLimits } from "../../../src/sandbox/docker/resolve-limits.ts";

const facts: EngineFacts = { enforces: ["memoryMb", "pids", "cpus"], cpus: 2, mapsUsers: false, details: {} };

describe("resolveLimits()", () => {
  it("resolveLimits() fills in the documented defaults when nothing is asked for", () => {
    expect(resolveLimits(undefined, facts)).toStrictEqual({
      memoryMb: 512,
      pids: 256,
      cpus: 1,
      retainedOutputBytes: 30_000,
      floodBytes: 67_108_864,
      graceMs: 2_000,
    });
  });

  it.each<[SandboxLimits, string]>([
    [{ memoryMb: 5 }, "Cannot limit memoryMb of the sandbox to 5: it is out of range; use a whole number from 6"],
    [{ memoryMb: 64.5 }, "Cannot limit memoryMb of the sandbox to 64.5: it is out of range; use a whole number from 6"],
    [{ pids: -1 }, "Cannot limit pids of the sandbox to -1: it is out of range; use a whole number from 2"],
    [{ cpus: 3 }, "Cannot limit cpus of the sandbox to 3: it is out of range; use a number from 0.01 to 2"],
    [{ cpus: Number.NaN }, "Cannot limit cpus of the sandbox to NaN: it is out of range; use a number from 0.01 to 2"],
    [{ graceMs: -1 }, "Cannot limit graceMs of the sandbox to -1: it is out of range; use a whole number from 0"],
  ])("resolveLimits() refuses %o", (limits, message) => {
    expect(() => resolveLimits(limits, facts)).toThrow(new ConfigurationError(message));
  });

  it.each(["memoryMb", "pids", "cpus"] as const)(
    "resolveLimits() refuses an Engine without a control group for %s, also when it is not asked for",
    (name) => {
      const enforces = facts.enforces.filter((other) => other !== name);
      expect(() => resolveLimits(undefined, { ...facts, enforces })).toThrow(
        new ConfigurationError(
          `Cannot limit ${name} of the sandbox: the Docker Engine has no control group for it; enable the control group or choose another backend`,
        ),
      );
    },
  );
});

describe("assertRequest()", () => {
  it.each(["", "A=B", "A\0"])("assertRequest() refuses the environment variable %j", (name) => {
    expect(() => assertRequest("docker", { env: { [name]: "x" } })).toThrow(
      new ConfigurationError(
        `Cannot set the environment variable ${JSON.stringify(name)}: it has no name, or holds "=" or NUL; use a name and a value without them`,
      ),
    );
  });

  it("assertRequest() refuses a network that is neither off nor a list of hosts", () => {
    // A caller without types.
    const request = { network: "bridge" } as unknown as SandboxRequest;
    expect(() => assertRequest("docker", request)).toThrow(
      new ConfigurationError(
        'Cannot open a docker sandbox with network "bridge": use "none" or a list of allowed hosts',
      ),
    );
  });
});
