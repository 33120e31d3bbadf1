import type { SandboxLimits } from "../../contract/sandbox.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import { fillLimits, type ResolvedLimits } from "../command-limits.ts";
import type { EngineFacts } from "./engine-facts.ts";

/**
 * Fills in the default limits and refuses what the Engine would ignore. A default is a promise as well: an Engine that
 * cannot hold it is refused, whether or not the limit was asked for.
 * @throws ConfigurationError
 */
export function resolveLimits(asked: SandboxLimits | undefined, facts: EngineFacts): ResolvedLimits {
  const limits = fillLimits(asked, facts);
  for (const name of ["memoryMb", "pids", "cpus"] as const) {
    if (!facts.enforces.includes(name)) throw new ConfigurationError(dockerMessages.limitNotEnforced(name));
  }
  return limits;
}
