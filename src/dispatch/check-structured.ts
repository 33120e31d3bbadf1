import type { Tool, ToolOutcome } from "../contract/tool.ts";
import { outputMismatch } from "../errors/messages/dispatch.ts";
import { compileOutputCheck } from "../schema/compile-schema.ts";

/**
 * Holds a success to the tool's own output schema; what does not fit is a failure of the tool itself. A tool that gives
 * only text gives that text as its structured output, so that `{ type: "string" }` can be promised too.
 */
export function checkStructured(tool: Tool, outcome: ToolOutcome): ToolOutcome {
  if (tool.output === undefined || !outcome.success) return outcome;
  const structured = outcome.structured ?? outcome.output;
  const problem = compileOutputCheck(tool.output)(structured);
  if (problem === undefined) return { ...outcome, structured };
  const { structured: _mismatch, ...rest } = outcome;
  return { ...rest, success: false, error: outputMismatch(tool.name, problem), errorKind: "internal" };
}
