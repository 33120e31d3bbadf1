import type { SandboxLimits, SandboxRequest } from "../contract/sandbox.ts";
import { hostsOf } from "../egress/host-rule.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import {
  allowsNoHosts,
  environmentInvalid,
  limitInvalid,
  networkInvalid,
  runsNoImages,
} from "../errors/messages/sandbox.ts";

/** Limits with their defaults filled in. */
export type ResolvedLimits = Required<SandboxLimits>;

/** Docker's Engine refuses less; a shell does not start in much less either. */
const LEAST_MEMORY_MB = 6;
/** The process that reaps, and the shell. */
const LEAST_PIDS = 2;
const LEAST_CPUS = 0.01;

/**
 * Fills in the default limits of a sandbox that runs real programs.
 * @throws ConfigurationError when one is out of range; `machine.cpus` are the most that can be given.
 */
export function fillLimits(asked: SandboxLimits | undefined, machine: { readonly cpus: number }): ResolvedLimits {
  const limits: ResolvedLimits = {
    memoryMb: asked?.memoryMb ?? 512,
    pids: asked?.pids ?? 256,
    cpus: asked?.cpus ?? 1,
    retainedOutputBytes: asked?.retainedOutputBytes ?? 30_000,
    floodBytes: asked?.floodBytes ?? 64 * 1024 ** 2,
    graceMs: asked?.graceMs ?? 2_000,
  };
  assertWhole("memoryMb", limits.memoryMb, LEAST_MEMORY_MB);
  assertWhole("pids", limits.pids, LEAST_PIDS);
  assertWhole("retainedOutputBytes", limits.retainedOutputBytes, 0);
  assertWhole("floodBytes", limits.floodBytes, 0);
  assertWhole("graceMs", limits.graceMs, 0);
  if (!(limits.cpus >= LEAST_CPUS && limits.cpus <= machine.cpus)) {
    const range = `a number from ${LEAST_CPUS} to ${machine.cpus}`;
    throw new ConfigurationError(limitInvalid("cpus", limits.cpus, range));
  }
  return limits;
}

/**
 * Refuses a network that is none, and an environment that could not be passed on as it is.
 * @throws ConfigurationError
 */
export function assertRequest(backend: string, request: SandboxRequest): void {
  const network: unknown = request.network ?? "none";
  if (network !== "none" && !Array.isArray(network)) {
    throw new ConfigurationError(networkInvalid(backend, JSON.stringify(network)));
  }
  for (const [name, value] of Object.entries(request.env ?? {})) {
    if (name === "" || /[=\0]/.test(name) || value.includes("\0")) {
      throw new ConfigurationError(environmentInvalid(name));
    }
  }
}

/**
 * Refuses an image and hosts, for a sandbox that runs no images and can only keep the network off.
 * @throws ConfigurationError
 */
export function assertNoImageNorHosts(backend: string, request: SandboxRequest): void {
  if (request.image !== undefined) throw new ConfigurationError(runsNoImages(backend, request.image));
  const hosts = hostsOf(request.network);
  if (hosts.length > 0) throw new ConfigurationError(allowsNoHosts(backend, hosts));
}

function assertWhole(name: keyof SandboxLimits, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new ConfigurationError(limitInvalid(name, value, `a whole number from ${least}`));
}
