import type { Execution } from "../../src/contract/sandbox.ts";

/** The part of an execution that does not differ from run to run. */
export function outcome(
  execution: Execution,
): Pick<Execution, "termination" | "exitCode" | "signal" | "stdout" | "stderr"> {
  const { termination, exitCode, signal, stdout, stderr } = execution;
  return { termination, exitCode, signal, stdout, stderr };
}
