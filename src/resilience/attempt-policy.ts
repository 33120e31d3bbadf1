import { ExponentialBackoff, handleWhenResult, retry } from "cockatiel";
import type { RetryPolicy } from "cockatiel";
import { inTime } from "./in-time.ts";
import type { InTimeOptions, TimedOutcome, WorkTime } from "./in-time.ts";

/** How attempts follow each other. */
export interface AttemptPolicyOptions<T> extends InTimeOptions {
  /** Wall time of all attempts and the pauses between them. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly isRetriable: (ending: T) => boolean;
  readonly backoff?: BackoffSettings;
}

/** Pauses between attempts: doubled each time, with jitter. */
export interface BackoffSettings {
  /** @default 1_000 */
  readonly initialDelayMs?: number;
  /** @default 60_000 */
  readonly maxDelayMs?: number;
}

/**
 * Runs attempts until one ends well or may not be repeated, within one wall time. On timeout and on abort the answer
 * comes at once, whether or not the attempt heeds its signal; that attempt then has to clean up after itself.
 */
export async function runAttempts<T>(
  run: (time: WorkTime) => Promise<T>,
  options: AttemptPolicyOptions<T>,
): Promise<TimedOutcome<T>> {
  if (options.maxRetries === 0) return await inTime(run, options);
  return await inTime(async (time) => await repeat(options).execute(() => runUnlessOver(time, run)), options);
}

/** A pause between attempts is not interruptible: what it leads to must not begin once nobody waits for it any more. */
async function runUnlessOver<T>(time: WorkTime, run: (time: WorkTime) => Promise<T>): Promise<T> {
  time.signal.throwIfAborted();
  return await run(time);
}

function repeat<T>({ maxRetries, isRetriable, backoff = {} }: AttemptPolicyOptions<T>): RetryPolicy {
  const { initialDelayMs = 1_000, maxDelayMs = 60_000 } = backoff;
  // cockatiel hands every result to the filter untyped; all of them are what `run` gave.
  return retry(
    handleWhenResult((ending) => isRetriable(ending as T)),
    {
      maxAttempts: maxRetries,
      backoff: new ExponentialBackoff({ initialDelay: initialDelayMs, maxDelay: maxDelayMs, exponent: 2 }),
      // The pause is not interruptible, so it must not keep the process alive; the timer of the wall time does that.
    },
  ).dangerouslyUnref();
}
