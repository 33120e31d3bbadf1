import { afterEach, describe, expect, it } from "vitest";

import type { Execution, OutputChunk, RunOptions, SandboxLimits } from "../../../src/contract/sandbox.ts";
import { createIsolateBackend } from "../../../src/sandbox/isolate/isolate-backend.ts";
import { assertNoChildren } from "../child-processes.ts";

const ended = {
  termination: "exit",
  exitCode: 0,
  signal: null,
  stdout: "",
  stderr: "",
  stdoutBytes: 0,
  stderrBytes: 0,
  truncated: false,
  durationMs: expect.any(Number),
  survivors: 0,
};

async function run(
  code: string,
  options: Partial<RunOptions> & { readonly input?: unknown; readonly limits?: SandboxLimits } = {},
): Promise<Execution> {
  const { input, limits = {}, ...rest } = options;
  await using session = await createIsolateBackend().open({ limits });
  return await session.run({ kind: "javascript", code, input }, { timeoutMs: 30_000, ...rest });
}

function failed(stderr: string) {
  return { ...ended, exitCode: 1, stderr, stderrBytes: Buffer.byteLength(stderr) };
}

describe("createIsolateBackend()", () => {
  afterEach(assertNoChildren);

  it("says what it can do when its probe has evaluated something", async () => {
    expect(await createIsolateBackend().probe()).toEqual({
      available: true,
      commands: ["javascript"],
      workspace: "none",
      enforces: ["memoryMb", "pids", "retainedOutputBytes", "floodBytes", "graceMs", "network", "wallTime"],
      streams: true,
      details: { node: process.version, diesWithEngine: expect.stringMatching(/^(?:kernel|pipe)$/) },
    });
  });

  it("says that it is not available when its program is missing", async () => {
    expect(await createIsolateBackend({ nodeProgram: "/does/not/exist" }).probe()).toEqual({
      available: false,
      reason:
        'Cannot run a command in the "isolate" sandbox: its process ended with exit code 127 without an answer; try again, and report it if it happens twice',
      remedy: "Run Node 24 or newer on Linux or macOS, and `npm rebuild isolated-vm`",
    });
  });

  it.each([
    ["{ sum: input.a + 1, list: [null, 'é'] }", { sum: 2, list: [null, "é"] }],
    ["await Promise.resolve(input)", { a: 1 }],
    ["null", null],
    ["[undefined, () => 1, NaN]", [null, null, null]],
    ["new Date(0)", "1970-01-01T00:00:00.000Z"],
  ])("gives back the JSON of what the code returns (%s)", async (expression, value) => {
    expect(await run(`return ${expression}`, { input: { a: 1 } })).toEqual({ ...ended, value });
  });

  it("gives no value when the code returns none", async () => {
    expect(await run("const unused = 1;")).toEqual(ended);
  });

  it("keeps stdout and stderr apart and in the guest's words", async () => {
    const chunks: OutputChunk[] = [];
    const code = `
      console.log("one", 2, { three: [3, "3"], four: new Map([["k", null]]) });
      console.info("%s has %d items", "list", 5, true);
      console.warn("careful"); console.error(new RangeError("far").message);
      console.debug();`;
    const stdout = 'one 2 { three: [ 3, "3" ], four: Map { "k" => null } }\nlist has 5 items true\n\n';
    const stderr = "careful\nfar\n";
    expect(await run(code, { onOutput: (chunk) => chunks.push(chunk) })).toEqual({
      ...ended,
      stdout,
      stderr,
      stdoutBytes: stdout.length,
      stderrBytes: stderr.length,
    });
    expect(chunks.map(({ stream }) => stream)).toEqual(["stdout", "stdout", "stderr", "stderr", "stdout"]);
  });

  it.each([
    ["throw new TypeError('no')", "TypeError: no\n    at script.js:1:7\n"],
    ["\n\nnull.x", "TypeError: Cannot read properties of null (reading 'x')\n    at script.js:3:6\n"],
    ["throw { code: 5 }", "Uncaught { code: 5 }\n"],
    ["this is no code", "SyntaxError: Unexpected identifier 'is'\n    at script.js:1:6\n"],
    ["return 1n", "The code returned what is no JSON value: Do not know how to serialize a BigInt\n"],
    ["return () => 1", "The code returned a function, which is no JSON value\n"],
    ["return 'x'.repeat(9e6)", "The code returned more than 8,388,608 characters of JSON\n"],
    ["}); (async function () { return 1", "SyntaxError: Single function literal required\n"],
    ["return 1 }, async function () {", expect.stringContaining("SyntaxError")],
    [
      "setTimeout(() => { throw new Error('late') }); await new Promise(() => {})",
      "Error: late\n    at script.js:1:26\n",
    ],
    ["Promise.reject(new Error('lost')); await null; await null", "Error: lost\n    at script.js:1:16\n"],
  ])("fails with the reason on stderr and no path of the host when the code is %s", async (code, stderr) => {
    const execution = await run(code);
    expect(execution).toMatchObject({ termination: "exit", exitCode: 1, stdout: "", stderr });
    expect(execution.stderr).not.toMatch(/file:|node_modules|\/src\/|cofferdam/);
  });

  it("shows a circular value's failure as one of the code", async () => {
    expect(await run("const a = {}; a.a = a; return a")).toMatchObject({ exitCode: 1, stdout: "" });
  });

  it("freezes the input to its depth", async () => {
    const code = "'use strict'; input.list.push(1)";
    expect(await run(code, { input: { list: [] } })).toEqual(
      failed(
        "TypeError: Cannot add property 0, object is not extensible\n    at Array.push (<anonymous>)\n    at script.js:1:26\n",
      ),
    );
  });

  it("serves timers and forgets the cleared ones", async () => {
    const code = `
      const seen = [];
      clearTimeout(setTimeout(() => seen.push("cleared"), 1));
      await new Promise((resolve) => setTimeout((value) => { seen.push(value); resolve(); }, 20, "fired"));
      return seen;`;
    expect(await run(code)).toEqual({ ...ended, value: ["fired"] });
  });

  it("starts each run afresh in one session", async () => {
    await using session = await createIsolateBackend().open({});
    const options = { timeoutMs: 30_000 };
    await session.run({ kind: "javascript", code: "globalThis.left = 1; Object.prototype.left = 1" }, options);
    const execution = await session.run({ kind: "javascript", code: "return typeof left" }, options);
    expect(execution.value).toBe("undefined");
  });

  it.each([["for (;;);"], ["await new Promise(() => {})"], ["while (true) await null"], ["return { then() {} }"]])(
    "ends at the wall limit, with what was printed, when the code is %s",
    async (code) => {
      const execution = await run(`console.log("begun"); ${code}`, { timeoutMs: 3_000 });
      expect(execution).toEqual({
        ...ended,
        termination: "timeout",
        exitCode: null,
        stdout: "begun\n",
        stdoutBytes: 6,
      });
    },
  );

  it("ends when the signal is raised", async () => {
    const cancel = new AbortController();
    const execution = await run('console.log("begun"); for (;;);', {
      signal: cancel.signal,
      onOutput: () => cancel.abort(),
    });
    expect(execution).toMatchObject({ termination: "cancelled", exitCode: null, stdout: "begun\n" });
  });

  it("ends at the output limit", async () => {
    const execution = await run("for (;;) console.log('x'.repeat(10_000))", {
      limits: { floodBytes: 1_000_000, retainedOutputBytes: 100 },
    });
    expect(execution).toMatchObject({ termination: "output-limit", exitCode: null, truncated: true });
    expect(execution.stdout).toMatch(/^x{50}\n\[\.\.\. [\d,]+ bytes left out \.\.\.\]\nx+\n$/);
  });

  it("cancels what runs when the session is disposed of, and takes no more", async () => {
    const session = await createIsolateBackend().open({});
    const running = session.run({ kind: "javascript", code: "for (;;);" }, { timeoutMs: 30_000 });
    await expect(session.run({ kind: "javascript", code: "" }, { timeoutMs: 1 })).rejects.toThrow(
      "Cannot run a command: another one is running in this session; wait for it or open a second session",
    );
    await session[Symbol.asyncDispose]();
    expect(await running).toMatchObject({ termination: "cancelled" });
    await expect(session.run({ kind: "javascript", code: "" }, { timeoutMs: 1 })).rejects.toThrow(
      "Cannot run a command: the session has been disposed of; open a new one",
    );
  });

  it.each([
    [
      { cpus: 2 },
      'Cannot open the "isolate" sandbox: it cannot enforce "cpus"; leave it out or use a backend that can',
    ],
    [
      { memoryMb: 4 },
      'Cannot hold the "isolate" sandbox to 4 MB of memory: it needs 8 MB for itself; give it at least that much, or leave the limit out',
    ],
  ])("refuses limits that it cannot keep (%o)", async (limits, message) => {
    await expect(createIsolateBackend().open({ limits })).rejects.toMatchObject({ code: "configuration", message });
  });

  it("refuses a shell command and input that is no JSON", async () => {
    await using session = await createIsolateBackend().open({});
    const options = { timeoutMs: 1_000 };
    await expect(session.run({ kind: "shell", script: "ls" }, options)).rejects.toThrow(
      'Cannot run a shell command in the "isolate" sandbox: it does not run that kind; use a backend that does',
    );
    await expect(session.run({ kind: "javascript", code: "", input: 1n }, options)).rejects.toThrow(
      "Cannot run JavaScript: its input is no JSON value; give plain data",
    );
  });
});
