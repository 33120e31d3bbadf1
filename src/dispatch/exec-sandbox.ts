import type { LayerMount, ManifestEntry } from "../contract/layer.ts";
import type { Execution, RunOptions, SandboxCommand, SandboxSession } from "../contract/sandbox.ts";
import type { SandboxHandle } from "../contract/tool.ts";
import { ToolError } from "../errors/tool-error.ts";
import { toolTimedOut } from "../errors/messages/dispatch.ts";
import type { RunFacts } from "./call-state.ts";
import type { RouteRun } from "./route.ts";

/**
 * The sandbox as an exec tool holds it. Sessions are opened when the first command of their kind comes, and commands
 * run one at a time, all within the call's one deadline.
 */
export class ExecSandbox implements SandboxHandle, AsyncDisposable {
  readonly #run: RouteRun;
  readonly #mount: () => Promise<LayerMount>;
  readonly #stop: AbortSignal;
  readonly #sessions = new Map<SandboxCommand["kind"], SandboxSession>();
  #last: { readonly backend: string; readonly execution: Execution } | undefined;
  #reported: readonly ManifestEntry[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** @param options.stop ends the command that runs, and lets no other one begin */
  constructor(run: RouteRun, options: { readonly mount: () => Promise<LayerMount>; readonly stop: AbortSignal }) {
    this.#run = run;
    this.#mount = options.mount;
    this.#stop = options.stop;
  }

  /** Whether a command has run that could change the layer. */
  get touchedLayer(): boolean {
    return this.#last !== undefined;
  }

  async run(command: SandboxCommand, options: Pick<RunOptions, "stdin"> = {}): Promise<Execution> {
    const turn = this.#queue.then(() => this.#runNow(command, options));
    // The next command waits for this one however it ends; its failure is its own caller's.
    this.#queue = turn.catch(() => undefined);
    return await turn;
  }

  /** What the engine knows of the last command, for the result's metadata. */
  facts(): RunFacts {
    if (this.#last === undefined) return {};
    const { backend, execution } = this.#last;
    const { termination, exitCode, signal, stdoutBytes, stderrBytes, truncated, details } = execution;
    const facts = { ...details, backend, termination, exitCode, signal, stdoutBytes, stderrBytes, truncated };
    // The limit, for whoever says that it was reached: how long a command ran also counts the time it took to stop.
    return termination === "timeout" ? { ...facts, timeoutMs: this.#run.timeoutMs } : facts;
  }

  /** What the sessions say was deleted, beyond what the layer's directory shows. */
  reportedEntries(): readonly ManifestEntry[] {
    return this.#reported;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    this.#reported = [...this.#reported, ...sessions.flatMap((session) => session.reportedEntries?.() ?? [])];
    for (const session of sessions) await session[Symbol.asyncDispose]();
  }

  async #runNow(command: SandboxCommand, options: Pick<RunOptions, "stdin">): Promise<Execution> {
    const { tool, time, deadlineMs, timeoutMs: limitMs, clock, onOutput } = this.#run;
    const signal = AbortSignal.any([time.signal, this.#stop]);
    signal.throwIfAborted();
    const session = await this.#sessionFor(command.kind);
    const timeoutMs = Math.floor(deadlineMs - clock());
    if (timeoutMs <= 0) throw new ToolError(toolTimedOut(tool.name, limitMs), { kind: "timeout" });
    const execution = await session.run(command, { ...options, timeoutMs, signal, onOutput });
    this.#last = { backend: session.backend, execution };
    return execution;
  }

  async #sessionFor(kind: SandboxCommand["kind"]): Promise<SandboxSession> {
    if (this.#closed) throw new ToolError("Cannot run a command: the call is over", { kind: "internal" });
    const open = this.#sessions.get(kind);
    if (open !== undefined) return open;
    const session = await this.#run.openSandbox(kind, await this.#mount());
    this.#sessions.set(kind, session);
    return session;
  }
}
