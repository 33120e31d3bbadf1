import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";

import type { Execution } from "../../contract/sandbox.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import type { BackendCheck, BackendUnderTest } from "./backend-check.ts";
import { runCommand, type CheckRun } from "./run-command.ts";

/** What a backend makes of JavaScript. */
export const javascriptChecks: readonly BackendCheck[] = [
  {
    name: "run() gives JavaScript its input, and gives back the JSON of what it returns",
    needs: ["javascript"],
    async run({ backend }) {
      const code = "return await Promise.resolve({ sum: input.a + 1, list: [null, 'é'] })";
      const { termination, exitCode, value } = await runCode(backend, code, { input: { a: 1 } });
      deepEqual(
        { termination, exitCode, value },
        { termination: "exit", exitCode: 0, value: { sum: 2, list: [null, "é"] } },
      );
    },
  },
  {
    name: "run() keeps what JavaScript logs apart from what it warns of",
    needs: ["javascript"],
    async run({ backend }) {
      const { stdout, stderr } = await runCode(
        backend,
        'console.log("one"); console.error("two"); console.info("three")',
      );
      deepEqual({ stdout, stderr }, { stdout: "one\nthree\n", stderr: "two\n" });
    },
  },
  {
    name: "run() reports JavaScript that throws as a command that failed",
    needs: ["javascript"],
    async run({ backend }) {
      const { termination, exitCode, stderr } = await runCode(backend, 'throw new RangeError("too far")');
      deepEqual({ termination, exitCode }, { termination: "exit", exitCode: 1 });
      match(stderr, /RangeError: too far/);
    },
  },
  {
    name: "run() reports JavaScript that is no JavaScript as a command that failed",
    needs: ["javascript"],
    async run({ backend }) {
      const { termination, exitCode, stderr } = await runCode(backend, "return (");
      deepEqual({ termination, exitCode }, { termination: "exit", exitCode: 1 });
      match(stderr, /SyntaxError/);
    },
  },
  ...Object.entries({
    "an endless loop": "for (;;);",
    "promises without end": "for (;;) await null;",
    "a wait for nothing": "await new Promise(() => {});",
  }).map(([what, code]) => ({
    name: `run() ends ${what} of JavaScript at the wall time, and keeps what was logged`,
    needs: ["javascript", "wallTime", "streams"] as const,
    async run({ backend }: BackendUnderTest) {
      const execution = await runCode(backend, `console.log("started"); ${code}`, { timeoutMs: 3_000 });
      const { termination, exitCode, stdout } = execution;
      deepEqual({ termination, exitCode, stdout }, { termination: "timeout", exitCode: null, stdout: "started\n" });
    },
  })),
  {
    name: "run() ends JavaScript that is cancelled",
    needs: ["javascript", "streams"],
    async run({ backend }) {
      const cancellation = new AbortController();
      const { termination } = await runCode(backend, 'console.log("started"); for (;;);', {
        signal: cancellation.signal,
        onOutput: () => cancellation.abort(),
      });
      equal(termination, "cancelled");
    },
  },
  {
    name: "run() ends JavaScript that floods its output",
    needs: ["javascript", "floodBytes"],
    async run({ backend }) {
      const request = { limits: { floodBytes: 100_000 } };
      const { termination, exitCode } = await runCode(backend, 'for (;;) console.log("x".repeat(1000))', { request });
      deepEqual({ termination, exitCode }, { termination: "output-limit", exitCode: null });
    },
  },
  {
    name: "run() tells JavaScript that ran out of memory",
    needs: ["javascript", "memoryMb"],
    async run({ backend }) {
      const { termination, exitCode } = await runCode(
        backend,
        "const all = []; for (;;) all.push(new Array(1e5).fill(0.5))",
      );
      deepEqual({ termination, exitCode }, { termination: "out-of-memory", exitCode: null });
    },
  },
  {
    name: "run() gives JavaScript nothing of the host",
    needs: ["javascript"],
    async run({ backend }) {
      const names = ["process", "require", "module", "fetch", "WebSocket", "Buffer", "Deno", "Bun"];
      const code = `return ${JSON.stringify(names)}.filter((name) => name in globalThis)`;
      deepEqual((await runCode(backend, code)).value, []);
    },
  },
  {
    name: "run() keeps nothing of one piece of JavaScript for the next",
    needs: ["javascript"],
    async run({ backend }) {
      await using session = await backend.open({});
      const run = async (code: string): Promise<unknown> =>
        (await session.run({ kind: "javascript", code }, { timeoutMs: 60_000 })).value;
      equal(await run("globalThis.left = 1; Array.prototype.left = 2; return left"), 1);
      equal(await run("return typeof left + typeof [].left"), "undefinedundefined");
    },
  },
  {
    name: "run() refuses input that is no JSON",
    needs: ["javascript"],
    async run({ backend }) {
      await rejects(runCode(backend, "return 1", { input: 1n }), { name: ConfigurationError.name });
      ok((await runCode(backend, "return input === null", {})).value === true);
    },
  },
];

async function runCode(
  backend: BackendUnderTest["backend"],
  code: string,
  { input, ...options }: CheckRun & { readonly input?: unknown } = {},
): Promise<Execution> {
  return await runCommand(backend, { kind: "javascript", code, input }, options);
}
