import { DelegateBackoff, ExponentialBackoff, handleWhenResult, retry } from "cockatiel";
import type { IBackoff, IBackoffFactory, IRetryBackoffContext, RetryPolicy } from "cockatiel";
import { inTime } from "./in-time.ts";
import type { InTimeOptions, TimedOutcome, WorkTime } from "./in-time.ts";

/** How attempts follow each other. */
export interface AttemptPolicyOptions<T> extends InTimeOptions {
  /** Wall time of all attempts and the pauses between them. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly isRetriable: (ending: T) => boolean;
  /** How long the next attempt has to wait at least, by what the last one says. */
  readonly leastPauseMs: (ending: T) => number;
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
export function runAttempts<T>(
  run: (time: WorkTime) => Promise<T>,
  options: AttemptPolicyOptions<T>,
): Promise<TimedOutcome<T>> {
  if (options.maxRetries === 0) return inTime(run, options);
  return inTime(async (time) => await repeat(options).execute(() => runUnlessOver(time, run)), options);
}

/** A pause between attempts is not interruptible: what it leads to must not begin once nobody waits for it any more. */
async function runUnlessOver<T>(time: WorkTime, run: (time: WorkTime) => Promise<T>): Promise<T> {
  time.signal.throwIfAborted();
  return await run(time);
}

// cockatiel hands every result on untyped; all of them are what `run` gave.
function repeat<T>(options: AttemptPolicyOptions<T>): RetryPolicy {
  const { maxRetries, timeoutMs, isRetriable, leastPauseMs, backoff: { maxDelayMs = MAX_DELAY_MS } = {} } = options;
  const endsAtMs = performance.now() + timeoutMs;
  // What asks for more patience than there is would be waited for in vain.
  const isWorthWaiting = (pauseMs: number): boolean => pauseMs <= maxDelayMs && performance.now() + pauseMs < endsAtMs;
  return retry(
    handleWhenResult((ending) => isRetriable(ending as T) && isWorthWaiting(leastPauseMs(ending as T))),
    {
      maxAttempts: maxRetries,
      backoff: pausesOf(options),
      // The pause is not interruptible, so it must not keep the process alive; the timer of the wall time does that.
    },
  ).dangerouslyUnref();
}

/** The pause that grows, or the longer one that the last attempt asked for. */
function pausesOf<T>({
  leastPauseMs,
  backoff = {},
}: AttemptPolicyOptions<T>): IBackoffFactory<IRetryBackoffContext<T>> {
  const { initialDelayMs = 1_000, maxDelayMs = MAX_DELAY_MS } = backoff;
  const growing = new ExponentialBackoff({ initialDelay: initialDelayMs, maxDelay: maxDelayMs, exponent: 2 });
  return new DelegateBackoff<IRetryBackoffContext<T>, IBackoff<unknown>>((context, last) => {
    const state = last === undefined ? growing.next() : last.next(context);
    const asked = "value" in context.result ? leastPauseMs(context.result.value) : 0;
    return { delay: Math.max(state.duration, asked), state };
  });
}

const MAX_DELAY_MS = 60_000;
