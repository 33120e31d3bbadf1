import type { Execution } from "../contract/sandbox.ts";

/** What comes of a command that was cancelled before anything of it was started. */
export function cancelledBeforeStart(): Execution {
  return {
    termination: "cancelled",
    exitCode: null,
    signal: null,
    stdout: "",
    stderr: "",
    stdoutBytes: 0,
    stderrBytes: 0,
    truncated: false,
    durationMs: 0,
    survivors: 0,
  };
}
