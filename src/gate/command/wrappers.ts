/*
 * Programs and builtins that run other programs, and how they find them in their arguments. An option that is not in a
 * grammar makes the whole opaque, so a grammar need not be complete, only right. Each row was written after the manual page
 * that `source` names.
 */
import type { OptionGrammar } from "./options-grammar.ts";

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

const HELP = ["help", "version"] as const;

const SHELL = {
  form: "shell",
  flags: "abefhklmnprtuvxBCEHPTcsi",
  valued: "oO",
  longFlags: ["login", "norc", "noprofile", "posix", "verbose", "restricted", ...HELP],
  looksOnly: HELP,
  source: "bash(1), dash(1)",
} as const satisfies Wrapper;

const OPAQUE = { form: "opaque", source: "runs its arguments or what it reads" } as const satisfies Wrapper;

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    form: "env",
    flags: "i0v",
    valued: "uCSa",
    longFlags: ["ignore-environment", "null", "debug", ...HELP],
    longValued: ["unset", "chdir", "split-string", "argv0"],
    isTransparent: true,
    looksOnly: HELP,
    source: "env(1)",
  },
  timeout: {
    form: "command",
    flags: "fpv",
    valued: "ks",
    longFlags: ["foreground", "preserve-status", "verbose", ...HELP],
    longValued: ["kill-after", "signal"],
    operands: 1,
    isTransparent: true,
    looksOnly: HELP,
    source: "timeout(1)",
  },
  nice: {
    form: "command",
    flags: "0123456789",
    valued: "n",
    longFlags: HELP,
    longValued: ["adjustment"],
    isTransparent: true,
    looksOnly: HELP,
    source: "nice(1)",
  },
  ionice: {
    form: "command",
    flags: "t",
    valued: "cn",
    longFlags: ["ignore"],
    longValued: ["class", "classdata"],
    isTransparent: true,
    source: "ionice(1)",
  },
  chrt: { form: "command", flags: "abfior", longFlags: [], operands: 1, isTransparent: true, source: "chrt(1)" },
  taskset: {
    form: "command",
    flags: "c",
    longFlags: ["cpu-list"],
    operands: 1,
    isTransparent: true,
    source: "taskset(1)",
  },
  nohup: { form: "command", longFlags: HELP, isTransparent: true, looksOnly: HELP, source: "nohup(1)" },
  setsid: {
    form: "command",
    flags: "cfw",
    longFlags: ["ctty", "fork", "wait"],
    isTransparent: true,
    source: "setsid(1)",
  },
  stdbuf: {
    form: "command",
    valued: "ioe",
    longFlags: HELP,
    longValued: ["input", "output", "error"],
    isTransparent: true,
    looksOnly: HELP,
    source: "stdbuf(1)",
  },
  time: { form: "command", flags: "pv", isTransparent: true, source: "time(1)" },
  command: { form: "command", flags: "pvV", isTransparent: true, looksOnly: ["v", "V"], source: "bash(1)" },
  builtin: { form: "command", isTransparent: true, source: "bash(1)" },
  exec: { form: "command", flags: "cl", valued: "a", isTransparent: true, source: "bash(1)" },
  prlimit: {
    form: "command",
    longValued: ["as", "core", "cpu", "data", "fsize", "nofile", "nproc", "stack"],
    source: "prlimit(1)",
  },
  setarch: { form: "command", flags: "R", operands: 1, source: "setarch(8)" },
  busybox: { form: "command", isTransparent: true, source: "busybox(1)" },
  toybox: { form: "command", isTransparent: true, source: "toybox(1)" },
  xargs: {
    form: "xargs",
    flags: "0rtpxo",
    valued: "aEILnPsd",
    optional: "eil",
    longFlags: [
      "null",
      "no-run-if-empty",
      "verbose",
      "interactive",
      "exit",
      "open-tty",
      "replace",
      "eof",
      "max-lines",
      ...HELP,
    ],
    longValued: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
    isTransparent: true,
    looksOnly: HELP,
    source: "xargs(1)",
  },
  find: { form: "find", source: "find(1)" },
  sudo: {
    form: "env",
    flags: "ABbEHKkNnPSsil",
    valued: "CDghpRrtTUu",
    longFlags: [
      "askpass",
      "background",
      "login",
      "shell",
      "non-interactive",
      "preserve-env",
      "reset-timestamp",
      "set-home",
      "stdin",
      ...HELP,
    ],
    longValued: ["chdir", "chroot", "close-from", "group", "host", "other-user", "prompt", "role", "type", "user"],
    source: "sudo(8)",
  },
  doas: { form: "command", flags: "Lns", valued: "Cu", source: "doas(1)" },
  su: {
    form: "shell-option",
    flags: "flmpP",
    valued: "cgGsw",
    longFlags: ["login", "preserve-environment", "pty", ...HELP],
    longValued: ["command", "session-command", "group", "supp-group", "shell"],
    script: ["c", "command", "session-command"],
    source: "su(1)",
  },
  runuser: {
    form: "shell-option",
    flags: "flmpP",
    valued: "cgGsu",
    longFlags: ["login", "preserve-environment", "pty"],
    longValued: ["command", "session-command", "group", "supp-group", "shell", "user"],
    script: ["c", "command", "session-command"],
    source: "runuser(1)",
  },
  script: {
    form: "shell-option",
    flags: "aefq",
    valued: "cIOBTmEo",
    longFlags: ["append", "return", "flush", "force", "quiet"],
    longValued: ["command", "log-in", "log-out", "log-io", "log-timing", "logging-format", "echo", "output-limit"],
    script: ["c", "command"],
    source: "script(1)",
  },
  flock: {
    form: "shell-option",
    flags: "enosuxF",
    valued: "cEw",
    longFlags: ["shared", "exclusive", "unlock", "nonblock", "close", "no-fork", "verbose"],
    longValued: ["command", "wait", "timeout", "conflict-exit-code"],
    operands: 1,
    script: ["c", "command"],
    source: "flock(1)",
  },
  watch: {
    form: "shell-words",
    flags: "bcegptwx",
    valued: "nq",
    optional: "d",
    longFlags: [
      "beep",
      "color",
      "differences",
      "errexit",
      "chgexit",
      "precise",
      "no-title",
      "no-wrap",
      "exec",
      ...HELP,
    ],
    longValued: ["interval", "equexit"],
    isTransparent: true,
    looksOnly: HELP,
    source: "watch(1)",
  },
  chroot: {
    form: "command",
    longFlags: ["skip-chdir"],
    longValued: ["groups", "userspec"],
    operands: 1,
    source: "chroot(8)",
  },
  unshare: {
    form: "command",
    flags: "muinpUfrcCT",
    longFlags: [
      "mount",
      "uts",
      "ipc",
      "net",
      "pid",
      "user",
      "cgroup",
      "time",
      "fork",
      "map-root-user",
      "map-current-user",
      "mount-proc",
      "kill-child",
    ],
    longValued: ["propagation", "setgroups", "root", "wd", "setuid", "setgid"],
    source: "unshare(1)",
  },
  strace: {
    form: "command",
    flags: "cCdfFhikqrtTvVwxyYz",
    valued: "abeEIoOpPsSuUX",
    longFlags: ["follow-forks", "output-separately", "summary-only", "summary"],
    longValued: ["output", "trace"],
    source: "strace(1)",
  },
  ltrace: { form: "command", flags: "cCfhirStTV", valued: "aADeFlnopsuwxX", source: "ltrace(1)" },
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
};

/** How a program runs others; nothing when it is no wrapper. */
export function wrapperNamed(name: string): Wrapper | undefined {
  return Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
}
