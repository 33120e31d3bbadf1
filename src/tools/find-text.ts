/**
 * Finds each place of a text in another one, from left to right, without overlaps, in time linear in both. The built-in
 * `indexOf` takes minutes for some pairs of a few megabytes, and both come from the model, so this is the search of
 * Knuth, Morris and Pratt.
 */
export function findText(text: string, wanted: string): readonly number[] {
  const offsets: number[] = [];
  if (wanted === "") return offsets;
  const fallbacks = fallbackTable(wanted);
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && unit !== wanted.charCodeAt(matched)) matched = fallbacks[matched - 1] ?? 0;
    if (unit === wanted.charCodeAt(matched)) matched += 1;
    if (matched < wanted.length) continue;
    offsets.push(index - wanted.length + 1);
    matched = 0;
  }
  return offsets;
}

/** Per length of a matched start: the length of the longest shorter start that it ends in. */
function fallbackTable(wanted: string): Uint32Array {
  const table = new Uint32Array(wanted.length);
  let matched = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    const unit = wanted.charCodeAt(index);
    while (matched > 0 && unit !== wanted.charCodeAt(matched)) matched = table[matched - 1] ?? 0;
    if (unit === wanted.charCodeAt(matched)) matched += 1;
    table[index] = matched;
  }
  return table;
}
