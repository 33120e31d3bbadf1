import {
  ExponentialBackoff,
  handleWhenResult,
  isTaskCancelledError,
  retry,
  timeout,
  TimeoutStrategy,
  wrap,
} from "cockatiel";
import type { RetryPolicy } from "cockatiel";

/** How attempts follow each other. */
export interface AttemptPolicyOptions<T> {
  /** Wall time of all attempts and the pauses between them. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly isRetriable: (ending: T) => boolean;
  readonly backoff?: BackoffSettings;
  /** Abort the signal when the last attempt has ended, so that what it left running hears of it. @default true */
  readonly abortOnReturn?: boolean;
}

/** Pauses between attempts: doubled each time, with jitter. */
export interface BackoffSettings {
  /** @default 1_000 */
  readonly initialDelayMs?: number;
  /** @default 60_000 */
  readonly maxDelayMs?: number;
}

/** The last attempt's ending, or that time ran out or the caller's signal was aborted first. */
export type AttemptPolicyOutcome<T> =
  { readonly outcome: "ended"; readonly value: T } | { readonly outcome: "interrupted" };

/**
 * Runs attempts until one ends well or may not be repeated, within one wall time. On timeout and on abort the answer
 * comes at once, whether or not the attempt heeds its signal; that attempt then has to clean up after itself.
 */
export async function runAttempts<T>(
  run: (signal: AbortSignal) => Promise<T>,
  options: AttemptPolicyOptions<T>,
  signal?: AbortSignal,
): Promise<AttemptPolicyOutcome<T>> {
  const { timeoutMs, maxRetries, abortOnReturn = true } = options;
  const limit = timeout(timeoutMs, { strategy: TimeoutStrategy.Aggressive, abortOnReturn });
  const policy = maxRetries === 0 ? limit : wrap(limit, repeat(options));
  try {
    return { outcome: "ended", value: await policy.execute((context) => run(context.signal), signal) };
  } catch (error) {
    if (isTaskCancelledError(error)) return { outcome: "interrupted" };
    throw error;
  }
}

function repeat<T>({ maxRetries, isRetriable, backoff = {} }: AttemptPolicyOptions<T>): RetryPolicy {
  const { initialDelayMs = 1_000, maxDelayMs = 60_000 } = backoff;
  // cockatiel hands every result to the filter untyped; all of them are what `run` gave.
  return retry(
    handleWhenResult((ending) => isRetriable(ending as T)),
    {
      maxAttempts: maxRetries,
      backoff: new ExponentialBackoff({ initialDelay: initialDelayMs, maxDelay: maxDelayMs, exponent: 2 }),
      // The pause is not interruptible, so it must not keep the process alive; the timeout's own timer does that.
    },
  ).dangerouslyUnref();
}
