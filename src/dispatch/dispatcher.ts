import type { DispatchEvent, DispatchOptions } from "../contract/event.ts";
import type { ToolReadiness } from "../contract/engine.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { batchStopped, CONVERSATION_UNUSABLE, ENGINE_DISPOSED } from "../errors/messages/dispatch.ts";
import { ToolCrashError } from "../errors/tool-crash-error.ts";
import { accessOf } from "./access.ts";
import { followSignals } from "./call-signal.ts";
import type { CallScope } from "./call-scope.ts";
import type { PermittedCall, PreparedCall } from "./call-state.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { Lanes, OPEN_LANES } from "./lanes.ts";
import { Milestone } from "./milestone.ts";
import { endSpan, recordOf, startSpan } from "./observe.ts";
import { prepare } from "./prepare.ts";
import { prepareBatch } from "./prepare-batch.ts";
import type { PrepareOptions } from "./prepare.ts";
import { readinessOf } from "./readiness.ts";
import { RepeatGuard } from "./repeat-guard.ts";
import { reviewResult } from "./review-result.ts";
import { runAfterHooks } from "./run-hooks.ts";
import { runPermitted } from "./run-permitted.ts";
import { settleCancelled, settleNotStarted, settleUnrun } from "./settle.ts";
import type { SettledCall } from "./settle.ts";
import { spill } from "./spill.ts";

/** Takes every call from lookup to record: one result per call, in the order asked, on every path. */
export class Dispatcher {
  readonly #options: PrepareOptions;
  readonly #lanes = new Lanes();
  /**
   * For what tools call and what changes something. Were it in the lanes of the model's calls, a tool could wait there for a
   * call that waits for the tool. None of these calls waits for another one while it runs.
   */
  readonly #nestedLanes = new Lanes();
  readonly #closing = new AbortController();
  readonly #state = new Map<string, unknown>();
  /** How many batches have not ended. An in-process tool that ignores its signal is in none: it cannot be waited for. */
  #running = 0;
  readonly #idle = new Milestone();

  constructor(options: DispatcherOptions) {
    this.#options = { ...options, repeats: new RepeatGuard(options.maxRepeats) };
  }

  /** Answers one call. */
  async dispatch(call: ToolCall, options: DispatchOptions = {}): Promise<ToolResult> {
    const [result] = await this.dispatchAll([call], options);
    if (result === undefined) throw new TypeError("dispatchAll() answers every call");
    return result;
  }

  /**
   * Answers each call, in the order given. Every gate decision is made before the first of them runs.
   * @throws ToolCrashError when a tool crashed and the engine stops at that; it holds the answers.
   */
  async dispatchAll(calls: readonly ToolCall[], options: DispatchOptions = {}): Promise<readonly ToolResult[]> {
    if (this.#closing.signal.aborted) throw new ConfigurationError(ENGINE_DISPOSED);
    if (!isConversation(options.conversation)) throw new ConfigurationError(CONVERSATION_UNUSABLE);
    this.#running += 1;
    try {
      return await this.#runBatch(calls, options);
    } finally {
      this.#running -= 1;
      if (this.#running === 0 && this.#closing.signal.aborted) this.#idle.reach();
    }
  }

  /** Whether each tool can run now. */
  readiness(): readonly ToolReadiness[] {
    const { registry, breakers } = this.#options;
    return registry.tools.map((tool) => readinessOf(tool, breakers));
  }

  /** Cancels what still runs and waits for it, so that nothing outlives the engine. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("The engine is being disposed"));
    if (this.#running > 0) await this.#idle.reached;
  }

  async #runBatch(calls: readonly ToolCall[], options: DispatchOptions): Promise<readonly ToolResult[]> {
    using linked = options.signal === undefined ? undefined : followSignals([this.#closing.signal, options.signal]);
    const { signal } = linked ?? this.#closing;
    const { conversation } = options;
    const batch: Batch = { signal, conversation, emit: quietly(options.onEvent), crash: undefined };
    const prepared = await prepareBatch(calls, this.#options, batch);
    const results = await Promise.all(prepared.map((call) => this.#answer(call, batch)));
    if (batch.crash !== undefined) throw crashOf(batch.crash, results);
    return results;
  }

  /** Steps 6 to 10. */
  async #answer(call: PreparedCall, batch: Batch, lanes: Pick<Lanes, "run"> = this.#lanes): Promise<ToolResult> {
    const conclude = async (result: ToolResult): Promise<void> => await this.#conclude(call, result, batch);
    if (call.state === "permitted") {
      const place = { access: accessOf(call), batch, signal: batch.signal };
      const settle = async (): Promise<SettledCall> => await this.#run(call, batch);
      const turn = await lanes.run(place, { run: async () => await this.#record(call, batch, settle), conclude });
      if (turn.outcome === "ran") return turn.value;
    }
    const settle = (): SettledCall => (call.state === "permitted" ? settleCancelled(call) : settleUnrun(call));
    const result = await this.#record(call, batch, settle);
    await conclude(result);
    return result;
  }

  async #run(call: PermittedCall, batch: Batch): Promise<SettledCall> {
    if (batch.crash !== undefined) return settleNotStarted(call);
    const { signal, emit, parent } = batch;
    return await runPermitted(call, this.#options, {
      signal,
      emit,
      state: this.#state,
      dispatchNested: async (nested, scope) => await this.#dispatchNested(nested, scope, batch),
      depth: (parent?.depth ?? 0) + 1,
    });
  }

  /** All steps for a call that a tool made. One that reads need not wait for anything. */
  async #dispatchNested(call: ToolCall, { signal, parent }: CallScope, outer: Batch): Promise<ToolResult> {
    const { conversation, emit } = outer;
    const batch: Batch = { signal, conversation, parent, emit, crash: outer.crash };
    const prepared = await prepare(call, this.#options, batch);
    const isChange = prepared.state === "permitted" && prepared.registered.tool.risk !== "read";
    const result = await this.#answer(prepared, batch, isChange ? this.#nestedLanes : OPEN_LANES);
    outer.crash ??= batch.crash;
    return result;
  }

  /** Steps 9 and 10, around what settles the call. */
  async #record(
    call: PreparedCall,
    batch: Batch,
    settle: () => SettledCall | Promise<SettledCall>,
  ): Promise<ToolResult> {
    const { clock, journal, ledger, tracer, durations, onThrow, hooks } = this.#options;
    const startedAtMs = clock();
    const span = startSpan(tracer, call.call, call.registered?.tool);
    const settled = await settle();
    const reviewed = hooks === undefined ? settled.result : await reviewResult(call, settled.result, hooks);
    const result = await spill(reviewed, this.#options.spill, call.registered?.tool);
    if (settled.crash !== undefined && onThrow === "stop") batch.crash ??= { result, error: settled.crash.error };
    if (settled.entry !== undefined) ledger.settle(settled.entry, result);
    endSpan(span, result);
    durations.record(result, call.registered?.tool);
    journal.append(recordOf(call, { ...settled, result, startedAtMs, parent: batch.parent }));
    return result;
  }

  async #conclude(call: PreparedCall, result: ToolResult, { emit }: Batch): Promise<void> {
    const { hooks } = this.#options;
    if (hooks !== undefined) await runAfterHooks(call, result, hooks);
    emit({ type: "call-settled", callId: result.callId, result });
  }
}

/** What the calls of one batch share. */
interface Batch extends CallScope {
  readonly emit: (event: DispatchEvent) => void;
  /** The first crash, when the engine stops at one. */
  crash: Crash | undefined;
}

interface Crash {
  readonly result: ToolResult;
  readonly error: unknown;
}

function crashOf({ result, error }: Crash, results: readonly ToolResult[]): ToolCrashError {
  return new ToolCrashError(batchStopped(result.success ? result.output : result.error), { cause: error, results });
}

/** An empty name, as of a variable that is not set, would make one conversation of all. */
function isConversation(name: unknown): boolean {
  return name === undefined || (typeof name === "string" && name !== "");
}

/** An observer's failure is its own; the call goes on. */
function quietly(onEvent: DispatchOptions["onEvent"]): (event: DispatchEvent) => void {
  if (onEvent === undefined) return () => undefined;
  return (event) => {
    try {
      onEvent(event);
    } catch {
      // See above: nothing an observer throws may change the outcome of a call.
    }
  };
}
