/** One word of a POSIX shell that stands for exactly this text. */
export function quoteForShell(word: string): string {
  return PLAIN_WORD.test(word) && !ASSIGNMENT.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The shell script that words of a command line stand for: one is a script, several are a program and its arguments. */
export function toScript(words: readonly string[]): string {
  const [only = "", ...rest] = words;
  return rest.length === 0 ? only : words.map(quoteForShell).join(" ");
}

/** No character that a shell gives a meaning, in any position. */
const PLAIN_WORD = /^[\w+,./:@=-]+$/;

/** At the beginning of a command it would set a variable instead of naming a program. */
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
