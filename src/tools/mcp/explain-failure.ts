import type { ToolOutcome } from "../../contract/tool.ts";
import { mcpMessages } from "../../errors/messages/mcp.ts";

/** A call that got no result. */
export interface Failure {
  readonly outcome: ToolOutcome;
  /** The connection cannot be used any more. */
  readonly isBroken: boolean;
}

/**
 * Says what became of a call that got no result. A server that refuses the arguments speaks to the model; whatever
 * else a server answers instead of a result is the failure of something that the tool depends on.
 */
export async function explainFailure(
  error: unknown,
  { server, timeoutMs }: { readonly server: string; readonly timeoutMs: number },
): Promise<Failure> {
  // Loaded already: only its client throws what comes here.
  const { INVALID_PARAMS, ProtocolError, SdkError, SdkErrorCode } = await import("@modelcontextprotocol/client");
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ProtocolError) {
    const outcome: ToolOutcome =
      error.code === INVALID_PARAMS
        ? { success: false, error: mcpMessages.refusedInput(shorten(message)), errorKind: "validation" }
        : { success: false, error: mcpMessages.protocol(server, shorten(message)), errorKind: "dependency" };
    return { outcome, isBroken: false };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const outcome = { success: false, error: mcpMessages.silent(server, timeoutMs), errorKind: "timeout" } as const;
    return { outcome, isBroken: false };
  }
  if (error instanceof SdkError && ANSWERED.has(error.code)) {
    const text = mcpMessages.protocol(server, shorten(message));
    return { outcome: { success: false, error: text, errorKind: "dependency" }, isBroken: false };
  }
  return { outcome: { success: false, error: mcpMessages.lost(server), errorKind: "dependency" }, isBroken: true };
}

/** Answers that came and could not be read; the connection is as good as before. */
const ANSWERED: ReadonlySet<string> = new Set([
  "INVALID_RESULT",
  "UNSUPPORTED_RESULT_TYPE",
  "INPUT_REQUIRED_ROUNDS_EXCEEDED",
  "CAPABILITY_NOT_SUPPORTED",
]);

const MAX_CHARACTERS = 500;

function shorten(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
