/**
 * The nearest index at or before `index` that does not lie inside of a character: a surrogate pair is two units of a
 * string, and half of one is no text.
 */
export function characterBorder(text: string, index: number): number {
  return isInsidePair(text, index) ? index - 1 : index;
}

function isInsidePair(text: string, index: number): boolean {
  return isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(index), 0xdc00, 0xdfff);
}

function isBetween(unit: number, least: number, most: number): boolean {
  return unit >= least && unit <= most;
}
