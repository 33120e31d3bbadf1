import { runInWorker, siblingModule } from "../run-in-worker.ts";

/** Ample for a real page, which takes a tenth of a second. */
const TIMEOUT_MS = 10_000;
const MEMORY_MB = 256;

/** A page as Markdown; nothing when it cannot be converted with reasonable effort. */
export async function toMarkdown(html: string, signal: AbortSignal): Promise<string | undefined> {
  const module = siblingModule(import.meta.url, "markdown-worker");
  const ending = await runInWorker(module, html, { timeoutMs: TIMEOUT_MS, memoryMb: MEMORY_MB, signal });
  return ending.outcome === "done" && typeof ending.value === "string" ? ending.value : undefined;
}
