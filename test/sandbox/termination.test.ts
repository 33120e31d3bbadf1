import { describe, expect, it } from "vitest";

import type { EndedCommand } from "../../src/sandbox/termination.ts";
import { classifyTermination } from "../../src/sandbox/termination.ts";

const cases: readonly [string, EndedCommand, readonly [string, number | null, string | null]][] = [
  ["success", { status: 0, oomKilled: false }, ["exit", 0, null]],
  ["a failure", { status: 3, oomKilled: false }, ["exit", 3, null]],
  ["exit 137 of its own", { status: 137, oomKilled: false }, ["exit", 137, null]],
  ["exit 143 of its own", { status: 143, oomKilled: false }, ["exit", 143, null]],
  [
    "our SIGTERM",
    { status: 143, oomKilled: false, stop: { reason: "timeout", delivered: "SIGTERM" } },
    ["timeout", null, "SIGTERM"],
  ],
  [
    "a trap that answers our SIGTERM with 0",
    { status: 0, oomKilled: false, stop: { reason: "timeout", delivered: "SIGTERM" } },
    ["timeout", null, null],
  ],
  [
    "our SIGKILL",
    { status: 137, oomKilled: false, stop: { reason: "cancelled", delivered: "SIGKILL" } },
    ["cancelled", null, "SIGKILL"],
  ],
  [
    "a signal of ours that came too late",
    { status: 0, oomKilled: false, stop: { reason: "timeout" } },
    ["exit", 0, null],
  ],
  ["a kill for memory", { status: 137, oomKilled: true }, ["out-of-memory", null, "SIGKILL"]],
  ["a failure after a kill for memory", { status: 1, oomKilled: true }, ["out-of-memory", null, null]],
  ["a shell that got over a kill for memory", { status: 0, oomKilled: true }, ["exit", 0, null]],
  [
    "a kill for memory while we stopped it for its output",
    { status: 137, oomKilled: true, stop: { reason: "output-limit", delivered: "SIGKILL" } },
    ["output-limit", null, "SIGKILL"],
  ],
  ["docker kill by somebody else", { status: 137, oomKilled: false, foreignSignal: 9 }, ["signal", null, "SIGKILL"]],
  [
    "docker kill -s INT by somebody else",
    { status: 130, oomKilled: false, foreignSignal: 2 },
    ["signal", null, "SIGINT"],
  ],
  ["a foreign signal that it survived", { status: 200, oomKilled: false, foreignSignal: 10 }, ["exit", 200, null]],
];

describe("classifyTermination()", () => {
  it.each(cases)("classifyTermination() recognises %s", (_title, ended, [termination, exitCode, signal]) => {
    expect(classifyTermination(ended)).toStrictEqual({ termination, exitCode, signal });
  });
});
