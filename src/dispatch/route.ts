import type { OutputChunk, SandboxCommand, SandboxSession } from "../contract/sandbox.ts";
import type { LayerMount } from "../contract/layer.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import type { WorkTime } from "../resilience/in-time.ts";
import type { UnionView } from "../union/union-view.ts";
import type { LayerDraft } from "../workspace/layer-draft.ts";
import type { AttemptEnding } from "./call-state.ts";

/** What the three routes share: one attempt of one permitted call. */
export interface RouteRun {
  readonly tool: Tool;
  readonly input: unknown;
  readonly time: WorkTime;
  /** The tool's context, with the workspace and the sandbox that the route adds. */
  readonly contextWith: <T extends object>(own: T) => ToolContext & T;
  readonly view: () => Promise<UnionView>;
  /** How many calls the tool has made that are over; each may have changed the workspace. */
  readonly nestedEnded: () => number;
  /** A fresh layer for this attempt. */
  readonly beginLayer: () => Promise<LayerDraft>;
  readonly openSandbox: OpenSandbox;
  /** The path of `rg`; `undefined` where there is none to be used. */
  readonly findRipgrep: () => Promise<string | undefined>;
  /** Wall time of the whole call. */
  readonly timeoutMs: number;
  /** When the call has to be over, on the clock's scale. */
  readonly deadlineMs: number;
  readonly clock: () => number;
  /** Told when the tool's own code throws what it did not mean to. */
  readonly onCrash: (error: unknown) => void;
  readonly onOutput: (chunk: OutputChunk) => void;
}

/** Opens a session on the backend that was configured for this kind of command. */
export type OpenSandbox = (kind: SandboxCommand["kind"], mount: LayerMount) => Promise<SandboxSession>;

/** A route either returns what the tool said, or throws. */
export type Route = (run: RouteRun) => Promise<Extract<AttemptEnding, { how: "returned" }>>;
