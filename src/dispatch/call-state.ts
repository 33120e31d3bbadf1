import type { Decider, Verdict } from "../contract/gate.ts";
import type { Termination } from "../contract/sandbox.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import type { ErrorKind, ToolResult } from "../contract/tool-result.ts";
import type { ToolOutcome } from "../contract/tool.ts";
import type { Permit } from "../gate/permit.ts";
import type { LedgerCall } from "../journal/ledger.ts";
import type { DeeplyFrozen } from "../schema/deep-freeze.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import type { LayerDraft } from "../workspace/layer-draft.ts";

/** After step 1: the name is a tool's. */
export interface ResolvedCall {
  readonly state: "resolved";
  readonly call: ToolCall;
  readonly registered: RegisteredTool;
}

/** After step 2: the input is what the schema says, defaults filled in, and no longer the caller's object. */
export interface ValidatedCall {
  readonly state: "validated";
  readonly call: ToolCall;
  readonly registered: RegisteredTool;
  readonly input: DeeplyFrozen;
  readonly coercions: readonly string[];
  /** Why a hook wants the reviewer to decide, when one does. */
  readonly askedBecause?: string;
}

/** After step 5: it may run, once. */
export interface PermittedCall {
  readonly state: "permitted";
  readonly call: ToolCall;
  readonly registered: RegisteredTool;
  readonly input: DeeplyFrozen;
  readonly coercions: readonly string[];
  readonly permit: Permit;
  readonly verdict: Verdict;
  readonly decidedBy: Decider;
  /** What the ledger knows it by; absent for a call that it does not note. */
  readonly noted?: LedgerCall;
}

/** A call that was answered before, in this process or in an earlier one. */
export interface AnsweredCall {
  readonly state: "answered";
  readonly call: ToolCall;
  readonly registered: RegisteredTool;
  readonly input: unknown;
  readonly result: ToolResult;
}

/** A call that ends without having run. */
export interface RefusedCall {
  readonly state: "refused";
  readonly call: ToolCall;
  readonly registered?: RegisteredTool;
  readonly errorKind: ErrorKind;
  readonly error: string;
  /** When the same call may be answered otherwise, if that is known. */
  readonly retryAfterMs?: number;
  /** Why, and by whom it was denied, when it was. */
  readonly denial?: { readonly reason: string; readonly decidedBy: Decider; readonly stopsBatch?: true };
}

/** A call whose fate at the gate is known. */
export type PreparedCall = PermittedCall | RefusedCall | AnsweredCall;

/** After step 7: how the last attempt ended, and the layer it wrote. */
export interface AttemptedCall {
  readonly permitted: PermittedCall;
  readonly ending: AttemptEnding;
  readonly attempts: number;
  /** What the tool's own code threw without meaning to, when that ended the call. */
  readonly crash?: { readonly error: unknown };
  /** What `context.finish` was given. */
  readonly finished?: { readonly value: unknown };
}

/** What the engine knows of a run. The last command's facts are there only when the tool ran one. */
export interface RunFacts {
  readonly backend?: string;
  readonly termination?: Termination;
  /** The call's wall time, when it was reached. */
  readonly timeoutMs?: number;
  /** What a command left behind that no layer can carry. */
  readonly refused?: readonly { readonly path: string; readonly reason: string }[];
  readonly [fact: string]: unknown;
}

/** How one attempt ended. Only `returned` can have a layer that is worth keeping. */
export type AttemptEnding =
  | {
      readonly how: "returned";
      readonly outcome: ToolOutcome;
      readonly draft?: LayerDraft;
      /** What the engine itself knows of the run; it goes over what the tool says. */
      readonly facts: RunFacts;
    }
  | { readonly how: "timed-out"; readonly timeoutMs: number }
  | { readonly how: "cancelled" }
  | { readonly how: "threw"; readonly error: unknown };
