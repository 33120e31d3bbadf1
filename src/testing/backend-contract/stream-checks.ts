import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";

import type { BackendCheck, BackendUnderTest } from "./backend-check.ts";
import { exited, outcomeOf, recordOutput, runScript } from "./run-command.ts";

const MB = 1024 * 1024;
/** Characters of two, three and four bytes, so that chunks of any size cut through some. */
const MANY_CHARACTERS = "é€𝄞x".repeat(30_000);
const EVERY_BYTE = Buffer.from(Array.from({ length: 256 * 1_000 }, (_, index) => index % 256));

/** What goes in and comes out. */
export const streamChecks: readonly BackendCheck[] = [
  {
    name: "run() keeps stdout and stderr apart, and counts their bytes",
    needs: ["shell"],
    async run({ backend }) {
      const { stdout, stderr, stdoutBytes, stderrBytes, truncated } = await runScript(
        backend,
        "echo out; echo é >&2; echo again",
      );
      deepEqual(
        { stdout, stderr, stdoutBytes, stderrBytes, truncated },
        { stdout: "out\nagain\n", stderr: "é\n", stdoutBytes: 10, stderrBytes: 3, truncated: false },
      );
    },
  },
  {
    name: "run() keeps the order within each stream",
    needs: ["shell"],
    async run({ backend }) {
      const script = "for i in $(seq 300); do echo $i; echo $i >&2; done";
      const numbers = Array.from({ length: 300 }, (_, index) => `${index + 1}\n`).join("");
      deepEqual(outcomeOf(await runScript(backend, script)), exited(0, { stdout: numbers, stderr: numbers }));
    },
  },
  {
    name: "run() gives output without a final newline, with carriage returns and tabs, as it is",
    needs: ["shell"],
    async run({ backend }) {
      equal((await runScript(backend, String.raw`printf 'a\r\nb\tc'`)).stdout, "a\r\nb\tc");
    },
  },
  {
    name: "run() closes stdin when there is nothing to read",
    needs: ["shell"],
    async run({ backend }) {
      deepEqual(outcomeOf(await runScript(backend, "cat; echo read")), exited(0, { stdout: "read\n" }));
    },
  },
  {
    name: "run() gives the command its stdin byte for byte, and then its end",
    needs: ["shell"],
    async run({ backend }) {
      const digest = createHash("sha256").update(EVERY_BYTE).digest("hex");
      equal((await runScript(backend, "sha256sum", { stdin: EVERY_BYTE })).stdout, `${digest}  -\n`);
    },
  },
  {
    name: "run() ends well when the command does not read its stdin",
    needs: ["shell"],
    async run({ backend }) {
      const execution = await runScript(backend, "echo done", { stdin: Buffer.alloc(5 * MB, "x") });
      deepEqual(outcomeOf(execution), exited(0, { stdout: "done\n" }));
    },
  },
  {
    name: "run() hands binary output on byte for byte",
    needs: ["shell", "programs"],
    async run({ backend }) {
      const heard = recordOutput();
      const { stdoutBytes } = await runScript(backend, "cat", { stdin: EVERY_BYTE, onOutput: heard.onOutput });
      equal(stdoutBytes, EVERY_BYTE.byteLength);
      ok(heard.bytesOf("stdout").equals(EVERY_BYTE), "onOutput heard other bytes");
    },
  },
  {
    name: "run() keeps characters whole that lie across the border of two pieces",
    needs: ["shell", "retainedOutputBytes"],
    async run({ backend }) {
      const stdin = Buffer.from(MANY_CHARACTERS);
      const request = { limits: { retainedOutputBytes: MB } };
      ok((await runScript(backend, "cat", { stdin, request })).stdout === MANY_CHARACTERS, "characters were cut");
    },
  },
  {
    name: "run() keeps head and tail of what is longer than it keeps, and says how much is missing",
    needs: ["shell", "retainedOutputBytes"],
    async run({ backend }) {
      const request = { limits: { retainedOutputBytes: 20 } };
      const { stdout, stdoutBytes, truncated } = await runScript(backend, "seq 5000", { request });
      deepEqual(
        { stdout, stdoutBytes, truncated },
        {
          stdout: "1\n2\n3\n4\n5\n[... 23,873 bytes left out ...]\n4999\n5000\n",
          stdoutBytes: 23_893,
          truncated: true,
        },
      );
    },
  },
  {
    name: "run() cuts what it keeps between characters",
    needs: ["shell", "retainedOutputBytes"],
    async run({ backend }) {
      const request = { limits: { retainedOutputBytes: 101 } };
      const { stdout, truncated } = await runScript(backend, "cat", { request, stdin: Buffer.from("€".repeat(1_000)) });
      equal(truncated, true);
      ok(!stdout.includes("\uFFFD"), `a character was cut: ${stdout}`);
    },
  },
  {
    name: "run() hands all output on, however little of it is kept",
    needs: ["shell", "retainedOutputBytes"],
    async run({ backend }) {
      const heard = recordOutput();
      await runScript(backend, "seq 3000; seq 3000 >&2", {
        onOutput: heard.onOutput,
        request: { limits: { retainedOutputBytes: 10 } },
      });
      const numbers = Array.from({ length: 3_000 }, (_, index) => `${index + 1}\n`).join("");
      equal(heard.bytesOf("stdout").toString(), numbers);
      equal(heard.bytesOf("stderr").toString(), numbers);
    },
  },
  {
    name: "run() hands output on while the command runs",
    needs: ["shell", "streams"],
    async run({ backend }) {
      const cancellation = new AbortController();
      const { termination, stdout } = await runScript(backend, "echo first; sleep 300; echo second", {
        signal: cancellation.signal,
        onOutput: () => cancellation.abort(),
      });
      deepEqual({ termination, stdout }, { termination: "cancelled", stdout: "first\n" });
    },
  },
  ...(["stdout", "stderr"] as const).map((stream) => ({
    name: `run() stops a command that floods ${stream}, and keeps its head`,
    needs: ["shell", "floodBytes", "retainedOutputBytes"] as const,
    async run({ backend, capabilities }: BackendUnderTest) {
      const request = { limits: { floodBytes: 100_000, retainedOutputBytes: 100 } };
      // Where output comes while the command runs, it must not be over before it is stopped.
      const script = `seq 100000 ${stream === "stderr" ? ">&2" : ""}; sleep ${capabilities.streams ? 300 : 0}`;
      const execution = await runScript(backend, script, { request });
      const { termination, exitCode, truncated } = execution;
      deepEqual({ termination, exitCode, truncated }, { termination: "output-limit", exitCode: null, truncated: true });
      ok(execution[`${stream}Bytes`] > 100_000);
      ok(execution[stream].startsWith("1\n2\n3\n"), execution[stream]);
    },
  })),
  {
    name: "run() stops endless output at the limit that holds when none is given, in little memory",
    needs: ["shell", "programs", "floodBytes"],
    async run({ backend }) {
      const before = process.memoryUsage.rss();
      const { termination, stdoutBytes } = await runScript(backend, "yes | head -c 10G >/dev/stdout");
      const grownMb = (process.memoryUsage.rss() - before) / MB;
      equal(termination, "output-limit");
      ok(stdoutBytes > 64 * MB, `it was stopped after ${stdoutBytes} bytes`);
      ok(grownMb < 100, `memory grew by ${grownMb} MB`);
    },
  },
  {
    name: "run() gives the command streams that can be opened by name",
    needs: ["shell", "programs"],
    async run({ backend }) {
      const execution = await runScript(backend, "cat /dev/stdin >/dev/stdout; echo err >/dev/stderr", {
        stdin: Buffer.from("in\n"),
      });
      deepEqual(outcomeOf(execution), exited(0, { stdout: "in\n", stderr: "err\n" }));
    },
  },
];
