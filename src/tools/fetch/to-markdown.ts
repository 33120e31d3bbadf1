import { startWorker } from "../start-worker.ts";
import { untilAborted } from "../until-aborted.ts";

/** Ample for a real page, which takes a tenth of a second; one that is nested ten thousand deep would take minutes. */
const TIMEOUT_MS = 10_000;
const HEAP_MB = 256;

/**
 * A page as Markdown; nothing when it cannot be converted with reasonable effort.
 * @throws the signal's reason when it is aborted.
 */
export async function toMarkdown(html: string, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const worker = startWorker({ beside: import.meta.url, name: "markdown-worker", data: html, heapMb: HEAP_MB });
  worker.on("message", (markdown: unknown) => resolve(typeof markdown === "string" ? markdown : undefined));
  // Out of memory or of stack: one more page that cannot be converted.
  worker.on("error", () => resolve(undefined));
  const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS);
  try {
    return await untilAborted(promise, signal);
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
