import type { ToolContext, ToolOutcome } from "../contract/tool.ts";
import { CofferdamError } from "../errors/cofferdam-error.ts";
import { ToolError } from "../errors/tool-error.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";
import { toOutcome } from "../tools/tool-outcome.ts";
import type { RouteRun } from "./route.ts";

/**
 * Calls a tool's own code. What it throws on purpose, and what a path of the workspace would not do, is the tool
 * failing in its own terms; anything else goes on as the crash that it is.
 */
export async function callTool(
  { tool, input, onCrash }: Pick<RouteRun, "tool" | "input" | "onCrash">,
  context: ToolContext,
): Promise<ToolOutcome> {
  try {
    // The schema has accepted the input and the route has made the context of the tool's risk.
    return toOutcome(await tool.execute(input as never, context as never));
  } catch (error) {
    if (error instanceof ToolError) return { success: false, error: error.message, errorKind: error.kind };
    if (error instanceof WorkspacePathError) return { success: false, error: error.message, errorKind: "business" };
    // What the engine or the sandbox throws passes through the tool, and so does the reason of an abort.
    if (!(error instanceof CofferdamError) && !context.signal.aborted) onCrash(error);
    throw error;
  }
}
