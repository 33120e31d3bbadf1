import type { Span } from "@opentelemetry/api";
import type { ToolResult } from "../contract/tool-result.ts";
import type { ParentCall } from "./call-scope.ts";
import type { PreparedCall } from "./call-state.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { endSpan, recordOf, startSpan } from "./observe.ts";
import type { SettledCall } from "./settle.ts";
import { spill } from "./spill.ts";

/** What the journal and the tracer want to know of a call's beginning. */
export interface BegunCall {
  /** Given when a tool made the call. */
  readonly parent: ParentCall | undefined;
  readonly startedAtMs: number;
  readonly span: Span;
}

/** A call that is over and that nobody has been told of. */
export interface EndedCall extends BegunCall {
  readonly state: "ended";
  readonly settled: SettledCall;
}

/** A call whose answer is final. */
export interface RecordedCall {
  readonly state: "recorded";
  readonly result: ToolResult;
}

/** Notes the beginning that `record` needs. */
export function begin(
  call: PreparedCall,
  { clock, tracer }: Pick<DispatcherOptions, "clock" | "tracer">,
  parent: ParentCall | undefined,
): BegunCall {
  return { parent, startedAtMs: clock(), span: startSpan(tracer, call, parent) };
}

/** Steps 9 and 10. */
export async function record(
  call: PreparedCall,
  { settled, parent, startedAtMs, span }: EndedCall,
  options: Pick<DispatcherOptions, "spill" | "ledger" | "durations" | "journal">,
): Promise<RecordedCall> {
  const { ledger, durations, journal } = options;
  const tool = call.registered?.tool;
  const result = await spill(settled.result, options.spill, tool);
  if (settled.entry !== undefined) ledger.settle(settled.entry, result);
  endSpan(span, result);
  durations.record(result, tool);
  journal.append(recordOf(call, { ...settled, result, startedAtMs, parent }));
  return { state: "recorded", result };
}
