/** Sentences of `cofferdam policy`. */

/** Nothing to explain, or two things. */
export const COMMAND_OR_TOOL =
  "Cannot judge the call: give either a command after --, or --tool with --input, or --batch";

/** JSON that is none. */
export function invalidInputJson(place: string): string {
  return `Cannot read ${place}: it is not JSON`;
}

/** A line of a batch that names no call. */
export function invalidBatchLine(line: number): string {
  return `Cannot read line ${line} of the batch: it is no call; give {"command": …} or {"tool": …, "input": …}`;
}

/** A file that cannot be read. */
export function unreadableInput(file: string): string {
  return `Cannot read "${file}": name a file that is there and readable`;
}

/** A rule that was not translated. */
export function ruleLeftOut(rule: string, reason: string): string {
  return `Left out "${rule}": ${reason}`;
}

interface Tested {
  readonly name: string;
  readonly commands: number;
  readonly denied: number;
  readonly allowed: readonly string[];
}

/** What a policy made of one kind of ways around rules. */
export function bypassLine({ name, commands, denied, allowed }: Tested): string {
  return `${name}: ${commands} commands, ${denied} denied, ${commands - denied - allowed.length} asked, ${allowed.length} allowed`;
}

/** What it made of all of them. */
export function bypassSummary(reports: readonly Tested[]): string {
  const all = reports.reduce((sum, { commands }) => sum + commands, 0);
  const allowed = reports.reduce((sum, report) => sum + report.allowed.length, 0);
  return allowed === 0
    ? `The policy allows none of ${all} ways around rules`
    : `The policy allows ${allowed} of ${all} ways around rules`;
}
