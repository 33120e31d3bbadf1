/**
 * Takes the text out of a PDF. The document is a guest's, and reading one is a program in itself: a few bytes can unfold to
 * gigabytes or to hours. So it happens in a thread of its own, page by page, with a bound on time and on memory; what has
 * been read when one is reached stays, and the thread is ended. The memory is that of the whole process, since what a
 * document unfolds to lies outside of the thread's own heap, so other work of the engine may make the bound seem reached.
 */
import { setInterval } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { startWorker } from "../start-worker.ts";
import type { PdfJob, PdfMessage } from "./pdf-message.ts";

/** How to read. */
export interface PdfOptions {
  /** Reading stops when there are more lines than that. */
  readonly maxLines: number;
  readonly signal: AbortSignal;
  /** @default 20_000 */
  readonly timeoutMs?: number;
  /** How much the process may grow. @default 512 MiB */
  readonly maxMemoryBytes?: number;
}

/** The text of a PDF. */
export interface PdfText {
  /** A heading for each page, then its lines. */
  readonly lines: readonly string[];
  readonly readPages: number;
  readonly pages: number;
  /** Pages among those read that hold no text, such as a scan. */
  readonly emptyPages: number;
  /** Why pages are missing at the end. */
  readonly stopped: "lines" | "time" | "memory" | "broken" | undefined;
}

/** What came of it. */
export type PdfReading =
  | ({ readonly kind: "text" } & PdfText)
  | { readonly kind: "failed"; readonly reason: "encrypted" | "broken" | "time" | "memory" };

const HEAP_MB = 256;

/** Reads a PDF. An abort rejects with its reason. */
export async function readPdf(bytes: Uint8Array, options: PdfOptions): Promise<PdfReading> {
  options.signal.throwIfAborted();
  const job: PdfJob = { bytes };
  const worker = startWorker({ beside: import.meta.url, name: "pdf-worker", data: job, heapMb: HEAP_MB });
  const collector = new PageCollector(options.maxLines);
  const watching = new AbortController();
  try {
    const ended = untilEnded(worker, collector);
    const limit = watch(options, AbortSignal.any([watching.signal, options.signal]));
    return collector.reading(await Promise.race([ended, limit]));
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  } finally {
    watching.abort();
    await worker.terminate();
  }
}

type Ending = "end" | "lines" | "time" | "memory" | "encrypted" | "broken";

class PageCollector {
  readonly #maxLines: number;
  readonly #lines: string[] = [];
  #pages = 0;
  #readPages = 0;
  #emptyPages = 0;

  constructor(maxLines: number) {
    this.#maxLines = maxLines;
  }

  add(message: PdfMessage): Ending | undefined {
    if (message.kind === "failed") return message.reason;
    if (message.kind === "opened") {
      this.#pages = message.pages;
      return undefined;
    }
    this.#readPages += 1;
    if (message.lines.length === 0) this.#emptyPages += 1;
    this.#lines.push(`[page ${this.#readPages}]`, ...message.lines);
    if (this.#readPages === this.#pages) return "end";
    return this.#lines.length > this.#maxLines ? "lines" : undefined;
  }

  reading(ending: Ending): PdfReading {
    if (ending === "encrypted") return { kind: "failed", reason: ending };
    if (this.#readPages === 0 && (ending === "broken" || ending === "time" || ending === "memory")) {
      return { kind: "failed", reason: ending };
    }
    return {
      kind: "text",
      lines: this.#lines,
      readPages: this.#readPages,
      pages: this.#pages,
      emptyPages: this.#emptyPages,
      stopped: ending === "end" ? undefined : ending,
    };
  }
}

async function untilEnded(worker: Worker, collector: PageCollector): Promise<Ending> {
  return await new Promise((resolve) => {
    worker.on("message", (message: PdfMessage) => {
      const ending = collector.add(message);
      if (ending !== undefined) resolve(ending);
    });
    worker.on("error", (error) => {
      resolve("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "memory" : "broken");
    });
    worker.on("exit", () => resolve("broken"));
  });
}

const LOOK_MS = 50;

/** Resolves when a bound is reached. */
async function watch(
  { timeoutMs = 20_000, maxMemoryBytes = 536_870_912 }: PdfOptions,
  signal: AbortSignal,
): Promise<Ending> {
  const startedAt = performance.now();
  const before = process.memoryUsage.rss();
  for await (const _ of setInterval(LOOK_MS, undefined, { signal })) {
    if (performance.now() - startedAt > timeoutMs) return "time";
    if (process.memoryUsage.rss() - before > maxMemoryBytes) return "memory";
  }
  return "time";
}
