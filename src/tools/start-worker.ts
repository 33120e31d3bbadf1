import { Worker } from "node:worker_threads";

/** Which module a thread runs, and on what. */
export interface WorkerStart {
  /** `import.meta.url` of the module beside which the worker's own stands. */
  readonly beside: string;
  /** Name of the worker's module, without extension: it is compiled where the other one is, source where that is source. */
  readonly name: string;
  /** What the worker finds as its `workerData`. */
  readonly data: unknown;
  /** Bound of its heap. */
  readonly heapMb: number;
}

/**
 * Starts a thread for work on data of strangers that takes the processor. In the engine's own thread nothing could stop such work; a
 * worker is ended whatever it does. It has no environment, no arguments and no streams of the process.
 */
export function startWorker({ beside, name, data, heapMb }: WorkerStart): Worker {
  const extension = beside.endsWith(".ts") ? ".ts" : ".js";
  return new Worker(new URL(`./${name}${extension}`, beside), {
    workerData: data,
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
}
