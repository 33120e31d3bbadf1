import type { ApprovalReview } from "./approval.ts";
import type { Change } from "./change.ts";
import type { DispatchOptions } from "./event.ts";
import type { PolicyDefinition, PolicyMode, Reviewer, SandboxSettings, WorkspaceLimits } from "./gate.ts";
import type { Hooks } from "./hooks.ts";
import type { ChangeSelection, Landing, LandingSummary, ReviewedSelection } from "./landing.ts";
import type { PolicyReview } from "./policy-review.ts";
import type { JournalReview } from "./record.ts";
import type { Restriction } from "./restriction.ts";
import type { Capabilities, SandboxBackend } from "./sandbox.ts";
import type { AskUser, Tool, ToolSource } from "./tool.ts";
import type { ToolCall } from "./tool-call.ts";
import type { ToolResult } from "./tool-result.ts";

/** What `createEngine` takes. */
export interface EngineOptions {
  /** The real directory that the agent works on. */
  readonly root: string;
  /** @default the built-in tools, `coreTools()` */
  readonly tools?: readonly ToolSource[];
  /**
   * Names of the tools that may be used, whatever their case; every other one is hidden from the model and refused when it
   * is called. `read_output` and `tool_search` are the engine's own and always allowed. @default all
   */
  readonly allowedTools?: readonly string[];
  readonly toolSearch?: ToolSearchSettings;
  /** A policy, or the path of a policy file. It is merged with the user's file and the root's `cofferdam.json`. */
  readonly policy?: PolicyDefinition | string;
  /** The mode, whatever `policy` and the user's file say; the root's `cofferdam.json` may still ask for a stricter one. */
  readonly mode?: PolicyMode;
  /** Who answers an ask. @default everything that asks is denied */
  readonly reviewer?: Reviewer;
  /** Asks the user what a tool wants to know, such as `ask_user`. @default such a tool fails as `unavailable` */
  readonly ask?: AskUser;
  /** Overrides the `sandbox` part of the policy. */
  readonly sandbox?: SandboxSettings;
  /** Overrides the `workspace` part of the policy. */
  readonly workspace?: WorkspaceLimits;
  /** Backends to choose from, in the order of `auto`. @default docker, bubblewrap, virtual, isolate */
  readonly backends?: readonly SandboxBackend[];
  /** Where state is kept. @default `$COFFERDAM_STATE`, else `$XDG_STATE_HOME/cofferdam`, else `~/.local/state/cofferdam` */
  readonly stateHome?: string;
  /** How long a reviewer may take. @default 600_000 */
  readonly approvalTimeoutMs?: number;
  /** Pause before the first retry of a call; it doubles each time, with jitter, up to 60_000. @default 1_000 */
  readonly retryDelayMs?: number;
  /** Characters of a result; of more, the middle goes to a file that `read_output` reads. @default 30_000, at least 2_000 */
  readonly maxOutputCharacters?: number;
  /** Code of yours in the path of every call. */
  readonly hooks?: Hooks;
  /** How long one hook may take. @default 30_000 */
  readonly hookTimeoutMs?: number;
  /** When a tool that keeps failing is no longer called, and for how long. */
  readonly breaker?: BreakerSettings;
  /** How often the same call may be made in a row; one more is answered and not run. @default 3 */
  readonly maxRepeats?: number;
  /**
   * What a tool's own code does by throwing what it did not mean to (anything but `ToolError`). `result`: its call has
   * failed, no more. `stop`: what has not begun is not begun, and the dispatch rejects with a `ToolCrashError` once every
   * call has been answered.
   * @default "result"
   */
  readonly onThrow?: "result" | "stop";
}

/** When the model is shown some of the tools and finds the others with `tool_search`. */
export interface ToolSearchSettings {
  /** With more tools than this. @default 30 */
  readonly above?: number;
  /** Names of the tools that the model is always shown. @default those of `coreTools()` */
  readonly always?: readonly string[];
}

/** The pending changes, to look at. */
export interface WorkspaceReview {
  /** Every path that differs from the root, sorted. Costs the changed paths, not the tree. */
  changes(selection?: ChangeSelection): Promise<readonly Change[]>;
  /** The same as a unified diff, in the form that `git apply` reads; binary content is said, not shown. */
  diff(selection?: ChangeSelection): Promise<string>;
  /** Names the pending changes as they are now; any call that changes something, and any landing, gives another one. */
  revision(): Promise<string>;
}

/** What one backend's probe found. */
export interface BackendReport {
  readonly name: string;
  readonly capabilities: Capabilities;
}

/** Each tool has a circuit breaker, which counts its timeouts, crashes and failures of what it depends on. */
export interface BreakerSettings {
  /** Failures in a row that open it. @default 5 */
  readonly failures?: number;
  /** How long it stays open. @default 60_000 */
  readonly openMs?: number;
  /** Calls that have to succeed before it closes. @default 2 */
  readonly probes?: number;
}

/** Whether a tool can run now. */
export interface ToolReadiness {
  readonly tool: string;
  readonly ready: boolean;
  /** Why not, as the model is told. */
  readonly reason?: string;
  /** When to ask again, for one that failed too often in a row. */
  readonly retryAfterMs?: number;
}

/** A running engine on one root. */
export interface Engine extends AsyncDisposable {
  /** The root's real path. */
  readonly root: string;
  /** The tools, sorted by name. */
  readonly tools: readonly Tool[];
  /**
   * The tools to show to the model now, sorted by name: all of them, or with very many those that are always shown and those
   * that it has found with `tool_search`. Each of `tools` can be called, shown or not.
   */
  readonly offeredTools: readonly Tool[];
  /** The policy file in the root, to look at and to trust. */
  readonly policy: PolicyReview;
  /** What a policy file asked for and did not get, as it is now, in sentences for the person who runs the engine. */
  readonly notices: readonly string[];
  /** Which tools can run now, sorted by name: each says so itself, and one that failed too often in a row has to wait. */
  readiness(): readonly ToolReadiness[];
  readonly workspace: WorkspaceReview;
  /** What was called, and how it ended. */
  readonly journal: JournalReview;
  /** What reviewers have put in the queue of the root with `enqueue`, this process's or another's. */
  readonly approvals: ApprovalReview;
  /** Answers one call. Never rejects for what a call does; rejects once the engine is disposed. */
  dispatch(call: ToolCall, options?: DispatchOptions): Promise<ToolResult>;
  /** Answers each call exactly once, in the order given. Every gate decision is made before the first call runs. */
  dispatchAll(calls: readonly ToolCall[], options?: DispatchOptions): Promise<readonly ToolResult[]>;
  /**
   * Applies pending changes to the root, all or none. Calling it is the review: the caller has seen `diff()`.
   * @throws LandingConflictError when the root moved under a selected path, or calls have changed the workspace since
   * the review; nothing is landed.
   */
  land(selection?: ReviewedSelection): Promise<Landing>;
  /**
   * Takes a landing back, the last one without an id.
   * @throws LandingConflictError when a landed path has changed since; nothing is undone.
   */
  undo(landingId?: string): Promise<Landing>;
  /** Every landing so far, oldest first. */
  landings(): readonly LandingSummary[];
  /**
   * Drops pending changes and says which.
   * @throws LandingConflictError when calls have changed the workspace since the review; nothing is dropped.
   */
  discard(selection?: ReviewedSelection): Promise<readonly Change[]>;
  /**
   * Narrows what may be called, until what is returned is disposed of: `using narrow = engine.restrict({ maxRisk: "read" })`.
   * Restrictions that are in force together leave what each of them leaves. Calls that already run go on, those that wait for
   * their turn are denied; `read_output` and `tool_search` always remain.
   * @throws ConfigurationError when it names a tool that there is not, or restricts nothing.
   */
  restrict(restriction: Restriction): Disposable;
  /** Probes every backend now. */
  probe(): Promise<readonly BackendReport[]>;
}
