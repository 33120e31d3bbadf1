/** What was found in the lines of one file. */
export interface FoundLines {
  readonly path: string;
  /** Indexes of matching lines, rising. */
  readonly found: readonly number[];
  /** Lines to show around each. */
  readonly context: number;
}

const MAX_LINE_CHARACTERS = 500;

/**
 * Writes matches as grep does: `path:line:text` for a match, `path-line-text` for a line around one, and `--` between
 * groups that do not touch.
 */
export function formatMatches(lines: readonly string[], { path, found, context }: FoundLines): string {
  // What follows the last line break is no line when it is empty.
  const lineCount = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const matching = new Set(found);
  const parts: string[] = [];
  let next = 0;
  for (const index of found) {
    const start = Math.max(next, index - context);
    const end = Math.min(lineCount, index + context + 1);
    if (context > 0 && parts.length > 0 && start > next) parts.push("--");
    for (let each = start; each < end; each += 1) {
      const mark = matching.has(each) ? ":" : "-";
      parts.push(`${path}${mark}${each + 1}${mark}${cut(lines[each] ?? "")}`);
    }
    next = Math.max(next, end);
  }
  return parts.join("\n");
}

function cut(line: string): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const start = Array.from(line.slice(0, MAX_LINE_CHARACTERS * 2))
    .slice(0, MAX_LINE_CHARACTERS)
    .join("");
  return `${start} … (line cut)`;
}
