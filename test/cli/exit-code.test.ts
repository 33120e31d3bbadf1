import { describe, expect, it } from "vitest";
import { exitCodeOfCall, exitCodeOfRun } from "../../src/cli/exit-code.ts";
import { failure, success } from "./test-context.ts";

describe("exitCodeOfRun()", () => {
  it.each([
    ["0 when the command succeeded", success(), 0],
    ["the command's own", failure({ errorKind: "business", metadata: { termination: "exit", exitCode: 7 } }), 7],
    ["124 on a timeout", failure({ errorKind: "timeout", metadata: { termination: "timeout", exitCode: null } }), 124],
    ["124 on an idle timeout", failure({ errorKind: "timeout", metadata: { termination: "idle-timeout" } }), 124],
    ["124 when the engine's own deadline passed", failure({ errorKind: "timeout" }), 124],
    ["137 when memory ran out", failure({ errorKind: "business", metadata: { termination: "out-of-memory" } }), 137],
    ["137 on a flood", failure({ errorKind: "business", metadata: { termination: "output-limit" } }), 137],
    [
      "143 for SIGTERM",
      failure({ errorKind: "business", metadata: { termination: "signal", signal: "SIGTERM" } }),
      143,
    ],
    ["130 when it was cancelled", failure({ errorKind: "cancelled", metadata: { termination: "cancelled" } }), 130],
    ["126 when it was denied", failure({ errorKind: "denied" }), 126],
    ["125 when the sandbox cannot be had", failure({ errorKind: "unavailable" }), 125],
    ["125 when the engine failed", failure({ errorKind: "internal" }), 125],
    ["125 when there is no shell tool", failure({ errorKind: "not-found" }), 125],
    ["125 on a conflict before an end of its own", failure({ errorKind: "conflict" }), 125],
  ])("is %s", (_what, result, code) => {
    expect(exitCodeOfRun(result)).toBe(code);
  });

  it("names the signal that interrupted us", () => {
    const cancelled = failure({ errorKind: "cancelled" });
    expect(exitCodeOfRun(cancelled, "SIGTERM")).toBe(143);
    expect(exitCodeOfRun(cancelled, "SIGHUP")).toBe(129);
    expect(exitCodeOfRun(cancelled, "SIGPIPE")).toBe(141);
  });
});

describe("exitCodeOfCall()", () => {
  it.each([
    ["business", 1],
    ["validation", 1],
    ["not-found", 1],
    ["conflict", 1],
    ["timeout", 124],
    ["dependency", 125],
    ["internal", 125],
    ["unavailable", 125],
    ["denied", 126],
    ["cancelled", 130],
  ] as const)("of a failure of kind %s is %i", (errorKind, code) => {
    expect(exitCodeOfCall(failure({ errorKind }))).toBe(code);
  });

  it("is 1, not the command's code, for a shell command that failed", () => {
    const metadata = { termination: "exit", exitCode: 7 };
    expect(exitCodeOfCall(failure({ errorKind: "business", metadata }))).toBe(1);
  });
});
