import { Worker } from "node:worker_threads";

/*
 * For work on data of strangers that takes the processor: a page that is nested ten thousand deep keeps a converter busy for minutes. In
 * the engine's own thread nothing could stop it; a worker is ended whatever it does, and its memory is bounded.
 */

/** What a worker may take. */
export interface WorkerLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly signal: AbortSignal;
}

/** How the work ended. */
export type WorkerOutcome =
  | { readonly outcome: "done"; readonly value: unknown }
  | { readonly outcome: "timed-out" }
  | { readonly outcome: "failed"; readonly error: Error };

/**
 * Runs a module in a thread of its own, without environment, arguments and streams. The module finds `input` as its `workerData` and posts one message.
 * @throws the signal's reason when it is aborted.
 */
export async function runInWorker(module: URL, input: unknown, limits: WorkerLimits): Promise<WorkerOutcome> {
  const { timeoutMs, memoryMb, signal } = limits;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<WorkerOutcome>();
  const worker = new Worker(module, {
    workerData: input,
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    stdout: true,
    stderr: true,
  });
  worker.on("message", (value: unknown) => resolve({ outcome: "done", value }));
  worker.on("error", (error: unknown) => {
    resolve({ outcome: "failed", error: error instanceof Error ? error : new Error(String(error)) });
  });
  worker.on("exit", () => resolve({ outcome: "failed", error: new Error("the worker ended without an answer") }));
  const timer = setTimeout(() => resolve({ outcome: "timed-out" }), timeoutMs);
  const cancel = (): void => reject(signal.reason);
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    await worker.terminate();
  }
}

/** The module beside another one that a worker runs: compiled where the other one is, source where that is source. */
export function siblingModule(importUrl: string, name: string): URL {
  const extension = /\.[jt]s$/.exec(importUrl)?.[0] ?? ".js";
  return new URL(`./${name}${extension}`, importUrl);
}
