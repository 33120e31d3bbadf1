/** One word of a POSIX shell that stands for exactly this text. */
export function quoteForShell(word: string): string {
  return PLAIN_WORD.test(word) && !ASSIGNMENT.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** No character that a shell gives a meaning, in any position. */
const PLAIN_WORD = /^[\w+,./:@=-]+$/;

/** At the beginning of a command it would set a variable instead of naming a program. */
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
