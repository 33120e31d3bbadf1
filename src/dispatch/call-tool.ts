import type { ToolContext, ToolOutcome } from "../contract/tool.ts";
import { CofferdamError } from "../errors/cofferdam-error.ts";
import { errorHandlerFailed } from "../errors/messages/dispatch.ts";
import { ToolError } from "../errors/tool-error.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";
import { toOutcome } from "../tools/tool-outcome.ts";
import type { RouteRun } from "./route.ts";

type CalledTool = Pick<RouteRun, "tool" | "input" | "onCrash">;

/**
 * Calls a tool's own code. What it throws on purpose, what its `onError` makes an outcome of, and what a path of the
 * workspace would not do, is the tool failing in its own terms; anything else goes on as the crash that it is.
 */
export async function callTool(called: CalledTool, context: ToolContext): Promise<ToolOutcome> {
  try {
    // The schema has accepted the input and the route has made the context of the tool's risk.
    return toOutcome(await called.tool.execute(called.input as never, context as never));
  } catch (error) {
    return await recover(error, called, context);
  }
}

async function recover(thrown: unknown, { tool, onCrash }: CalledTool, context: ToolContext): Promise<ToolOutcome> {
  try {
    return await handle(thrown, tool, context);
  } catch (error) {
    if (error instanceof ToolError) return outcomeOf(error);
    if (error instanceof WorkspacePathError) return { success: false, error: error.message, errorKind: "business" };
    // What the engine or the sandbox throws passes through the tool, and so does the reason of an abort.
    if (!(error instanceof CofferdamError) && !context.signal.aborted) onCrash(error);
    throw error;
  }
}

/** Read like what a tool returns, because the fields of the error are the tool's to fill. */
function outcomeOf({ message, kind, retryAfterMs }: ToolError): ToolOutcome {
  return toOutcome({ success: false, error: message, errorKind: kind, retryAfterMs });
}

/** Asks the tool's own handler, which is the tool's code like `execute` and may throw a `ToolError` as well. */
async function handle(error: unknown, tool: CalledTool["tool"], context: ToolContext): Promise<ToolOutcome> {
  if (tool.onError === undefined || context.signal.aborted || isDecided(error)) throw error;
  let answer: unknown;
  try {
    // It gets the very context that `execute` got.
    answer = await tool.onError(error, context as never);
  } catch (failure) {
    if (failure instanceof ToolError) throw failure;
    throw new Error(errorHandlerFailed(textOf(error), textOf(failure)), { cause: failure });
  }
  if (answer === undefined) throw error;
  return toOutcome(answer);
}

/** A `ToolError` is an outcome already, and a failure of the engine or the sandbox is not the tool's to interpret. */
function isDecided(error: unknown): boolean {
  return error instanceof CofferdamError && !(error instanceof WorkspacePathError);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
