/** How to load. */
export interface ReadAheadOptions<T, R> {
  /** How many loads run at once. */
  readonly limit: number;
  readonly load: (item: T) => Promise<R>;
}

/** Loads something for each item, a few at once, and gives the results in the order of the items. */
export async function* readAhead<T, R>(
  items: AsyncIterable<T>,
  { limit, load }: ReadAheadOptions<T, R>,
): AsyncGenerator<R, void> {
  const loading: Promise<Loaded<R>>[] = [];
  for await (const item of items) {
    loading.push(settle(load(item)));
    if (loading.length >= limit) yield* takeFirst(loading);
  }
  while (loading.length > 0) yield* takeFirst(loading);
}

type Loaded<R> = { readonly ok: true; readonly value: R } | { readonly ok: false; readonly error: unknown };

/** Never rejects: a later item may fail while an earlier one is still awaited, or after the consumer has left. */
function settle<R>(promise: Promise<R>): Promise<Loaded<R>> {
  return promise.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, error }),
  );
}

async function* takeFirst<R>(loading: Promise<Loaded<R>>[]): AsyncGenerator<R, void> {
  const loaded = await loading.shift();
  if (loaded === undefined) return;
  if (!loaded.ok) throw loaded.error;
  yield loaded.value;
}
