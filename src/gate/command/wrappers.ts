/*
 * Programs and builtins that run other programs, and how they find them in their arguments. An option that is not in a
 * grammar makes the whole opaque, so a grammar need not be complete, only right.
 */
import type { OptionGrammar } from "./options-grammar.ts";
import { SHELL, WRAPPER_TABLE } from "./wrapper-table.ts";

/** How a wrapper finds what it runs. */
export type WrapperForm =
  /** What is left after options and `operands` words is a command. */
  | "command"
  /** Assignments, then a command. */
  | "env"
  /** What is left is joined and given to a shell. */
  | "shell-words"
  /** The value of `script` is given to a shell; without it, what is left is a command. */
  | "shell-option"
  /** A shell: `-c SCRIPT`, a file, or what it reads. */
  | "shell"
  /** What is left is a command, and gets words that are read from the input. */
  | "xargs"
  /** Commands after `-exec` and the like. */
  | "find"
  /** Runs something in a way that is not looked into. */
  | "opaque";

/** How one wrapper is to be read. */
export interface Wrapper extends OptionGrammar {
  readonly form: WrapperForm;
  /** Words between the options and the command. */
  readonly operands?: number;
  /** Options that give a shell its script. */
  readonly script?: readonly string[];
  /** Runs what it is given and changes nothing else, so that no rule has to allow the wrapper itself. @default false */
  readonly isTransparent?: boolean;
  /** Options that only look, such as `command -v`: nothing is run. */
  readonly looksOnly?: readonly string[];
  readonly source: string;
}

const OPAQUE = { form: "opaque", source: "runs its arguments or what it reads" } as const satisfies Wrapper;

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>(
  Object.entries({
    ...WRAPPER_TABLE,
    bash: SHELL,
    sh: SHELL,
    dash: SHELL,
    ash: SHELL,
    rbash: SHELL,
    ...Object.fromEntries(
      // Words of the shell's own grammar among them, should the parser ever give one as a command.
      [
        ..."parallel rush nsenter setpriv capsh runcon systemd-run start-stop-daemon pkexec sg newgrp entr inotifywait".split(
          " ",
        ),
        ..."ssh mosh rsh dbus-run-session xvfb-run fakeroot firejail bwrap nsjail proot torsocks proxychains tsocks".split(
          " ",
        ),
        ..."chronic faketime unbuffer expect rlwrap screen tmux dtach at batch crontab cgexec cset numactl catchsegv".split(
          " ",
        ),
        ..."ld.so ld-linux.so.2 ld-linux-x86-64.so.2 zsh ksh mksh fish csh tcsh pwsh powershell coproc select function".split(
          " ",
        ),
      ].map((name) => [name, OPAQUE]),
    ),
  }),
);

/** How a program runs others; nothing when it is no wrapper. */
export function wrapperNamed(name: string): Wrapper | undefined {
  return WRAPPERS.get(name);
}
