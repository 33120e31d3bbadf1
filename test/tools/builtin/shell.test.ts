import { describe, expect, it } from "vitest";
import type { Execution, SandboxCommand } from "../../../src/contract/sandbox.ts";
import { shellTool } from "../../../src/tools/builtin/shell.ts";
import { createToolScratch } from "../tool-scratch.ts";

const ENDED: Execution = {
  termination: "exit",
  exitCode: 0,
  signal: null,
  stdout: "",
  stderr: "",
  stdoutBytes: 0,
  stderrBytes: 0,
  truncated: false,
  durationMs: 5_000,
  survivors: 0,
};

async function runShell(execution: Partial<Execution>) {
  await using scratch = await createToolScratch();
  return await scratch.run(shellTool, { command: "make" }, { execute: () => ({ ...ENDED, ...execution }) });
}

const metadata = { termination: "exit", exitCode: 0, signal: null, stdoutBytes: 0, stderrBytes: 0, truncated: false };

describe("shell", () => {
  it("hands the command to the sandbox and nothing else", async () => {
    await using scratch = await createToolScratch();
    const commands: SandboxCommand[] = [];
    await scratch.run(
      shellTool,
      { command: "echo hi" },
      {
        execute: (command) => {
          commands.push(command);
          return ENDED;
        },
      },
    );
    expect(commands).toEqual([{ kind: "shell", script: "echo hi" }]);
  });

  it.each([
    ["stdout", { stdout: "out\n" }, "out"],
    ["stderr alone", { stderr: "warn\n" }, "warn"],
    ["both", { stdout: "out\n", stderr: "warn\n" }, "out\n[stderr]\nwarn"],
    ["nothing", {}, "(no output)"],
  ])("gives %s when the command succeeds", async (_name, execution, output) => {
    expect(await runShell(execution)).toEqual({ success: true, output, metadata });
  });

  it("keeps the output and adds the exit code when that is not 0", async () => {
    expect(await runShell({ exitCode: 2, stdout: "a\n", stderr: "b\n", stdoutBytes: 2, stderrBytes: 2 })).toEqual({
      success: false,
      error: "Exit code 2",
      errorKind: "business",
      output: "a\n[stderr]\nb\nExit code 2",
      metadata: { ...metadata, exitCode: 2, stdoutBytes: 2, stderrBytes: 2 },
    });
  });

  it.each<[Partial<Execution>, string, string]>([
    [{ termination: "signal", signal: "SIGSEGV" }, "business", "The command was ended by SIGSEGV"],
    [
      { termination: "timeout" },
      "timeout",
      "The command was stopped because it took too long; what it changed is dropped, so run something shorter, or a part of it",
    ],
    [
      { termination: "idle-timeout", durationMs: 1_250 },
      "timeout",
      "The command was stopped because it printed nothing for too long; what it changed is dropped, so make it say how far it is",
    ],
    [
      { termination: "output-limit", stdoutBytes: 67_108_864, stderrBytes: 1 },
      "business",
      "The command was stopped because it had printed 67,108,865 bytes; send the output to a file or filter it",
    ],
    [
      { termination: "out-of-memory", signal: "SIGKILL" },
      "business",
      'The command was stopped because it reached its memory limit; use less, work on a part at a time, or have the limit raised (--memory, "sandbox.memoryMb")',
    ],
    [{ termination: "cancelled" }, "cancelled", "The command was stopped because the call was cancelled"],
  ])("says how the command ended when it was %j", async (execution, errorKind, error) => {
    const ended = { exitCode: null, stdout: "so far\n", ...execution };
    const { termination, signal, stdoutBytes, stderrBytes } = { ...ENDED, ...execution };
    expect(await runShell(ended)).toEqual({
      success: false,
      error,
      errorKind,
      output: `so far\n${error}`,
      metadata: { ...metadata, exitCode: null, termination, signal, stdoutBytes, stderrBytes },
    });
  });

  it("adds the backend's facts to the metadata, which cannot stand for its own", async () => {
    expect(await runShell({ details: { image: "cofferdam-sandbox:latest", exitCode: 99 } })).toMatchObject({
      metadata: { ...metadata, image: "cofferdam-sandbox:latest" },
    });
  });

  it("leaves the sandbox's own failure to the engine", async () => {
    await using scratch = await createToolScratch();
    const execute = () => {
      throw new Error("the daemon is gone");
    };
    await expect(scratch.run(shellTool, { command: "x" }, { execute })).rejects.toThrow("the daemon is gone");
  });

  it("takes no option of the sandbox from the model", async () => {
    await using scratch = await createToolScratch();
    expect(await scratch.run(shellTool, { command: "x", sandbox: false })).toMatchObject({
      error: "(input error: sandbox is not a known argument)",
    });
  });
});
