import type { Execution, Termination } from "../contract/sandbox.ts";
import type { ChildOutcome } from "./child-host.ts";

/** The execution that a child process comes down to; it has been looked at and is gone. */
export function executionOf(
  outcome: ChildOutcome,
  how: { readonly termination: Termination; readonly exitCode?: number },
): Execution {
  return {
    termination: how.termination,
    exitCode: how.exitCode ?? null,
    signal: null,
    ...outcome.output,
    durationMs: outcome.durationMs,
    survivors: 0,
  };
}

/** How a process ended that nobody had asked to, as part of a sentence. */
export function describeDeath(died: { readonly exitCode: number | null; readonly signal: string | null }): string {
  return died.signal === null ? `ended with exit code ${died.exitCode ?? 0}` : `was killed by ${died.signal}`;
}
