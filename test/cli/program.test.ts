import { describe, expect, it } from "vitest";
import { runTestProgram } from "./test-context.ts";

const COMMANDS = [
  "run",
  "call",
  "tools",
  "status",
  "diff",
  "land",
  "discard",
  "undo",
  "doctor",
  "images build",
  "cleanup",
];

describe("cofferdam", () => {
  it("prints its version", async () => {
    expect(await runTestProgram(["--version"])).toMatchObject({ exitCode: 0, stdout: "1.2.3\n", stderr: "" });
  });

  it("prints its help on stderr and exits with 2 when no command is given", async () => {
    const ran = await runTestProgram([]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^Usage: cofferdam \[options\] \[command\]\n/);
  });

  it.each(COMMANDS)("says what %s does, with an example, on --help", async (command) => {
    const ran = await runTestProgram([...command.split(" "), "--help"]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "", opened: [] });
    expect(ran.stdout).toMatch(
      new RegExp(String.raw`^Usage: cofferdam ${command} [^]*\nExample:\n {2}cofferdam ${command}`),
    );
  });

  it.each([
    [["land", "--yse"], 'Unknown option "--yse" (did you mean --yes?); see "cofferdam land --help"'],
    [["nonsense"], 'Unknown command "nonsense"; see "cofferdam --help"'],
    [["stauts"], 'Unknown command "stauts" (did you mean status?); see "cofferdam --help"'],
    [["images", "bild"], 'Unknown command "bild" (did you mean build?); see "cofferdam images --help"'],
    [["run"], 'Missing required argument "command"; see "cofferdam run --help"'],
    [["run", "ls", "-la"], 'Unknown option "-la"; put "--" in front of the command to run; see "cofferdam run --help"'],
    [
      ["status", "extra"],
      'Too many arguments for "status". Expected 0 arguments but got 1: extra; see "cofferdam status --help"',
    ],
    [["diff", "--root"], 'Option "--root <dir>" argument missing; see "cofferdam diff --help"'],
    [
      ["tools", "--format", "xml"],
      'Cannot use --format "xml": it is none of the choices; choose table, json, anthropic, openai, openai-responses, gemini, mcp',
    ],
    [
      ["run", "--land", "maybe", "--", "x"],
      'Cannot use --land "maybe": it is none of the choices; choose ask, auto, never',
    ],
    [
      ["run", "--network", "a.example,https://b.example", "--", "x"],
      'Cannot allow the host "https://b.example": it is not a host name with an optional port; use a name such as "packages.example.com", "*.example.com" or "example.com:8443"',
    ],
    [
      ["run", "--land", "ask", "--", "x"],
      'Cannot use --land "ask": stdin or stderr is not a terminal; choose "auto" or "never"',
    ],
  ])("answers %j with one sentence and exit code 2, before anything is opened", async (words, sentence) => {
    const ran = await runTestProgram(words);
    expect(ran).toEqual({ exitCode: 2, stdout: "", stderr: `cofferdam: ${sentence}\n`, opened: [], questions: [] });
  });

  it("says what failed unexpectedly without a stack trace", async () => {
    const error = new TypeError("x is\nnot a function");
    const ran = await runTestProgram(["status"], { openEngine: async () => await Promise.reject(error) });
    expect(ran).toMatchObject({
      exitCode: 125,
      stdout: "",
      stderr: "cofferdam: Unexpected failure: x is\\nnot a function; COFFERDAM_DEBUG=1 shows where\n",
    });
  });
});
