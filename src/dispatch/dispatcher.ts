import type { Tracer } from "@opentelemetry/api";
import type { DispatchEvent, DispatchOptions } from "../contract/event.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import type { Tool } from "../contract/tool.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { ENGINE_DISPOSED } from "../errors/messages/dispatch.ts";
import type { Gate } from "../gate/gate.ts";
import type { Journal } from "../journal/journal.ts";
import type { BackoffSettings } from "../resilience/attempt-policy.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { attempt } from "./attempt.ts";
import { authorize, gateRequest } from "./authorize.ts";
import { followSignals } from "./call-signal.ts";
import type { PermittedCall } from "./call-state.ts";
import { Lanes } from "./lanes.ts";
import { endSpan, recordOf, startSpan } from "./observe.ts";
import { resolve } from "./resolve.ts";
import type { OpenSandbox } from "./route.ts";
import { settle, settleCancelled, settleRefused } from "./settle.ts";
import type { SettledCall } from "./settle.ts";
import { stagesOf } from "./stages.ts";
import type { PreparedCall } from "./stages.ts";
import { validate } from "./validate.ts";

/** What the dispatcher works with; the engine wires it. */
export interface DispatcherOptions {
  readonly registry: ToolRegistry;
  readonly gate: Gate;
  readonly workspace: Workspace;
  readonly journal: Journal;
  readonly tracer: Tracer;
  readonly openSandbox: OpenSandbox;
  /** The backend that was asked for, as the reviewer sees it. */
  readonly backend: string;
  /** Wall time of an exec call; a tool that declares less gets less. */
  readonly execTimeoutMs: number;
  readonly hideHostPaths: (text: string) => string;
  readonly clock: () => number;
  readonly backoff?: BackoffSettings;
}

/** Takes every call from lookup to record: one result per call, in the order asked, on every path. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes = new Lanes();
  readonly #closing = new AbortController();
  readonly #state = new Map<string, unknown>();
  /** Batches that have not ended. An in-process tool that ignores its signal is not in it: it cannot be waited for. */
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Answers one call. */
  async dispatch(call: ToolCall, options: DispatchOptions = {}): Promise<ToolResult> {
    const [result] = await this.dispatchAll([call], options);
    if (result === undefined) throw new TypeError("dispatchAll() answers every call");
    return result;
  }

  /** Answers each call, in the order given. Every gate decision is made before the first of them runs. */
  async dispatchAll(calls: readonly ToolCall[], options: DispatchOptions = {}): Promise<readonly ToolResult[]> {
    if (this.#closing.signal.aborted) throw new ConfigurationError(ENGINE_DISPOSED);
    return await this.#track(this.#runBatch(calls, options));
  }

  /** Cancels what still runs and waits for it, so that nothing outlives the engine. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("The engine is being disposed"));
    await Promise.allSettled(this.#running);
  }

  async #runBatch(calls: readonly ToolCall[], options: DispatchOptions): Promise<readonly ToolResult[]> {
    using linked = followSignals(this.#closing.signal, options.signal);
    const emit = quietly(options.onEvent);
    const prepared: PreparedCall[] = [];
    for (const call of calls) prepared.push(await this.#prepare(call, linked.signal));
    const results: ToolResult[] = [];
    for (const stage of stagesOf(prepared))
      results.push(...(await Promise.all(stage.map((call) => this.#answer(call, linked.signal, emit)))));
    return results;
  }

  /** Steps 1 to 5. */
  async #prepare(call: ToolCall, signal: AbortSignal): Promise<PreparedCall> {
    const resolved = resolve(call, this.#options.registry);
    if (resolved.state === "refused") return resolved;
    const validated = validate(resolved, call.input);
    if (validated.state === "refused") return validated;
    return await authorize(validated, {
      ...this.#gateFacts(resolved.registered.tool),
      gate: this.#options.gate,
      signal,
    });
  }

  #gateFacts(tool: Tool): { readonly backend: string; readonly timeoutMs: number } {
    return { backend: this.#options.backend, timeoutMs: this.#timeoutOf(tool) };
  }

  #timeoutOf(tool: Tool): number {
    return tool.risk === "exec" ? Math.min(tool.timeoutMs, this.#options.execTimeoutMs) : tool.timeoutMs;
  }

  /** Steps 6 to 10. */
  async #answer(call: PreparedCall, signal: AbortSignal, emit: (event: DispatchEvent) => void): Promise<ToolResult> {
    const { clock, journal, tracer } = this.#options;
    const startedAtMs = clock();
    const span = startSpan(tracer, call.call, call.registered?.tool);
    const settled =
      call.state === "refused" ? settleRefused(call, clock() - startedAtMs) : await this.#runInLane(call, signal, emit);
    endSpan(span, settled.result);
    journal.append(recordOf(call, { ...settled, startedAtMs }));
    emit({ type: "call-settled", callId: settled.result.callId, result: settled.result });
    return settled.result;
  }

  async #runInLane(
    call: PermittedCall,
    signal: AbortSignal,
    emit: (event: DispatchEvent) => void,
  ): Promise<SettledCall> {
    const lane = call.registered.tool.parallel ? "together" : "one-by-one";
    const turn = await this.#lanes.run(lane, signal, async () => await this.#run(call, signal, emit));
    return turn.outcome === "ran" ? turn.value : settleCancelled(call, 0);
  }

  async #run(call: PermittedCall, signal: AbortSignal, emit: (event: DispatchEvent) => void): Promise<SettledCall> {
    const { gate, clock, workspace, openSandbox, hideHostPaths, backoff } = this.#options;
    const { tool } = call.registered;
    const startedAtMs = clock();
    const durationMs = (): number => clock() - startedAtMs;
    try {
      call.permit.redeem(gate.subjectOf(gateRequest(call, { ...this.#gateFacts(tool), signal })), clock());
      const attempted = await attempt(call, {
        workspace,
        openSandbox,
        clock,
        signal,
        emit,
        timeoutMs: this.#timeoutOf(tool),
        state: this.#state,
        ...(backoff === undefined ? {} : { backoff }),
      });
      return await settle(attempted, { durationMs: durationMs(), hideHostPaths });
    } catch (error) {
      // Whatever fails in the engine itself, this call still gets its one answer.
      const ending = { how: "threw", error } as const;
      return await settle({ permitted: call, ending, attempts: 0 }, { durationMs: durationMs(), hideHostPaths });
    }
  }

  #track<T>(running: Promise<T>): Promise<T> {
    const forget = (): void => void this.#running.delete(running);
    this.#running.add(running);
    running.then(forget, forget);
    return running;
  }
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
