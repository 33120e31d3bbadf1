import type { ToolReadiness } from "../contract/engine.ts";
import type { Tool } from "../contract/tool.ts";
import { breakerOpen, notReady, readinessFailed, READINESS_UNCLEAR } from "../errors/messages/dispatch.ts";
import type { Breakers } from "../resilience/breakers.ts";

/**
 * Step 4: whether a tool can run now, asked before the gate, so that nobody approves what cannot run. A tool says itself
 * whether it is ready (one that fails to say so is not), and its circuit breaker is looked at without using a probe up.
 */
export function readinessOf(tool: Tool, breakers: Breakers): ToolReadiness {
  const { name } = tool;
  const reason = reasonOf(tool);
  if (reason !== undefined) return { tool: name, ready: false, reason: notReady(name, reason) };
  const retryAfterMs = breakers.of(name).peek();
  if (retryAfterMs > 0) return { tool: name, ready: false, reason: breakerOpen(name, retryAfterMs), retryAfterMs };
  return { tool: name, ready: true };
}

function reasonOf(tool: Tool): string | undefined {
  if (tool.ready === undefined) return undefined;
  try {
    const answer: unknown = tool.ready();
    if (answer === true) return undefined;
    return typeof answer === "string" && answer !== "" ? answer : READINESS_UNCLEAR;
  } catch (error) {
    return readinessFailed(error instanceof Error ? error.message : String(error));
  }
}
