/**
 * Writes the line counts in the `@@` lines of a unified diff anew, from the lines that follow, as `git apply --recount`
 * does. A hunk ends where a new one or a new file begins; a removed line that looks like the start of a file (`--- x`)
 * is taken for one only when a `+++` line comes next. Empty lines inside a hunk are blank lines of context whose space got
 * lost; at its end they are not a part of it.
 */
export function recountHunks(text: string): string {
  const lines = text.split("\n");
  const output: string[] = [];
  for (let index = 0; index < lines.length;) {
    const line = lines[index] ?? "";
    index += 1;
    if (!line.startsWith("@@")) {
      output.push(line);
      continue;
    }
    // Line 0, where no hunk can be, stands for a place that is not said.
    const [, oldStart = "0", newStart = "0", rest = ""] = HUNK_HEADER.exec(line) ?? [];
    const body = readBody(lines, index);
    index += body.length;
    const counts = `-${oldStart},${countLines(body, "+")} +${newStart},${countLines(body, "-")}`;
    output.push(`@@ ${counts} @@${rest}`, ...body);
  }
  return output.join("\n");
}

/** A hunk's first line, as it has to be. */
export const HUNK_HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

function readBody(lines: readonly string[], start: number): readonly string[] {
  const body: string[] = [];
  let index = start;
  while (index < lines.length) {
    let afterEmpty = index;
    while (lines[afterEmpty] === "") afterEmpty += 1;
    if (!isBodyLine(lines, afterEmpty)) break;
    for (; index < afterEmpty; index += 1) body.push(" ");
    body.push(lines[index] ?? "");
    index += 1;
  }
  return body;
}

function isBodyLine(lines: readonly string[], index: number): boolean {
  const line = lines[index];
  if (line === undefined || !/^[ +\-\\]/.test(line)) return false;
  return !(line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ") === true);
}

/** Lines of one side: all but the other side's and the notes on a missing newline. */
function countLines(body: readonly string[], otherSide: "+" | "-"): number {
  return body.filter((line) => !line.startsWith(otherSide) && !line.startsWith("\\")).length;
}
