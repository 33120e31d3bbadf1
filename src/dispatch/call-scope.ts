import type { Span } from "@opentelemetry/api";
import type { Permits } from "../tools/restrictions.ts";

/** What the calls of one batch have in common. */
export interface CallScope {
  readonly signal: AbortSignal;
  /** Given when ids are unique in it. */
  readonly conversation?: string | undefined;
  /** Given when a tool made the calls. */
  readonly parent?: ParentCall | undefined;
}

/** A call whose tool calls other tools. */
export interface ParentCall {
  readonly callId: string;
  /** 1 for a call of the model. */
  readonly depth: number;
  /** What restrictions left when it began; what it calls is held to that as well. */
  readonly permits: Permits;
  readonly span: Span;
}
