import type { OutputChunk } from "./sandbox.ts";
import type { ToolResult } from "./tool-result.ts";

/** What a dispatch tells while it goes on. */
export type DispatchEvent =
  | { readonly type: "call-started"; readonly callId: string; readonly attempt: number }
  | { readonly type: "call-progressed"; readonly callId: string; readonly progress: string }
  | { readonly type: "output-received"; readonly callId: string; readonly chunk: OutputChunk }
  | { readonly type: "call-settled"; readonly callId: string; readonly result: ToolResult };

/** How to run a dispatch. */
export interface DispatchOptions {
  /** Cancels what has not ended. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: DispatchEvent) => void;
}
