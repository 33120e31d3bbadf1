import type { SandboxLimits } from "../contract/sandbox.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { memoryLimitTooLow, unenforceableLimit } from "../errors/messages/sandbox.ts";

/**
 * Refuses a limit that was asked for and that nothing would enforce. What is left out was not asked for.
 * @throws ConfigurationError naming the first such limit and the backend.
 */
export function assertEnforceable(
  backend: string,
  limits: SandboxLimits | undefined,
  enforced: readonly string[],
): void {
  const asked = Object.entries(limits ?? {}).filter(([, value]) => value !== undefined);
  const refused = asked.find(([limit]) => !enforced.includes(limit));
  if (refused !== undefined) throw new ConfigurationError(unenforceableLimit(backend, refused[0]));
}

/**
 * Refuses a memory limit that the sandbox itself needs most of.
 * @throws ConfigurationError saying how much is needed.
 */
export function assertMemoryAtLeast(backend: string, asked: number, least: number): void {
  if (asked < least) throw new ConfigurationError(memoryLimitTooLow(backend, { asked, least }));
}
