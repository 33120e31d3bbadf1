import type { Tool, ToolContext, ToolOutcome } from "../contract/tool.ts";
import { ToolError } from "../errors/tool-error.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";
import { toOutcome } from "../tools/tool-outcome.ts";

/**
 * Calls a tool's own code. What it throws on purpose, and what a path of the workspace would not do, is the tool
 * failing in its own terms; anything else goes on as the crash that it is.
 */
export async function callTool(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  try {
    // The schema has accepted the input and the route has made the context of the tool's risk.
    return toOutcome(await tool.execute(input as never, context as never));
  } catch (error) {
    if (error instanceof ToolError) return { success: false, error: error.message, errorKind: error.kind };
    if (error instanceof WorkspacePathError) return { success: false, error: error.message, errorKind: "business" };
    throw error;
  }
}
