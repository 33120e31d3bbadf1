/*
 * A variable may decide what runs: PATH, IFS, LD_PRELOAD, GIT_SSH_COMMAND, NODE_OPTIONS, and every program adds its own. So what
 * reaches a program's environment has to be on a list of those that are known to change nothing but language, colour and
 * amount of output. A variable that stays in the shell only matters when the shell reads it, or when it is in the environment
 * already: the sandbox's environment is small and known.
 */
import type { VariableAssignment } from "./analysis.ts";

/** Whether a variable may be given to a program without changing what runs. */
export function isHarmlessForPrograms({ name, value }: VariableAssignment): boolean {
  if (HARMLESS_NAME.test(name)) return true;
  return value !== undefined && HARMLESS_VALUES[name]?.includes(value) === true;
}

/** Whether a variable may be set in the shell without changing what runs later. */
export function isHarmlessInShell(assignment: VariableAssignment): boolean {
  if (isHarmlessForPrograms(assignment)) return true;
  return PLAIN_NAME.test(assignment.name) && !READ_BY_SOMETHING.test(assignment.name);
}

/** Whether a name is one that a builtin such as `read` may set. A subscript would be evaluated. */
export function isPlainVariable(name: string): boolean {
  return PLAIN_NAME.test(name) && !READ_BY_SOMETHING.test(name);
}

const PLAIN_NAME = /^[A-Za-z_]\w*$/;

/** Language, colour, verbosity and the like. */
const HARMLESS_NAME =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|CI|NODE_ENV|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|DEBUG|VERBOSE|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|DEBIAN_FRONTEND|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|HUSKY|PORT)$/;

/** Programs that are named by a variable, and are no program then. */
const HARMLESS_VALUES: Readonly<Record<string, readonly string[]>> = {
  PAGER: ["", "cat"],
  GIT_PAGER: ["", "cat"],
  MANPAGER: ["", "cat"],
  GIT_EDITOR: ["true", ":"],
};

/** What shells and loaders read themselves, and what is in an environment anyway. */
const READ_BY_SOMETHING =
  /^(?:PATH|HOME|IFS|ENV|CDPATH|GLOBIGNORE|SHELL|SHELLOPTS|POSIXLY_CORRECT|PS[0-4]|PROMPT_.*|BASH.*|LD_.*|DYLD_.*|GIT_.*|NODE_.*|npm_.*|NPM_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_.*|GCONV_PATH|LOCPATH|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESS.*|TMPDIR|USER|LOGNAME|PWD|OLDPWD|OPTIND|OPTARG|TIMEFORMAT|HIST.*|INPUTRC|FCEDIT|EXECIGNORE|FIGNORE|.*_proxy|.*_PROXY|_)$/;
