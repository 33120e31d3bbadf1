import type { SandboxLimits, SandboxRequest } from "../../contract/sandbox.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import type { ResolvedLimits } from "./container-options.ts";
import type { EngineFacts } from "./engine-facts.ts";

/** The Engine refuses less; a shell does not start in much less either. */
const LEAST_MEMORY_MB = 6;
/** docker-init and the shell. */
const LEAST_PIDS = 2;
const LEAST_CPUS = 0.01;

/**
 * Fills in the default limits and refuses what the Engine would ignore. A default is a promise as well: an Engine that
 * cannot hold it is refused, whether or not the limit was asked for.
 * @throws ConfigurationError
 */
export function resolveLimits(asked: SandboxLimits | undefined, facts: EngineFacts): ResolvedLimits {
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
  if (!(limits.cpus >= LEAST_CPUS && limits.cpus <= facts.cpus)) {
    const range = `a number from ${LEAST_CPUS} to ${facts.cpus}`;
    throw new ConfigurationError(dockerMessages.limitInvalid("cpus", limits.cpus, range));
  }
  for (const name of ["memoryMb", "pids", "cpus"] as const) {
    if (!facts.enforces.includes(name)) throw new ConfigurationError(dockerMessages.limitNotEnforced(name));
  }
  return limits;
}

/**
 * Refuses a network that is none, and an environment that could not be passed on as it is.
 * @throws ConfigurationError
 */
export function assertRequest(request: SandboxRequest): void {
  const network: unknown = request.network ?? "none";
  if (network !== "none" && !Array.isArray(network)) {
    throw new ConfigurationError(dockerMessages.networkInvalid(JSON.stringify(network)));
  }
  for (const [name, value] of Object.entries(request.env ?? {})) {
    if (name === "" || /[=\0]/.test(name) || value.includes("\0")) {
      throw new ConfigurationError(dockerMessages.environmentInvalid(name));
    }
  }
}

function assertWhole(name: keyof SandboxLimits, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new ConfigurationError(dockerMessages.limitInvalid(name, value, `a whole number from ${least}`));
}
