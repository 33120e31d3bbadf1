import type { ToolVerdict } from "../contract/gate.ts";
import type { ObjectSchema } from "../contract/json-schema.ts";
import type { Risk } from "../contract/risk.ts";
import type { InferInput, InputSchema, OutputSchema } from "../contract/standard-schema.ts";
import type { ContextFor, ToolOutcome, ToolResources } from "../contract/tool.ts";

/**
 * What `defineTool` takes: the input's type follows from the schema, the context's from the risk, and what may be
 * returned from the schema of the output.
 */
export interface ToolDefinition<
  S extends InputSchema = ObjectSchema,
  R extends Risk = "exec",
  O extends OutputSchema = never,
> {
  /** 1 to 64 letters, digits, `_` and `-`: what every provider accepts. */
  readonly name: string;
  /** What the model reads to choose the tool. */
  readonly description: string;
  /** Where the tool runs. Undeclared means the most careful way. @default "exec" */
  readonly risk?: R;
  /**
   * The schema of the input: a JSON Schema, or a Standard Schema that can give one. The latter's own check runs after the
   * JSON Schema's and must be synchronous; `execute` and `describe` get what its transforms make of the input.
   * @default no input
   */
  readonly parameters?: S;
  /**
   * Wall time of a call, all attempts together; at most 2_147_483_647, for exec 600_000. An exec call also ends at the
   * sandbox settings' `timeoutMs`, 120_000 by default.
   * @default 30_000, and 600_000 for exec
   */
  readonly timeoutMs?: number;
  /** How often a failure of the infrastructure is tried again, at most 10. @default 0 */
  readonly maxRetries?: number;
  /** Running it twice has the same effect as once, outside the workspace too. @default false */
  readonly idempotent?: boolean;
  /** May run beside other calls, on a layer of its own. @default true for read, false otherwise */
  readonly parallel?: boolean;
  /** Tags to choose tools by. @default [] */
  readonly capabilities?: readonly string[];
  /** @default "core" */
  readonly tier?: "core" | "advanced" | "specialist";
  /** Ask the reviewer each time, whatever the allow rules say. @default false */
  readonly requiresApproval?: boolean;
  /**
   * Whether all that the tool does stays in the workspace and the sandbox. Say `false` for one that acts elsewhere: the
   * mode `auto`, which allows exec, then asks.
   * @default true
   */
  readonly contained?: boolean;
  /**
   * A hint for those who are told of the tool, such as an MCP client; it decides nothing here. Whether it may overwrite or
   * delete what is there, and not only add to it.
   * @default true, and false for read
   */
  readonly destructive?: boolean;
  /** A hint as well: whether it may meet what nobody here can list, such as the web. @default true */
  readonly openWorld?: boolean;
  /** Characters of its results, 2_000 to 10_000_000. @default the engine's `maxOutputCharacters` */
  readonly maxOutputCharacters?: number;
  /** The schema of the structured result. Of a Standard Schema the JSON Schema of its output counts. */
  readonly output?: O;
  /**
   * Whether the tool can run now: `true`, or why not ("WEATHER_KEY is not set"). Asked often, so it only looks.
   * @default always ready
   */
  ready?(): true | string;
  /** Says what a call would do, for the reviewer. */
  describe?(input: InferInput<S>): string;
  /**
   * What a call reads and writes, by names of your own ("table:users"). Calls that share none of what one of them writes
   * run at the same time, each write or exec call on a layer of its own; the others in the model's order. It only looks at
   * the input; a call for which it throws, or answers anything else, runs alone.
   * @default everything is read by a call that may run `parallel`, and written by one that may not
   */
  resources?(input: InferInput<S>): ToolResources;
  /**
   * What the tool itself says of a call, beside the policy: the stricter of the two counts. It only looks at the input, at
   * once and without side effects; throwing, or answering anything else, denies.
   * @default "allow": the policy alone decides
   */
  authorize?(input: InferInput<S>): ToolVerdict;
  /**
   * Makes an outcome of what `execute` threw: a kind of error that fits, a text that the model can act on. `undefined`
   * leaves it the crash that it is. It is not asked about a `ToolError`, which is an outcome already, about failures of
   * the engine or the sandbox, or once the call was stopped.
   * @default whatever is thrown is of the kind "internal"
   */
  onError?(error: unknown, context: ContextFor<R>): Awaitable<ToolOutcome | undefined>;
  /**
   * Does the work. Returns a string, `undefined` (`(done)`), any JSON value, or a whole `ToolOutcome`.
   * @throws ToolError to fail with a message for the model.
   */
  execute(input: InferInput<S>, context: ContextFor<R>): ToolReturn<O>;
}

/** What `execute` may return: with an `output`, a value of its type or an outcome that holds one; else anything. */
export type ToolReturn<O> = [O] extends [never] ? unknown : Awaitable<InferInput<O> | StructuredOutcome<InferInput<O>>>;

type Awaitable<T> = T | Promise<T>;

type StructuredOutcome<T> =
  | (Extract<ToolOutcome, { readonly success: true }> & { readonly structured: T })
  | Extract<ToolOutcome, { readonly success: false }>;
