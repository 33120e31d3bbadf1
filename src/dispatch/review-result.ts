import type { ResultDecision } from "../contract/hooks.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import { hookMessages } from "../errors/messages/hooks.ts";
import { inTime } from "../resilience/in-time.ts";
import { hookCallOf, sayError } from "./run-hooks.ts";
import type { HookedCall, HookSettings } from "./run-hooks.ts";

/**
 * Lets a hook look at what a call that ran has answered, before anything of it is kept or shown. What it puts in the place
 * of it stands for everything that a model can read; that the call failed stays true, and so does what it changed. A hook
 * that breaks withholds: it was written to hold something back.
 */
export async function reviewResult(
  hooked: HookedCall,
  result: ToolResult,
  { hooks, timeoutMs }: HookSettings,
): Promise<ToolResult> {
  if (hooks.beforeResult === undefined || result.attempts === 0) return result;
  const answer = await inTime(
    // Obeyed in there as well: what a hook answers may be an object whose fields throw.
    async (time) => obey(result, await hooks.beforeResult?.(hookCallOf(hooked, time.signal), result)),
    { timeoutMs },
  );
  switch (answer.how) {
    case "expired":
      return withText(result, hookMessages.reviewExpired(timeoutMs));
    case "failed":
      return withText(result, hookMessages.reviewFailed(sayError(answer.error)));
    // Nobody cancels: the call is over.
    case "cancelled":
      return result;
    case "done":
      return answer.value;
  }
}

/** A hook is somebody else's code; what is no decision withholds. */
function obey(result: ToolResult, value: unknown): ToolResult {
  if (value === undefined) return result;
  const { decision, output, reason }: Readonly<Record<string, unknown>> = Object(value);
  if (decision === ("keep" satisfies ResultDecision["decision"])) return result;
  if (decision === "replace" && typeof output === "string") return withText(result, output);
  if (decision === "withhold") return withText(result, hookMessages.withheld(typeof reason === "string" ? reason : ""));
  return withText(result, hookMessages.reviewFailed(hookMessages.noDecision));
}

function withText({ structured: _none, ...result }: ToolResult, text: string): ToolResult {
  if (!result.success) return { ...result, error: text, output: "", content: [] };
  return { ...result, output: text, content: [{ type: "text", text }] };
}
