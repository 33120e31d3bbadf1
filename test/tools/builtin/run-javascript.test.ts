import { describe, expect, it } from "vitest";
import type { Execution, SandboxCommand } from "../../../src/contract/sandbox.ts";
import { runJavascriptTool } from "../../../src/tools/builtin/run-javascript.ts";
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
  durationMs: 5,
  survivors: 0,
};

async function runCode(input: object, execution: Partial<Execution> = {}) {
  await using scratch = await createToolScratch();
  const commands: SandboxCommand[] = [];
  const execute = (command: SandboxCommand) => {
    commands.push(command);
    return { ...ENDED, ...execution };
  };
  return { outcome: await scratch.run(runJavascriptTool, input, { execute }), commands };
}

describe("run_javascript", () => {
  it("hands code and input to the sandbox", async () => {
    const code = "return input.a";
    expect((await runCode({ code, input: { a: 1 } })).commands).toEqual([
      { kind: "javascript", code, input: { a: 1 } },
    ]);
    expect((await runCode({ code, input: null })).commands).toEqual([{ kind: "javascript", code, input: null }]);
    expect((await runCode({ code })).commands).toEqual([{ kind: "javascript", code }]);
  });

  it("gives what was printed, then the value as JSON, and the value as it is", async () => {
    const { outcome } = await runCode({ code: "x" }, { stdout: "log\n", value: { a: [1] } });
    expect(outcome).toMatchObject({ success: true, output: 'log\n{"a":[1]}', structured: { a: [1] } });
  });

  it.each([
    ["null", null, "null"],
    ["false", false, "false"],
    ["a string", "text", '"text"'],
  ])("gives %s as a value", async (_name, value, output) => {
    expect((await runCode({ code: "x" }, { value })).outcome).toMatchObject({
      success: true,
      output,
      structured: value,
    });
  });

  it("gives no structured value when the code returned none", async () => {
    const { outcome } = await runCode({ code: "x" });
    expect(outcome).toMatchObject({ success: true, output: "(no output)" });
    expect(outcome).not.toHaveProperty("structured");
  });

  it("fails when the code threw", async () => {
    const { outcome } = await runCode({ code: "x" }, { exitCode: 1, stderr: "TypeError: no\n" });
    expect(outcome).toMatchObject({
      success: false,
      error: "Exit code 1",
      errorKind: "business",
      output: "TypeError: no\nExit code 1",
    });
  });
});
