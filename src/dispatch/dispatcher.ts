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
import { begin, record } from "./record.ts";
import type { BegunCall, EndedCall, RecordedCall } from "./record.ts";
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
    const conclude = async (ended: EndedCall | RecordedCall): Promise<ToolResult> =>
      await this.#conclude(call, ended, batch);
    if (call.state === "permitted") {
      const place = { access: accessOf(call), batch, signal: batch.signal };
      const turn = await lanes.run(place, { run: async () => await this.#run(call, batch), conclude });
      if (turn.outcome === "ran") return turn.value;
    }
    const settled = call.state === "permitted" ? settleCancelled(call) : settleUnrun(call);
    return await conclude({ state: "ended", ...begin(call, this.#options, batch.parent), settled });
  }

  async #run(call: PermittedCall, batch: Batch): Promise<EndedCall | RecordedCall> {
    const begun = begin(call, this.#options, batch.parent);
    const settled = batch.crash === undefined ? await this.#start(call, begun, batch) : settleNotStarted(call);
    const { result, crash } = settled;
    if (crash !== undefined && this.#options.onThrow === "stop") batch.crash ??= { result, error: crash.error };
    const ended = { state: "ended", ...begun, settled } as const;
    // What a hook may still change is recorded after it, and the hook may dispatch calls that must not wait for this one.
    return this.#options.hooks?.hooks.beforeResult === undefined ? await this.#record(call, ended, batch) : ended;
  }

  async #start(call: PermittedCall, { span }: BegunCall, batch: Batch): Promise<SettledCall> {
    const { signal, emit, parent, conversation } = batch;
    return await runPermitted(call, this.#options, {
      signal,
      emit,
      state: this.#state,
      dispatchNested: async (nested, scope) => await this.#dispatchNested(nested, scope, batch),
      parent,
      conversation,
      span,
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

  async #record(call: PreparedCall, ended: EndedCall, batch: Batch): Promise<RecordedCall> {
    const recorded = await record(call, ended, this.#options);
    const { crash } = ended.settled;
    if (crash !== undefined && batch.crash?.error === crash.error) batch.crash = { ...crash, result: recorded.result };
    return recorded;
  }

  async #conclude(call: PreparedCall, ended: EndedCall | RecordedCall, batch: Batch): Promise<ToolResult> {
    const { hooks } = this.#options;
    const { parent, emit } = batch;
    const { result } = ended.state === "recorded" ? ended : await this.#review(call, ended, batch);
    if (hooks !== undefined) await runAfterHooks({ call, parent }, result, hooks);
    emit({ type: "call-settled", callId: result.callId, result });
    return result;
  }

  async #review(call: PreparedCall, ended: EndedCall, batch: Batch): Promise<RecordedCall> {
    const { hooks } = this.#options;
    if (hooks === undefined) return await this.#record(call, ended, batch);
    const result = await reviewResult({ call, parent: batch.parent }, ended.settled.result, hooks);
    return await this.#record(call, { ...ended, settled: { ...ended.settled, result } }, batch);
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
