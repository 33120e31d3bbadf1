/**
 * Waits for something that others wait for too, but not beyond an abort.
 * @throws the signal's reason when it is aborted first.
 */
export async function untilAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<"aborted">();
  const stop = (): void => aborted.resolve("aborted");
  signal.addEventListener("abort", stop);
  try {
    await Promise.race([shared, aborted.promise]);
    signal.throwIfAborted();
    return await shared;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
