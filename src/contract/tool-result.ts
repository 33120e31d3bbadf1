import type { Change } from "./change.ts";

/**
 * Why a call failed. Only `timeout`, `dependency` and `internal` speak of the infrastructure; the rest are answers
 * that the model can act on.
 */
export type ErrorKind =
  | "validation"
  | "business"
  | "timeout"
  | "dependency"
  | "internal"
  | "not-found"
  | "denied"
  | "cancelled"
  | "unavailable"
  | "conflict";

/** A piece of what the model sees, in the vocabulary of MCP. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource"; readonly uri: string; readonly mimeType?: string; readonly text?: string };

interface ToolResultFields {
  readonly callId: string;
  readonly tool: string;
  /** Text for the model; of a failure, what had been produced until then. */
  readonly output: string;
  readonly content: readonly ContentBlock[];
  /** A JSON value, when the tool gave one. */
  readonly structured?: unknown;
  /** Never shown to the model. An exec result has at least `backend`, `termination`, `exitCode` and `signal`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What this dispatch's layer changed; empty when the layer was dropped. */
  readonly changes: readonly Change[];
  /** How often the tool was started; 0 when it never ran. */
  readonly attempts: number;
  readonly durationMs: number;
}

/** The call did what was asked. */
export type ToolSuccess = ToolResultFields & { readonly success: true };

/** The call failed, was refused, or never ran. */
export type ToolFailure = ToolResultFields & {
  readonly success: false;
  readonly error: string;
  readonly errorKind: ErrorKind;
  /** From when on the same call may succeed, when that is known; `error` says it too. */
  readonly retryAfterMs?: number;
};

/** The one answer that every call gets. */
export type ToolResult = ToolSuccess | ToolFailure;
