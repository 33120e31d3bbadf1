import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Span, Tracer } from "@opentelemetry/api";
import type { DispatchRecord } from "../contract/record.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import { ledgerMessages } from "../errors/messages/ledger.ts";
import { maskText } from "../journal/mask-text.ts";
import type { ParentCall } from "./call-scope.ts";
import type { SettledCall } from "./settle.ts";
import type { PreparedCall } from "./call-state.ts";

/**
 * Step 10, the span: `execute_tool {name}` with the attributes of OpenTelemetry's semantic conventions for generative
 * AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span). Input and output stay out.
 */
export function startSpan(tracer: Tracer, { call, registered }: PreparedCall, parent: ParentCall | undefined): Span {
  const tool = registered?.tool;
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.name,
    "gen_ai.tool.call.id": call.id,
    "gen_ai.tool.type": "function",
    ...(tool === undefined ? {} : { "gen_ai.tool.description": tool.description, "cofferdam.tool.risk": tool.risk }),
  };
  const name = `execute_tool ${call.name}`;
  if (parent === undefined) return tracer.startSpan(name, { attributes });
  return tracer.startSpan(name, { attributes }, trace.setSpan(context.active(), parent.span));
}

/** Ends the span with how the call ended. */
export function endSpan(span: Span, result: ToolResult): void {
  span.setAttribute("cofferdam.attempts", result.attempts);
  if (!result.success) {
    span.setAttribute("error.type", result.errorKind);
    span.setStatus({ code: SpanStatusCode.ERROR, message: maskText(result.error) });
  }
  span.end();
}

/** Step 10, the journal's account of a call that is over. */
export function recordOf(
  prepared: PreparedCall,
  {
    result,
    startedAtMs,
    layer,
    denial,
    parent,
  }: SettledCall & { readonly startedAtMs: number; readonly parent?: ParentCall | undefined },
): DispatchRecord {
  const { backend, termination } = result.metadata;
  const tool = prepared.registered?.tool;
  const input = prepared.state === "refused" ? prepared.call.input : prepared.input;
  return {
    callId: result.callId,
    tool: result.tool,
    ...(parent === undefined ? {} : { parentCallId: parent.callId }),
    ...(tool === undefined ? {} : { risk: tool.risk }),
    startedAtMs,
    durationMs: result.durationMs,
    attempts: result.attempts,
    outcome: result.success ? "success" : result.errorKind,
    ...(input === undefined ? {} : { input }),
    ...(result.success ? {} : { error: result.error }),
    ...decisionOf(prepared, denial),
    ...(layer === undefined ? {} : { layer }),
    ...(typeof backend === "string" ? { backend } : {}),
    ...(typeof termination === "string" ? { termination } : {}),
    ...(prepared.state === "permitted" && prepared.coercions.length > 0 ? { coercions: prepared.coercions } : {}),
  };
}

/** A call that was permitted may still have been denied when its turn came. */
function decisionOf(
  prepared: PreparedCall,
  denial: SettledCall["denial"],
): Pick<DispatchRecord, "verdict" | "decidedBy"> {
  if (denial !== undefined) return { verdict: denial.reason, decidedBy: denial.decidedBy };
  switch (prepared.state) {
    case "permitted":
      return { verdict: prepared.verdict.reason, decidedBy: prepared.decidedBy };
    case "answered":
      return { verdict: ledgerMessages.replayed };
    case "refused":
      return {};
  }
}
