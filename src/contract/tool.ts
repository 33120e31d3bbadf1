import type { Decider, ToolVerdict } from "./gate.ts";
import type { JsonSchema, ObjectSchema } from "./json-schema.ts";
import type { StartPrefilter } from "./prefilter.ts";
import type { Risk } from "./risk.ts";
import type { Execution, RunOptions, SandboxCommand } from "./sandbox.ts";
import type { NestedCall } from "./tool-call.ts";
import type { ContentBlock, ErrorKind, ToolResult } from "./tool-result.ts";
import type { ReadableWorkspace, WritableWorkspace } from "./workspace.ts";

/** Asks the user a question, with answers to choose from; `undefined` means that no answer came. */
export type AskUser = (question: string, options?: readonly string[]) => Promise<string | undefined>;

/** What a tool's `execute` gets beside its input; frozen, one for each attempt. */
export interface ToolContext {
  readonly callId: string;
  /** The call whose tool made this one, when a tool did. */
  readonly parentCallId?: string;
  /** What the caller named the conversation, when it did. */
  readonly conversation?: string;
  /** Who allowed the call. */
  readonly decidedBy: Decider;
  /**
   * Names the call to a service outside that is to act once: the same text for each attempt, and for the same call (id, tool
   * and input) in the same conversation. Given to write and exec tools where the conversation has a name.
   */
  readonly idempotencyKey?: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborted on timeout and on cancellation; a tool that waits passes it on. */
  readonly signal: AbortSignal;
  /** Values that tools of one engine share. */
  readonly state: Map<string, unknown>;
  /** Tells the caller how far the tool is. */
  readonly report: (progress: string) => void;
  /** Ends the agent's run with a value; the dispatcher hands it to the caller in the result's metadata. */
  readonly finish: (value: unknown) => void;
  /**
   * Calls another tool, as the model could: the call is validated, asked about, recorded and limited like any other, and it
   * ends when this call does. Only a read tool may, since it has no layer of its own that the other one's would have to be
   * part of; a nested write or exec call has its own layer and runs beside nothing else that a tool called and that changes
   * something. The time that it takes, approvals included, is part of this call's, and this call is not retried any more.
   */
  readonly dispatch: (call: NestedCall) => Promise<ToolResult>;
  /** Asks the user, when the engine was given a way to; `undefined` means that no answer came. */
  readonly ask?: AskUser;
}

/** The context of a read tool. */
export interface ReadContext extends ToolContext {
  readonly workspace: ReadableWorkspace;
  /** Rules out files that a search need not read; only where the machine has ripgrep. */
  readonly startPrefilter?: StartPrefilter;
}

/** The context of a write tool: everything it changes goes to this dispatch's layer. */
export interface WriteContext extends ToolContext {
  readonly workspace: WritableWorkspace;
}

/** The context of an exec tool: the workspace as it was when the dispatch began, and a sandbox that changes it. */
export interface ExecContext extends ToolContext {
  readonly workspace: ReadableWorkspace;
  readonly sandbox: SandboxHandle;
}

/** The sandbox as an exec tool sees it: it can run commands and set nothing else. */
export interface SandboxHandle {
  /**
   * Runs a command under the engine's limits. The tool's timeout ends it.
   * @throws SandboxUnavailableError when the sandbox, not the command, failed.
   */
  run(command: SandboxCommand, options?: Pick<RunOptions, "stdin">): Promise<Execution>;
}

/** The context that goes with a risk. */
export type ContextFor<R extends Risk> = R extends "read"
  ? ReadContext
  : R extends "write"
    ? WriteContext
    : ExecContext;

/** What `execute` may return in full; a string, `undefined` or any JSON value is turned into one. */
export type ToolOutcome =
  | {
      readonly success: true;
      readonly output: string;
      readonly content?: readonly ContentBlock[];
      readonly structured?: unknown;
      readonly metadata?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly success: false;
      readonly error: string;
      /** @default "business" */
      readonly errorKind?: ErrorKind;
      /**
       * From when on trying again makes sense. A retry waits that long, unless the call's time or a minute is over before;
       * the model is told. @default unknown
       */
      readonly retryAfterMs?: number;
      readonly output?: string;
      readonly content?: readonly ContentBlock[];
      readonly metadata?: Readonly<Record<string, unknown>>;
    };

/** What the model sees of a tool. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
}

/** A tool, ready to be registered. `defineTool` makes one. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly risk: Risk;
  readonly parameters: ObjectSchema;
  /**
   * Wall time of a call, all attempts together. For exec tools the sandbox settings' `timeoutMs` (120_000 by default)
   * applies when it is less.
   * @default 30_000, and 600_000 for exec
   */
  readonly timeoutMs: number;
  /** How often a failure of the infrastructure is tried again. @default 0 */
  readonly maxRetries: number;
  /** Running it twice has the same effect as once, outside the workspace too. @default false */
  readonly idempotent: boolean;
  /** May run beside other calls, on a layer of its own. @default true for read, false otherwise */
  readonly parallel: boolean;
  /** Tags to choose tools by. */
  readonly capabilities: readonly string[];
  /** @default "core" */
  readonly tier: "core" | "advanced" | "specialist";
  /** Ask the reviewer each time, whatever the allow rules say. @default false */
  readonly requiresApproval: boolean;
  /**
   * Whether all that the tool does stays in the workspace and the sandbox. The mode `auto` asks for an exec tool of which
   * that is not true, such as one of an MCP server.
   * @default true
   */
  readonly contained?: boolean;
  /** May overwrite or delete what is there, and not only add to it. @default true, and false for read */
  readonly destructive?: boolean;
  /** May meet what nobody here can list, such as the web. @default true */
  readonly openWorld?: boolean;
  /** Characters of its results; see the option of the engine. @default the engine's `maxOutputCharacters` */
  readonly maxOutputCharacters?: number;
  /** The JSON Schema of `structured`, when there is one. */
  readonly output?: JsonSchema;
  /** What the model sees. */
  readonly spec: ToolSpec;
  /**
   * Whether the tool can run now: `true`, or why not ("WEATHER_KEY is not set"). A tool that is not ready is not offered to
   * the model, and a call of it is answered with the reason before anybody is asked. It is asked often, so it only looks.
   */
  ready?(): true | string;
  /**
   * What an input breaks beyond `parameters`, one phrase each: what a Standard Schema checks and JSON Schema cannot say.
   * @throws ToolDefinitionError when the check itself fails.
   */
  findProblems?(input: unknown): readonly string[];
  /**
   * The same tool with some options changed, checked anew. What it does and what it takes stays.
   * @throws ToolDefinitionError naming the option that is wrong or that a copy may not change.
   */
  copy(changes: ToolChanges): Tool;
  /** Says what a call would do, for the reviewer. */
  describe?(input: never): string;
  /** What a call reads and writes, so that calls which do not get into each other's way may run at the same time. */
  resources?(input: never): ToolResources;
  /** What the tool itself says of a call; it can only tighten what the policy says. */
  authorize?(input: never): ToolVerdict;
  /** Makes an outcome of what `execute` threw; `undefined` leaves it the crash that it is. */
  onError?(error: unknown, context: never): unknown;
  /** Method syntax, so that a tool with a narrower input and context is a `Tool`; the dispatcher passes what was validated. */
  execute(input: never, context: never): unknown;
}

/**
 * What a call uses of what calls share: files, tables, accounts. The names are the tools' own and only have to be equal.
 * Calls run one after the other, in the model's order, when one writes what the other reads or writes.
 */
export interface ToolResources {
  /** @default none */
  readonly reads?: readonly string[];
  /** @default none */
  readonly writes?: readonly string[];
}

/** What a copy of a tool may change. */
export type ToolChanges = Partial<
  Pick<
    Tool,
    | "name"
    | "description"
    | "timeoutMs"
    | "maxRetries"
    | "idempotent"
    | "parallel"
    | "capabilities"
    | "tier"
    | "requiresApproval"
  >
>;

/** Something that holds tools, such as a group of them. */
export interface ToolCollection {
  /** How messages call it. @default its class's name */
  readonly collectionName?: string;
  toTools(): readonly Tool[];
}

/** Where an engine, a group or a pool takes tools from. */
export type ToolSource = Tool | ToolCollection;
