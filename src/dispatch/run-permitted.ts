import type { Span } from "@opentelemetry/api";
import type { DispatchEvent } from "../contract/event.ts";
import type { ErrorKind, ToolResult } from "../contract/tool-result.ts";
import { breakerOpen } from "../errors/messages/dispatch.ts";
import type { BreakerReport } from "../resilience/circuit-breaker.ts";
import { attempt } from "./attempt.ts";
import { boundFacts } from "./authorize.ts";
import type { ParentCall } from "./call-scope.ts";
import type { PermittedCall } from "./call-state.ts";
import { denyCall } from "./deny-call.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { gateFactsOf } from "./gate-facts.ts";
import type { DispatchNested } from "./nested-calls.ts";
import { restrict } from "./restrict.ts";
import { runNoted } from "./run-noted.ts";
import { settle, settleRefused } from "./settle.ts";
import type { SettledCall } from "./settle.ts";

/** What a run has beside the call and the dispatcher's options. */
export interface RunParts {
  readonly signal: AbortSignal;
  readonly emit: (event: DispatchEvent) => void;
  /** Values that tools of one engine share. */
  readonly state: Map<string, unknown>;
  readonly dispatchNested: DispatchNested;
  /** Given when a tool made the call. */
  readonly parent: ParentCall | undefined;
  readonly conversation: string | undefined;
  readonly span: Span;
}

/** Steps 7 and 8, when the tool's circuit breaker still lets it: calls before this one may have opened it. */
export async function runPermitted(
  call: PermittedCall,
  options: DispatcherOptions,
  parts: RunParts,
): Promise<SettledCall> {
  // A restriction may have come while the call waited for its turn.
  const allowed = restrict(call, options.restrictions.now());
  if (allowed.state === "refused") return settleRefused(allowed);
  const { name } = call.registered.tool;
  const admission = options.breakers.of(name).admit();
  if (!admission.admitted) {
    const { retryAfterMs } = admission;
    const error = breakerOpen(name, retryAfterMs);
    return settleRefused({ ...call, state: "refused", errorKind: "unavailable", error, retryAfterMs });
  }
  const settled = await (call.noted === undefined
    ? runAdmitted(call, options, parts)
    : runNoted({ ...call, noted: call.noted }, { ...options, parent: parts.parent }, () =>
        runAdmitted(call, options, parts),
      ));
  admission.report(reportOf(settled.result));
  return settled;
}

/** What a result says of the infrastructure. A tool that failed in its own terms works; one that never started says nothing. */
function reportOf(result: ToolResult): BreakerReport {
  if (result.attempts === 0) return "unknown";
  return result.success ? "worked" : (REPORTS[result.errorKind] ?? "worked");
}

const REPORTS: Readonly<Partial<Record<ErrorKind, BreakerReport>>> = {
  timeout: "failed",
  dependency: "failed",
  internal: "failed",
  cancelled: "unknown",
  unavailable: "unknown",
  conflict: "unknown",
};

/** Uses the permit up, runs the tool, and settles. Never rejects. */
async function runAdmitted(call: PermittedCall, options: DispatcherOptions, parts: RunParts): Promise<SettledCall> {
  const { gate, clock, hideHostPaths } = options;
  const { backend, timeoutMs } = gateFactsOf(call.registered.tool, options);
  const startedAtMs = clock();
  const durationMs = (): number => clock() - startedAtMs;
  try {
    const reason = await gate.redeem(call, boundFacts(call, backend));
    if (reason !== undefined) return settleRefused(denyCall(call, { reason, decidedBy: "policy" }));
    const attempted = await attempt(call, { ...parts, timeoutMs, engine: options });
    return await settle(attempted, { durationMs: durationMs(), hideHostPaths });
  } catch (error) {
    // Whatever fails in the engine itself, this call still gets its one answer.
    const ending = { how: "threw", error } as const;
    return await settle({ permitted: call, ending, attempts: 0 }, { durationMs: durationMs(), hideHostPaths });
  }
}
