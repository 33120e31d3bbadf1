import type { FrameHeader } from "../frame-protocol.ts";

/** What the virtual shell's process is asked to do, once; the body of the frame is what the script reads. */
export interface VirtualJob extends FrameHeader {
  readonly type: "job";
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hasWorkspace: boolean;
  readonly timeoutMs: number;
  readonly floodBytes: number;
}

/** What it answers, in a frame of type `report`, when the script has ended by itself. */
export interface VirtualAnswer {
  readonly exitCode: number;
}
