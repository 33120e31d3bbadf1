import type { Termination } from "../contract/sandbox.ts";
import type { ContentBlock, ErrorKind, ToolFailure, ToolResult, ToolSuccess } from "../contract/tool-result.ts";
import type { ToolOutcome } from "../contract/tool.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import {
  cancelledBeforeStart,
  cancelledWhileRunning,
  entriesRefused,
  layerConflict,
  notStarted,
  toolCrashed,
  toolTimedOut,
  tryAgainIn,
} from "../errors/messages/dispatch.ts";
import type { LedgerEntry } from "../journal/ledger.ts";
import { SandboxUnavailableError } from "../errors/sandbox-unavailable-error.ts";
import type { KeptLayer, LayerDraft } from "../workspace/layer-draft.ts";
import { checkStructured } from "./check-structured.ts";
import type { AnsweredCall, AttemptedCall, AttemptEnding, PermittedCall, RefusedCall, RunFacts } from "./call-state.ts";

/** A result, and what the journal wants to know beside it. */
export interface SettledCall {
  readonly result: ToolResult;
  readonly layer?: number;
  /** The ledger's open note of the call. */
  readonly entry?: LedgerEntry;
  /** By whom and why it was denied, when it was. */
  readonly denial?: RefusedCall["denial"];
  /** What the tool's own code threw without meaning to. */
  readonly crash?: { readonly error: unknown };
}

/** The result of a call that never ran. */
export function settleRefused(refused: RefusedCall): SettledCall {
  const { call, errorKind, error, retryAfterMs, denial } = refused;
  const fields = { callId: call.id, tool: call.name, output: "", metadata: {}, changes: [], attempts: 0 };
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  const result: ToolResult = { ...fields, content: [], durationMs: 0, success: false, error, errorKind, ...later };
  return denial === undefined ? { result } : { result, denial };
}

/** The result of a call for which nothing is started: it was refused, or has been answered before. */
export function settleUnrun(call: RefusedCall | AnsweredCall): SettledCall {
  if (call.state === "refused") return settleRefused(call);
  const { result } = call;
  return { result: { ...result, attempts: 0, metadata: { ...result.metadata, replayed: true } } };
}

/** The result of a permitted call that was cancelled before its turn came. */
export function settleCancelled(permitted: PermittedCall): SettledCall {
  const error = cancelledBeforeStart(permitted.registered.tool.name);
  return settleRefused({ ...permitted, state: "refused", errorKind: "cancelled", error });
}

/** The result of a permitted call that was not begun, because another call of its batch crashed. */
export function settleNotStarted(permitted: PermittedCall): SettledCall {
  const error = notStarted(permitted.registered.tool.name);
  return settleRefused({ ...permitted, state: "refused", errorKind: "cancelled", error });
}

/** What settling needs beside the attempted call. */
export interface SettleOptions {
  readonly durationMs: number;
  /** Takes the host's paths out of what an unexpected error says. */
  readonly hideHostPaths: (text: string) => string;
}

/**
 * Step 8: the one place where what happened becomes a result, and where a layer is kept or dropped. A tool that failed
 * in its own terms keeps its layer, for its effects are real; one that was stopped, crashed, or whose infrastructure
 * failed loses it.
 */
export async function settle(attempted: AttemptedCall, options: SettleOptions): Promise<SettledCall> {
  const { ending } = attempted;
  const base = baseFields(attempted, options.durationMs);
  if (ending.how !== "returned") {
    const { crash } = attempted;
    return { result: fail(base, explain(attempted, ending, options)), ...(crash === undefined ? {} : { crash }) };
  }
  const { tool } = attempted.permitted.registered;
  const outcome = checkStructured(tool, checkedOutcome(base.tool, ending.outcome, ending.facts));
  const described = { ...base, ...outcomeFields(outcome, base.metadata, ending.facts) };
  if (!isKept(outcome, ending.facts)) {
    await ending.draft?.drop();
    return { result: finish(described, outcome) };
  }
  const kept = await keep(ending.draft);
  switch (kept.outcome) {
    case "unchanged":
      return { result: finish(described, outcome) };
    case "conflict":
      return { result: fail(described, { errorKind: "conflict", error: layerConflict(base.tool, kept.paths) }) };
    case "kept":
      return { result: finish({ ...described, changes: kept.changes }, outcome), layer: kept.layerId };
  }
}

type Fields = Omit<ToolSuccess, "success">;
type Failure = Pick<ToolFailure, "error" | "errorKind" | "retryAfterMs">;

function baseFields({ permitted, attempts, finished }: AttemptedCall, durationMs: number): Fields {
  const metadata = finished === undefined ? {} : { finished: finished.value };
  const { id, name } = permitted.call;
  return { callId: id, tool: name, output: "", content: [], metadata, changes: [], attempts, durationMs };
}

function outcomeFields(
  outcome: ToolOutcome,
  metadata: Fields["metadata"],
  facts: RunFacts,
): Pick<Fields, "output" | "content" | "structured" | "metadata"> {
  const { refused } = facts;
  const said = outcome.output ?? "";
  const output =
    refused === undefined ? said : [said, entriesRefused(refused)].filter((text) => text !== "").join("\n");
  const text: readonly ContentBlock[] = output === "" ? [] : [{ type: "text", text: output }];
  return {
    output,
    content: outcome.content ?? text,
    ...(outcome.success && outcome.structured !== undefined ? { structured: outcome.structured } : {}),
    metadata: { ...metadata, ...outcome.metadata, ...facts },
  };
}

/** A tool may call a command that was stopped what it likes; a failure of it keeps the kind of the stop. */
function checkedOutcome(tool: string, outcome: ToolOutcome, facts: RunFacts): ToolOutcome {
  if (outcome.success) return outcome;
  const errorKind = STOPPED_KINDS[facts.termination ?? "exit"];
  if (errorKind === undefined) return outcome;
  const { timeoutMs } = facts;
  return { ...outcome, errorKind, ...(timeoutMs === undefined ? {} : { error: toolTimedOut(tool, timeoutMs) }) };
}

const STOPPED_KINDS: Readonly<Partial<Record<Termination, ErrorKind>>> = {
  timeout: "timeout",
  "idle-timeout": "timeout",
  cancelled: "cancelled",
};

function isKept(outcome: ToolOutcome, facts: RunFacts): boolean {
  if (outcome.success) return true;
  const { termination } = facts;
  if (termination !== undefined && termination !== "exit") return false;
  return !DROPPED_KINDS.has(outcome.errorKind ?? "business");
}

const DROPPED_KINDS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "timeout",
  "cancelled",
  "dependency",
  "internal",
  "unavailable",
]);

async function keep(draft: LayerDraft | undefined): Promise<KeptLayer> {
  return draft === undefined ? { outcome: "unchanged" } : await draft.keep();
}

function finish(fields: Fields, outcome: ToolOutcome): ToolResult {
  if (outcome.success) return { ...fields, success: true };
  const { error, errorKind = "business", retryAfterMs } = outcome;
  if (retryAfterMs === undefined) return fail(fields, { error, errorKind });
  return fail(fields, { error: tryAgainIn(error, retryAfterMs), errorKind, retryAfterMs });
}

function fail({ structured: _none, ...fields }: Fields, failure: Failure): ToolFailure {
  return { ...fields, success: false, ...failure };
}

function explain(
  { permitted }: AttemptedCall,
  ending: Exclude<AttemptEnding, { how: "returned" }>,
  { hideHostPaths }: SettleOptions,
): Failure {
  const { name } = permitted.registered.tool;
  switch (ending.how) {
    case "timed-out":
      return { errorKind: "timeout", error: toolTimedOut(name, ending.timeoutMs) };
    case "cancelled":
      return { errorKind: "cancelled", error: cancelledWhileRunning(name) };
    case "threw": {
      const { error } = ending;
      const problem = hideHostPaths(error instanceof Error ? error.message : String(error));
      if (error instanceof SandboxUnavailableError || error instanceof ConfigurationError)
        return { errorKind: "unavailable", error: problem };
      return { errorKind: "internal", error: toolCrashed(name, problem) };
    }
  }
}
