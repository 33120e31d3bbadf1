import type { Span } from "@opentelemetry/api";
import type { DispatchEvent } from "../contract/event.ts";
import type { ErrorKind } from "../contract/tool-result.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import { nestedMessages } from "../errors/messages/nested.ts";
import { SandboxUnavailableError } from "../errors/sandbox-unavailable-error.ts";
import { ToolError } from "../errors/tool-error.ts";
import { runAttempts } from "../resilience/attempt-policy.ts";
import type { TimedOutcome, WorkTime } from "../resilience/in-time.ts";
import type { ParentCall } from "./call-scope.ts";
import type { AttemptEnding, AttemptedCall, PermittedCall } from "./call-state.ts";
import type { Permits } from "../tools/restrictions.ts";
import type { LayerDraft } from "../workspace/layer-draft.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { NestedCalls } from "./nested-calls.ts";
import type { DispatchNested } from "./nested-calls.ts";
import type { Route, RouteRun } from "./route.ts";
import { runExec } from "./run-exec.ts";
import { runRead } from "./run-read.ts";
import { runWrite } from "./run-write.ts";

/** What an attempt needs beside the call. */
export interface AttemptOptions {
  readonly engine: Pick<
    DispatcherOptions,
    "workspace" | "openSandbox" | "findRipgrep" | "clock" | "backoff" | "ask" | "restrictions"
  >;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly state: Map<string, unknown>;
  readonly emit: (event: DispatchEvent) => void;
  readonly dispatchNested: DispatchNested;
  /** Given when a tool made the call. */
  readonly parent: ParentCall | undefined;
  readonly conversation: string | undefined;
  readonly span: Span;
}

/**
 * Step 7: timeout around retry around run. Each attempt works on a fresh layer. A read or write tool is raced against
 * time and cancellation, because in-process code cannot be stopped, and its layer is taken away from it; a sandbox can,
 * so an exec tool is asked to stop and waited for, with a backstop should the sandbox itself hang.
 */
export async function attempt(permitted: PermittedCall, options: AttemptOptions): Promise<AttemptedCall> {
  const { tool } = permitted.registered;
  const isExec = tool.risk === "exec";
  const progress: Progress = {
    attempts: 0,
    finished: undefined,
    draft: undefined,
    crash: undefined,
    nested: undefined,
  };
  const deadlineMs = options.engine.clock() + options.timeoutMs;
  const outcome = await runAttempts(
    async (limit): Promise<AttemptEnding> => {
      progress.attempts += 1;
      const time = isExec ? { signal: AbortSignal.any([limit.signal, options.signal]) } : limit;
      return await runOnce(routeRunOf({ permitted, options, time, progress, deadlineMs }));
    },
    {
      timeoutMs: isExec ? options.timeoutMs + SANDBOX_BACKSTOP_MS : options.timeoutMs,
      ...(isExec ? {} : { signal: options.signal }),
      maxRetries: tool.maxRetries,
      isRetriable: (ending) => !options.signal.aborted && progress.nested === undefined && isRetriable(tool, ending),
      leastPauseMs,
      ...(options.engine.backoff === undefined ? {} : { backoff: options.engine.backoff }),
    },
  );
  if (progress.nested !== undefined) await progress.nested.settled();
  const ending = outcome.how === "done" ? outcome.value : await endingWithout(outcome, progress, options);
  const { attempts, finished, crash } = progress;
  const isCrash = crash !== undefined && ending.how === "threw" && ending.error === crash.error;
  return {
    permitted,
    ending,
    attempts,
    ...(finished === undefined ? {} : { finished }),
    ...(isCrash ? { crash } : {}),
  };
}

/** Grace between SIGTERM and SIGKILL, and time to look for survivors and to clean up. */
const SANDBOX_BACKSTOP_MS = 12_000;

/** What is known of a call while its attempts go on. */
interface Progress {
  attempts: number;
  finished: { readonly value: unknown } | undefined;
  /** The layer of the attempt that runs, which may still be opening. */
  draft: Promise<LayerDraft> | undefined;
  crash: { readonly error: unknown } | undefined;
  /** The calls that the tool made; a call that has made others is not tried again, for they would be made a second time. */
  nested: NestedCalls | undefined;
}

/** The ending where no attempt came to one. */
async function endingWithout(
  outcome: Exclude<TimedOutcome<AttemptEnding>, { readonly how: "done" }>,
  progress: Progress,
  { signal, timeoutMs }: AttemptOptions,
): Promise<AttemptEnding> {
  switch (outcome.how) {
    case "failed":
      return { how: "threw", error: outcome.error };
    case "expired":
    case "cancelled":
      await dropInterrupted(progress);
      return signal.aborted ? { how: "cancelled" } : { how: "timed-out", timeoutMs };
  }
}

/** The attempt that nobody waits for any more has a layer, or is about to: neither outlives the call. */
async function dropInterrupted({ draft }: Progress): Promise<void> {
  // A layer that could not be opened is none; its attempt has failed with that.
  const opened = await draft?.catch(() => undefined);
  await opened?.drop();
}

interface RunParts {
  readonly permitted: PermittedCall;
  readonly options: AttemptOptions;
  readonly time: WorkTime;
  readonly progress: Progress;
  readonly deadlineMs: number;
}

function routeRunOf(parts: RunParts): RouteRun {
  const { permitted, options, time, progress, deadlineMs } = parts;
  const { emit } = options;
  const { workspace, openSandbox, findRipgrep, clock } = options.engine;
  const callId = permitted.call.id;
  emit({ type: "call-started", callId, attempt: progress.attempts });
  return {
    tool: permitted.registered.tool,
    input: permitted.input,
    time,
    contextWith: (own) => contextOf(parts, own),
    view: async () => await workspace.view(),
    nestedEnded: () => progress.nested?.ended ?? 0,
    beginLayer: async () => {
      progress.draft = workspace.beginLayer({ callId });
      const draft = await progress.draft;
      if (time.signal.aborted) await draft.drop();
      time.signal.throwIfAborted();
      return draft;
    },
    openSandbox,
    findRipgrep,
    timeoutMs: options.timeoutMs,
    deadlineMs,
    clock,
    onCrash: (error) => {
      progress.crash = { error };
    },
    onOutput: (chunk) => emit({ type: "output-received", callId, chunk }),
  };
}

function contextOf<T extends object>(parts: RunParts, own: T): ToolContext & T {
  const { permitted, options, time, progress } = parts;
  const callId = permitted.call.id;
  const permits = options.engine.restrictions.now();
  const context: ToolContext & T = {
    callId,
    ...factsOf(permitted, options),
    attempt: progress.attempts,
    get signal() {
      return time.signal;
    },
    state: options.state,
    report: (text) => options.emit({ type: "call-progressed", callId, progress: text }),
    finish: (value) => {
      progress.finished = { value };
    },
    dispatch: async (call) => await (progress.nested ??= nestedCallsOf(parts, permits)).dispatch(call),
    ...(options.engine.ask === undefined ? {} : { ask: options.engine.ask }),
    ...own,
  };
  Object.freeze(context);
  return context;
}

function factsOf(
  { decidedBy, noted }: PermittedCall,
  { parent, conversation }: AttemptOptions,
): Pick<ToolContext, "decidedBy" | "parentCallId" | "conversation" | "idempotencyKey"> {
  return {
    decidedBy,
    ...(parent === undefined ? {} : { parentCallId: parent.callId }),
    ...(conversation === undefined ? {} : { conversation }),
    // Elsewhere two calls with one id may be two, and a service that took the second for the first would leave it out.
    ...(noted?.isUnique === true ? { idempotencyKey: noted.key } : {}),
  };
}

function nestedCallsOf({ permitted, options, time }: RunParts, permits: Permits): NestedCalls {
  const { tool } = permitted.registered;
  if (tool.risk !== "read") throw new ToolError(nestedMessages.notFrom(tool.name, tool.risk));
  const { parent, span } = options;
  const self: ParentCall = { callId: permitted.call.id, depth: (parent?.depth ?? 0) + 1, permits, span };
  return new NestedCalls({ parent: self, dispatch: options.dispatchNested, signalOf: () => time.signal });
}

/** One attempt. When it may be repeated, or nobody waits for it any more, its layer is dropped here. */
async function runOnce(run: RouteRun): Promise<AttemptEnding> {
  try {
    const returned = await ROUTES[run.tool.risk](run);
    if (returned.draft === undefined) return returned;
    const abandoned = run.tool.risk !== "exec" && run.time.signal.aborted;
    if (!abandoned && !isRetriable(run.tool, returned)) return returned;
    await returned.draft.drop();
    const { draft: _dropped, ...rest } = returned;
    return rest;
  } catch (error) {
    return run.time.signal.aborted && error === run.time.signal.reason ? { how: "cancelled" } : { how: "threw", error };
  }
}

const ROUTES: Readonly<Record<Tool["risk"], Route>> = { read: runRead, write: runWrite, exec: runExec };

/**
 * Only failures of the infrastructure are repeated. In the workspace a repeat is safe, since the failed attempt's layer
 * is dropped; an exec tool is repeated only when it says that it is idempotent, or when its sandbox never started.
 */
function isRetriable(tool: Tool, ending: AttemptEnding): boolean {
  if (tool.maxRetries === 0) return false;
  switch (ending.how) {
    case "timed-out":
    case "cancelled":
      return false;
    case "threw":
      return tool.risk !== "exec" || tool.idempotent || ending.error instanceof SandboxUnavailableError;
    case "returned":
      return (
        !ending.outcome.success &&
        REPEATABLE.has(ending.outcome.errorKind ?? "business") &&
        (tool.risk !== "exec" || tool.idempotent)
      );
  }
}

const REPEATABLE: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["dependency", "internal"]);

function leastPauseMs(ending: AttemptEnding): number {
  return ending.how === "returned" && !ending.outcome.success ? (ending.outcome.retryAfterMs ?? 0) : 0;
}
