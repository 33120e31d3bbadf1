import type { NestedCall, ToolCall } from "../contract/tool-call.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import type { CallScope, ParentCall } from "./call-scope.ts";

/** Answers a call that a tool made. Never rejects for what the call does. */
export type DispatchNested = (call: ToolCall, scope: CallScope) => Promise<ToolResult>;

/** What a tool's calls are made with. */
export interface NestedCallsOptions {
  readonly parent: ParentCall;
  readonly dispatch: DispatchNested;
  /** Aborted when the parent is over, however it ended: what it called ends with it. */
  readonly signalOf: () => AbortSignal;
}

/** The calls that one call of a tool makes. */
export class NestedCalls {
  readonly #options: NestedCallsOptions;
  readonly #answers: Promise<unknown>[] = [];
  #ended = 0;

  constructor(options: NestedCallsOptions) {
    this.#options = options;
  }

  /** How many are over: what the workspace looked like before the last of them ended is no longer true. */
  get ended(): number {
    return this.#ended;
  }

  /** Dispatches one; its id says which call it belongs to, and is the same should all of it be replayed. */
  async dispatch({ name, input }: NestedCall): Promise<ToolResult> {
    const { parent, dispatch, signalOf } = this.#options;
    const id = `${parent.callId}/${this.#answers.length + 1}`;
    const answer = dispatch({ id, name, input }, { signal: signalOf(), parent });
    const end = (): void => void (this.#ended += 1);
    this.#answers.push(answer.then(end, end));
    return await answer;
  }

  /** Waits for those that the tool itself did not wait for. */
  async settled(): Promise<void> {
    await Promise.all(this.#answers);
  }
}
