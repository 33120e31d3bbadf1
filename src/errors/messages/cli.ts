/** Sentences of the command line. */

/** A duration that is none, or has no unit. */
export function invalidDuration(option: string, text: string): string {
  return `Cannot use ${option} "${text}": it is no duration; give a number and a unit, such as "120s" or "2m"`;
}

/** A duration outside what the engine can keep. */
export function durationOutOfRange(option: string, text: string, limits: { least: string; most: string }): string {
  return `Cannot use ${option} "${text}": a command may run from ${limits.least} to ${limits.most}`;
}

/** A size that is none, or has no unit. */
export function invalidSize(option: string, text: string): string {
  return `Cannot use ${option} "${text}": it is no size; give a number and a unit, such as "512m" or "2g"`;
}

/** Less memory than anything runs in. */
export function sizeTooSmall(option: string, text: string): string {
  return `Cannot use ${option} "${text}": it is less than 1 MiB; give a size such as "512m"`;
}

/** A number of things to show that is none. */
export function invalidCount(option: string, text: string): string {
  return `Cannot use ${option} "${text}": it is no count; give a whole number from 1 to 1000000`;
}

/** A value that is not one of a few. */
export function notOneOf(option: string, text: string, choices: readonly string[]): string {
  return `Cannot use ${option} "${text}": it is none of the choices; choose ${choices.join(", ")}`;
}

/** `--land ask` where nobody can be asked. */
export const CANNOT_ASK_TO_LAND =
  'Cannot use --land "ask": stdin or stderr is not a terminal; choose "auto" or "never"';

/** `--land ask` beside `--json`. */
export const CANNOT_ASK_WITH_JSON =
  'Cannot use --land "ask" with --json: nothing is shown that could be judged; choose "auto" or "never"';

/** Landing or discarding what nobody has looked at. */
export function cannotConfirm(action: "land" | "discard"): string {
  return `Cannot ${action} without asking: stdin or stderr is not a terminal; look at "cofferdam diff" and add --yes`;
}

/** `diff --stat --json`. */
export const STAT_WITH_JSON = "Cannot use --stat with --json: each asks for another form; leave one of them out";

/** Input of `call` that is no JSON. */
export function invalidJson(source: string, problem: string): string {
  return `Cannot read the input of the call from ${source}: ${problem}; give one JSON value such as '{"path": "README.md"}'`;
}

/** A mistake that commander found. */
export function usageError(problem: string, helpCommand: string): string {
  return `${problem}; see "${helpCommand}"`;
}

/** An unknown option in front of a command that has options of its own. */
export const SEPARATE_THE_COMMAND = 'put "--" in front of the command to run';

/** Something that is no expected failure. */
export function unexpectedFailure(problem: string): string {
  return `Unexpected failure: ${problem}; COFFERDAM_DEBUG=1 shows where`;
}

/** One path that stands in the way of a landing. */
export function conflictLine(path: string, reason: string): string {
  return `${path}: ${reason}`;
}

/** `run` with something on stdin. */
export const STDIN_NOT_READ =
  "The command reads nothing from stdin: it is empty in a sandbox; give input in a file of the root";

/** The first signal. */
export function stopping(signal: string): string {
  return `Stopping on ${signal}; a second one leaves at once`;
}

/** The diff is not what was shown before the question. */
export const MOVED_WHILE_ASKING = "The changes moved while you were looking; this is how they are now";

/** Why a reviewer on the command line refuses a call that nobody typed. */
export const NOT_TYPED = "only the call that was typed is approved";

/** What a reviewer is shown beside the input. */
export const approvalFields = {
  place: (backend: string | undefined, timeoutMs: number) => {
    const where = backend === "auto" ? "in the first sandbox that works here, " : `in ${backend ?? ""}, `;
    return `${backend === undefined ? "" : where}for at most ${timeoutMs / 1000} s`;
  },
  always: (reach: { readonly rule: string; readonly description: string }) =>
    `adds the rule "allow ${reach.rule}" to your policy: ${reach.description}, without asking`,
} as const;

/** The end of a request that is longer than anybody reads. */
export function notShownWhole(lines: number): string {
  return `  … ${lines} more ${lines === 1 ? "line" : "lines"}; what is not shown whole cannot be approved`;
}

/** What a denial at the prompt says when no reason was typed. */
export const LEFT_THE_PROMPT = "the prompt was left without an answer";

/** A tool's file for `images build` that cannot be found. */
export function missingDockerfile(file: string): string {
  return `Cannot build from "${file}": there is no such file; name one with --dockerfile`;
}

/** A command that did not end by itself. */
export function commandStopped(why: string, kept: boolean): string {
  return `The command was stopped: ${why}${kept ? "" : "; what it changed has been dropped"}`;
}

/** `--strict` beside a format that has no strict mode. */
export const STRICT_NEEDS_OPENAI =
  'Cannot use --strict: only OpenAI has a strict mode; use it with --format "openai" or "openai-responses"';

/** What a provider would refuse of a tool. */
export function toolProblem(tool: string, problem: string): string {
  return `tool "${tool}": ${problem}`;
}

/** What `policy trust` says. */
export const trustMessages = {
  noFile: 'Cannot trust the policy in the root: there is no "cofferdam.json"',
  cannotAsk: "Cannot trust the policy without asking: stdin or stderr is not a terminal; read the file and add --yes",
  already: "This content is trusted already",
  declined: "Nothing is trusted",
  revoked: "No policy in the root is trusted any more",
  trusted: (digest: string) => `Trusted cofferdam.json as it is now (SHA-256 ${digest})`,
} as const;
