import type { BashOptions } from "just-bash";

/*
 * just-bash's `hardened` limits, loosened where they would stop honest work on a source tree of some ten thousand files.
 * Each of them keeps a single command from running away inside the interpreter; what really bounds a run is outside of
 * it: the engine kills the process at the wall limit, the output limit and the memory limit. Nesting depths, parser
 * limits and archive limits stay as hardened as they are.
 */

const MB = 1024 * 1024;

/** The interpreter's limits for a run with the given bounds. */
export function shellLimits(bounds: {
  readonly timeoutMs: number;
  readonly floodBytes: number;
}): NonNullable<BashOptions["executionLimits"]> {
  return {
    // `find … -exec` and `while read` start a command for each file of a tree.
    maxCommandCount: 200_000,
    maxLoopIterations: 200_000,
    // A line of input is an iteration in these.
    maxAwkIterations: 1_000_000,
    maxAwkParserOperations: 1_000_000,
    maxSedIterations: 1_000_000,
    maxJqIterations: 1_000_000,
    maxQueryElements: 1_000_000,
    maxCsvRows: 1_000_000,
    maxCsvCells: 10_000_000,
    // One walk over a tree visits each of its files, and `**` expands to all of them.
    maxTraversalEntries: 1_000_000,
    maxTraversalWork: 10_000_000,
    maxGlobOperations: 1_000_000,
    maxArrayElements: 1_000_000,
    // Charged for each line and each match, and shared by all commands of the script.
    maxWorkUnits: 100_000_000,
    // `grep -r` holds what it reads for a while; a tree of ten thousand files is some hundred megabytes.
    maxInputBytes: 1024 * MB,
    maxLiveBytes: 256 * MB,
    maxStringLength: 32 * MB,
    maxHeredocSize: 32 * MB,
    // Above what the engine lets pass, so that a flood is reported as one.
    maxOutputSize: bounds.floodBytes + MB,
    // Above the wall limit, which the engine enforces.
    maxExecutionTimeMs: bounds.timeoutMs + 60_000,
  };
}
