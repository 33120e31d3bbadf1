import type { ToolVerdict } from "../contract/gate.ts";
import type { DeeplyFrozen } from "../schema/deep-freeze.ts";
import type { JudgedTool } from "./judge.ts";

/** A validated call in front of the gate. */
export interface GateRequest {
  readonly callId: string;
  readonly tool: JudgedTool;
  readonly schemaFingerprint: string;
  readonly input: DeeplyFrozen;
  /** Made only when somebody is asked. */
  readonly describe: () => string;
  /** What the tool itself says of the call. @default nothing */
  readonly authorize?: () => ToolVerdict;
  /** Why a hook wants somebody to be asked, whatever allows the call. @default no hook does */
  readonly askReason?: string;
  readonly backend?: string;
  /** The call whose tool made this one, when a tool did. */
  readonly parentCallId?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What of a request a permit is bound to. */
export type BoundFacts = Pick<GateRequest, "callId" | "tool" | "schemaFingerprint" | "input" | "backend">;
