import type { SandboxCommand } from "../../src/contract/sandbox.ts";
import type { AvailableCapabilities } from "../../src/testing/backend-contract/backend-check.ts";

/** Commands that do not want to be stopped, by what they do about it; `MARKER` is on the command line of each process. */
export function hostileCommands({ commands, runsPrograms }: AvailableCapabilities): readonly SandboxCommand[] {
  if (!commands.includes("shell")) return JAVASCRIPT.map((code) => ({ kind: "javascript", code }));
  return (runsPrograms === true ? PROGRAMS : SCRIPTS).map((script) => ({ kind: "shell", script }));
}

const LAST = "sh -c ': MARKER; sleep 300; :'";

const PROGRAMS: readonly string[] = [
  `trap '' TERM HUP INT; ${LAST}; sleep 300`,
  `trap '' TERM; setsid ${LAST} & sleep 300`,
  `trap '' TERM; (setsid sh -c "trap '' TERM HUP; ${LAST.replaceAll("'", '\\"')} & sleep 300" &); sleep 300`,
  "trap '' TERM; setsid sh -c ': MARKER; kill -STOP $$' & kill -STOP $$",
  ": MARKER; storm() { storm | storm & storm; }; storm",
  "trap '' TERM; : MARKER; (while :; do sleep 0.01 & done) 2>/dev/null; sleep 300",
  `trap '' TERM; nohup ${LAST} 2>/dev/null & yes MARKER`,
];

const SCRIPTS: readonly string[] = [
  "sleep 300",
  "while :; do sleep 0.01; done",
  "while :; do echo MARKER >>file; done",
  "f() { sleep 0.01; f; }; f",
  "sleep 300 & sleep 300 | cat",
  "trap '' TERM; for i in $(seq 100000); do cat file; sleep 0.1; done",
];

const JAVASCRIPT: readonly string[] = [
  "for (;;);",
  "for (;;) await null;",
  "await new Promise(() => {});",
  '"x".repeat(2 ** 25).replace(/(x+)+y/, "")',
  "const all = []; for (;;) all[all.length % 100] = new Array(1000).fill(0);",
];
