/**
 * Finds each place where some lines stand in a list of lines, overlapping places included, in time linear in both: both
 * come from the model, and a file of equal lines must not take minutes. As `findText`, after Knuth, Morris and Pratt.
 */
export function findLines(lines: readonly string[], wanted: readonly string[], from: number): readonly number[] {
  const places: number[] = [];
  if (wanted.length === 0) return places;
  const fallbacks = fallbackTable(wanted);
  let matched = 0;
  for (let index = from; index < lines.length; index += 1) {
    while (matched > 0 && lines[index] !== wanted[matched]) matched = fallbacks[matched - 1] ?? 0;
    if (lines[index] === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    places.push(index - wanted.length + 1);
    matched = fallbacks[matched - 1] ?? 0;
  }
  return places;
}

/** Per count of matched lines: the longest shorter start that they end in. */
function fallbackTable(wanted: readonly string[]): readonly number[] {
  const table: number[] = [0];
  let matched = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    while (matched > 0 && wanted[index] !== wanted[matched]) matched = table[matched - 1] ?? 0;
    if (wanted[index] === wanted[matched]) matched += 1;
    table.push(matched);
  }
  return table;
}
