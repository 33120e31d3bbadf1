import type { Tracer } from "@opentelemetry/api";
import type { AskUser } from "../contract/tool.ts";
import type { Gate } from "../gate/gate.ts";
import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { BackoffSettings } from "../resilience/attempt-policy.ts";
import type { Breakers } from "../resilience/breakers.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Restrictions } from "../tools/restrictions.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { DurationMetric } from "./duration-metric.ts";
import type { OpenSandbox, RouteRun } from "./route.ts";
import type { HookSettings } from "./run-hooks.ts";
import type { SpillOptions } from "./spill.ts";

/** What the dispatcher works with; the engine wires it. */
export interface DispatcherOptions {
  readonly registry: ToolRegistry;
  readonly restrictions: Restrictions;
  readonly gate: Gate;
  readonly workspace: Workspace;
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly tracer: Tracer;
  readonly durations: DurationMetric;
  readonly openSandbox: OpenSandbox;
  readonly findRipgrep: RouteRun["findRipgrep"];
  /** The backend that was asked for, as the reviewer sees it. */
  readonly backend: string;
  /** Wall time of an exec call; a tool that declares less gets less. */
  readonly execTimeoutMs: number;
  readonly hideHostPaths: (text: string) => string;
  readonly clock: () => number;
  readonly backoff?: BackoffSettings;
  readonly spill: SpillOptions;
  readonly hooks?: HookSettings;
  /** Asks the user for a tool. */
  readonly ask?: AskUser;
  readonly breakers: Breakers;
  /** How often the same call may be made in a row. */
  readonly maxRepeats: number;
  /** What the crash of a tool's own code does beside failing its call. */
  readonly onThrow: "result" | "stop";
}
