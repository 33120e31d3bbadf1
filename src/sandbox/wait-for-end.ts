import { setTimeout as delay } from "node:timers/promises";

import type { RunOptions } from "../contract/sandbox.ts";
import type { CommandStopper } from "./command-stopper.ts";

/** How long output may take to arrive once every process is gone. */
const DRAIN_MS = 2_000;

/**
 * Waits until a command has ended; when its time is up or it is cancelled, it is made to end.
 * @throws SandboxUnavailableError when it cannot be stopped, and whatever `ended` rejects with.
 */
export async function waitForEnd<T>(
  ended: Promise<T>,
  stopper: Pick<CommandStopper, "stop" | "failed">,
  { signal, timeoutMs }: Required<Pick<RunOptions, "signal" | "timeoutMs">>,
): Promise<T> {
  const cancel = (): void => stopper.stop("cancelled");
  const timer = setTimeout(() => stopper.stop("timeout"), timeoutMs);
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    return await Promise.race([ended, stopper.failed]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}

/** Waits for the output of a command that has ended, as long as that is to be expected. */
export async function waitForOutput(arrived: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  try {
    await Promise.race([arrived, delay(DRAIN_MS, undefined, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
  }
}
