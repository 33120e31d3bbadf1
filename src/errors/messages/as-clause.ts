/** A sentence stands alone in a report, and after a colon or semicolon in an error, where it starts small. */
export function asClause(sentence: string): string {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}
