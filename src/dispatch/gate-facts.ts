import type { Tool } from "../contract/tool.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";

/** What the gate is told of a tool's run, and what its permit is checked against. */
export interface GateFacts {
  /** The backend that was asked for; it is part of what is approved. */
  readonly backend: string;
  /** Wall time of the call. */
  readonly timeoutMs: number;
}

/** Reads the facts from the tool and the engine's settings. */
export function gateFactsOf(
  tool: Tool,
  { backend, execTimeoutMs }: Pick<DispatcherOptions, "backend" | "execTimeoutMs">,
): GateFacts {
  // The sandbox's limit is for what runs in one.
  const isInSandbox = tool.risk === "exec" && tool.contained !== false;
  return { backend, timeoutMs: isInSandbox ? Math.min(tool.timeoutMs, execTimeoutMs) : tool.timeoutMs };
}
