import type { CallToolResult, Client, Progress } from "@modelcontextprotocol/client";
import type { ToolContext, ToolOutcome } from "../../contract/tool.ts";
import { notReady } from "../../errors/messages/dispatch.ts";
import { mcpMessages } from "../../errors/messages/mcp.ts";
import { ToolError } from "../../errors/tool-error.ts";
import type { ToolSettings } from "./check-options.ts";
import { explainFailure } from "./explain-failure.ts";
import { readResult } from "./read-result.ts";
import type { ServerConnection } from "./server-connection.ts";
import type { ToolDrift } from "./tool-drift.ts";

/** A tool of a server, and all that a call of it needs. */
export interface RemoteTool {
  readonly server: string;
  /** As the server names it. */
  readonly name: string;
  /** As the model sees it. */
  readonly shownAs: string;
  readonly connection: ServerConnection;
  readonly drift: ToolDrift;
  readonly settings: ToolSettings;
  /** What is wrong with structured content; absent where the tool declares none. */
  readonly checkOutput?: (value: unknown) => readonly string[];
}

/**
 * Calls a tool of a server. It fails where the server does not answer, breaks off, takes too long, or answers with
 * something else than it declares; a cancelled call is cancelled at the server too.
 * @throws the context's reason when the call was cancelled.
 */
export async function callRemoteTool(tool: RemoteTool, input: object, context: ToolContext): Promise<ToolOutcome> {
  using deadline = startDeadline(tool.settings.maxTimeoutMs);
  const signal = AbortSignal.any([context.signal, deadline.signal]);
  let client: Client | undefined;
  try {
    client = await tool.connection.client(signal);
    // Asked again: the list may have come since the tool said that it was ready.
    const problem = tool.drift.problemOf(tool.name);
    if (problem !== undefined) {
      return { success: false, error: notReady(tool.shownAs, problem), errorKind: "unavailable" };
    }
    return checked(tool, await send({ tool, client, input, context, signal }));
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof ToolError) throw error;
    const { server, settings } = tool;
    if (deadline.signal.aborted) {
      return { success: false, error: mcpMessages.tookTooLong(server, settings.maxTimeoutMs), errorKind: "timeout" };
    }
    const failure = await explainFailure(error, { server, timeoutMs: settings.timeoutMs });
    if (failure.isBroken && client !== undefined) await tool.connection.discard(client);
    return failure.outcome;
  }
}

interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

function startDeadline(afterMs: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), afterMs);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

interface Sending {
  readonly tool: RemoteTool;
  readonly client: Client;
  readonly input: object;
  readonly context: ToolContext;
  readonly signal: AbortSignal;
}

async function send({ tool, client, input, context, signal }: Sending): Promise<CallToolResult> {
  const params = { name: tool.name, arguments: { ...input } };
  return await client.callTool(params, {
    signal,
    timeout: tool.settings.timeoutMs,
    resetTimeoutOnProgress: true,
    // The server is asked for progress by there being someone to tell.
    onprogress: (progress) => context.report(describeProgress(progress)),
  });
}

function describeProgress({ progress, total, message }: Progress): string {
  return mcpMessages.progress(progress, total, message);
}

/** What a tool declares of its structured content is kept, or the answer counts as none. */
function checked(tool: RemoteTool, result: CallToolResult): ToolOutcome {
  const { checkOutput } = tool;
  if (checkOutput === undefined || result.isError === true) return readResult(result);
  const { structuredContent } = result;
  const problems = structuredContent === undefined ? [mcpMessages.noStructure] : checkOutput(structuredContent);
  if (problems.length === 0) return readResult(result);
  const error = mcpMessages.wrongOutput(tool.server, problems.slice(0, MAX_PROBLEMS).join("; "));
  return { success: false, error, errorKind: "dependency" };
}

const MAX_PROBLEMS = 5;
