import type { Risk } from "./risk.ts";
import type { ToolResult } from "./tool-result.ts";

/** The call that a hook is told of. */
export interface HookCall {
  readonly callId: string;
  readonly tool: string;
  /** The call whose tool made this one, when a tool did. */
  readonly parentCallId?: string;
  /** Absent for a name that is no tool. */
  readonly risk?: Risk;
  /** The input as it would run, validated and with defaults filled in; of a call that never came so far, as it was given. */
  readonly input: unknown;
  /** Aborted when the call is cancelled or the hook's time is over. */
  readonly signal: AbortSignal;
}

/** What `beforeCall` says; nothing means that the call goes on. */
export type HookDecision =
  | { readonly decision: "continue" }
  /** Go on with this input instead; it is validated and judged like any other. */
  | { readonly decision: "edit"; readonly input: unknown }
  | { readonly decision: "block"; readonly reason: string }
  /** Block it, and cancel every other call of its batch: none of them has begun. */
  | { readonly decision: "stop"; readonly reason: string }
  /** Have the reviewer decide although the policy allows it; what the policy denies stays denied. */
  | { readonly decision: "ask"; readonly reason: string };

/** What `beforeResult` says; nothing means that the result stays. Whether the call succeeded, and what it changed, stays too. */
export type ResultDecision =
  | { readonly decision: "keep" }
  /** This text instead of all that the model would read. */
  | { readonly decision: "replace"; readonly output: string }
  /** A note with the reason instead of it. */
  | { readonly decision: "withhold"; readonly reason: string };

/**
 * Code of yours that stands in the path of every call. `beforeCall` and `beforeResult` decide, so their failure blocks the
 * call and withholds the result; the others observe, so theirs are ignored. Each has `hookTimeoutMs`; whoever takes longer
 * counts as failed.
 */
export interface Hooks {
  /** Before the gate, so that what is approved is what runs. It is asked again about what a reviewer edited. */
  beforeCall?(call: HookCall): HookDecision | void | Promise<HookDecision | void>;
  /** After a call that ran, before its result is shortened, kept anywhere or given to anybody. */
  beforeResult?(call: HookCall, result: ToolResult): ResultDecision | void | Promise<ResultDecision | void>;
  /** After a call that ran, however it ended. */
  afterCall?(call: HookCall, result: ToolResult): unknown;
  /** After a call that failed in any way but a denial, whether it ran or not. */
  onFailure?(call: HookCall, result: ToolResult): unknown;
  /** After a call that the policy, a reviewer or a hook denied. */
  onDenied?(call: HookCall, result: ToolResult): unknown;
}
