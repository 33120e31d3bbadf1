import { describe, expect, it } from "vitest";
import { readFileTool } from "../fake-tools.ts";
import { failure, runTestProgram, success } from "../test-context.ts";
import type { FakeEngine } from "../test-context.ts";

const TOOLS = [readFileTool];
const notFound: FakeEngine["dispatch"] = async ({ name }) =>
  failure({ tool: name, errorKind: "not-found", error: "there is none" });

describe("cofferdam call", () => {
  it("dispatches the tool with the JSON input and prints what it answers", async () => {
    const calls: unknown[] = [];
    const engine: FakeEngine = {
      tools: TOOLS,
      dispatch: async ({ name, input }) => {
        calls.push({ name, input });
        return success({ tool: name, output: "1\tfirst" });
      },
    };
    const ran = await runTestProgram(["call", "read_file", '{"path":"a"}'], { engine });
    expect(calls).toEqual([{ name: "read_file", input: { path: "a" } }]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: "1\tfirst\n", stderr: "" });
  });

  it.each([
    ["no input as an empty object", { words: ["call", "read_file"], stdin: "", input: {} }],
    ['"-" from stdin', { words: ["call", "read_file", "-"], stdin: '{"path":"b"}\n', input: { path: "b" } }],
  ])("reads %s", async (_what, { words, stdin, input }) => {
    const inputs: unknown[] = [];
    const dispatch: FakeEngine["dispatch"] = async (call) => {
      inputs.push(call.input);
      return success();
    };
    await runTestProgram(words, { stdin, engine: { tools: TOOLS, dispatch } });
    expect(inputs).toEqual([input]);
  });

  it.each([
    ["the command line", ["call", "read_file", "{path}"]],
    ["stdin", ["call", "read_file", "-"]],
  ])("refuses what is no JSON from %s before anything is opened", async (source, words) => {
    const ran = await runTestProgram(words, { stdin: "{path}" });
    const problem = "Expected property name or '}' in JSON at position 1 (line 1 column 2)";
    expect(ran).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: `cofferdam: Cannot read the input of the call from ${source}: ${problem}; give one JSON value such as '{"path": "README.md"}'\n`,
      opened: [],
    });
  });

  it("prints the output of a failure on stdout and the error on stderr, and exits with 1", async () => {
    const engine: FakeEngine = {
      tools: TOOLS,
      dispatch: async () =>
        failure({ tool: "read_file", errorKind: "business", output: "part", error: 'Cannot read "a": no such file' }),
    };
    const ran = await runTestProgram(["call", "read_file"], { engine });
    expect(ran).toMatchObject({ exitCode: 1, stdout: "part\n", stderr: 'cofferdam: Cannot read "a": no such file\n' });
  });

  it("exits with 1 for a tool that answers not-found, and with 2 for a name that is no tool", async () => {
    const known = await runTestProgram(["call", "read_file"], {
      engine: { tools: TOOLS, dispatch: notFound },
    });
    const unknown = await runTestProgram(["call", "raed_file"], {
      engine: { tools: TOOLS, dispatch: notFound },
    });
    expect([known.exitCode, unknown.exitCode]).toEqual([1, 2]);
  });

  it("escapes what could drive a terminal, and only there", async () => {
    const engine: FakeEngine = { tools: TOOLS, dispatch: async () => success({ output: "a\u001B[2J\n\tb\n" }) };
    const onTerminal = await runTestProgram(["call", "read_file"], { engine, terminal: true });
    const inPipe = await runTestProgram(["call", "read_file"], { engine });
    expect([onTerminal.stdout, inPipe.stdout]).toEqual(["a\\x1b[2J\n\tb\n", "a\u001B[2J\n\tb\n"]);
  });
});
