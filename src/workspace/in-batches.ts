/** How much is asked of the file system at a time. */
const BATCH_SIZE = 16;

/**
 * Does work for each item, some at a time, and gives the results in order. When one fails, the ones that were begun with
 * it have ended before the first failure is thrown, so that nothing goes on behind the caller's back.
 */
export async function inBatches<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += BATCH_SIZE) {
    const batch = items.slice(start, start + BATCH_SIZE);
    const settled = await Promise.allSettled(batch.map(async (item, index) => work(item, start + index)));
    for (const outcome of settled) {
      if (outcome.status === "rejected") throw outcome.reason;
      results.push(outcome.value);
    }
  }
  return results;
}
