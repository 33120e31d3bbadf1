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
  /**
   * Names the conversation that the calls are part of, the same for as long as it lasts, in another process too. It says
   * that their ids are unique in it, as those of model providers are: a call of a write or exec tool that was answered
   * before is then given the recorded result, with `metadata.replayed`, and one that is running is not started again.
   * @default none; only a call that an engine died over is known again, by its id, tool and input
   */
  readonly conversation?: string;
}
