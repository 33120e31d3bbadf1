import type { FrameHeader } from "../frame-protocol.ts";

/** What an isolate's child process is asked to do, once. */
export interface IsolateJob extends FrameHeader {
  readonly type: "job";
  readonly code: string;
  readonly inputJson: string;
  readonly memoryMb: number;
  /** Where the child finds isolated-vm. */
  readonly isolatedVm: string;
}

/** What it answers, in a frame of type `report`. */
export type IsolateAnswer =
  | { readonly outcome: "returned"; readonly json: string }
  | { readonly outcome: "returned-nothing" }
  /** What it printed says why. */
  | { readonly outcome: "failed" }
  | { readonly outcome: "out-of-memory" };

/** The longest JSON text that code may return. */
export const MAX_VALUE_CHARACTERS = 8 * 1024 * 1024;
