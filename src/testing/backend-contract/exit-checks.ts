import { deepEqual, equal, match, rejects } from "node:assert/strict";

import { ConfigurationError } from "../../errors/configuration-error.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import type { BackendCheck, BackendUnderTest } from "./backend-check.ts";
import { exited, outcomeOf, runScript } from "./run-command.ts";

/** How a command's end is told. */
export const exitChecks: readonly BackendCheck[] = [
  {
    name: "run() reports exit code 0 when the command succeeds",
    needs: ["shell"],
    async run({ backend }) {
      deepEqual(outcomeOf(await runScript(backend, "echo done")), exited(0, { stdout: "done\n" }));
    },
  },
  ...[1, 2, 42, 125, 126, 129, 137, 255].map((code) => ({
    name: `run() reports the exit code ${code} as the command's own`,
    needs: ["shell"] as const,
    async run({ backend }: BackendUnderTest) {
      deepEqual(outcomeOf(await runScript(backend, `exit ${code}`)), exited(code));
    },
  })),
  {
    name: "run() reports the exit code of the last command",
    needs: ["shell"],
    async run({ backend }) {
      deepEqual(outcomeOf(await runScript(backend, "false; echo on; (exit 7)")), exited(7, { stdout: "on\n" }));
    },
  },
  {
    name: "run() reports 127 and names the program when there is no such program",
    needs: ["shell"],
    async run({ backend }) {
      const { stderr, ...ended } = outcomeOf(await runScript(backend, "no-such-program --flag"));
      deepEqual({ ...ended, stderr: "" }, exited(127));
      match(stderr, /no-such-program/);
    },
  },
  {
    name: "run() reports 2 when the script is no shell syntax",
    needs: ["shell"],
    async run({ backend }) {
      const { exitCode, stderr } = await runScript(backend, "if then fi");
      equal(exitCode, 2);
      match(stderr, /syntax/i);
    },
  },
  {
    name: "run() takes a script that starts with a dash for a script",
    needs: ["shell"],
    async run({ backend }) {
      const { exitCode, stdout, stderr } = await runScript(backend, "--version");
      deepEqual({ exitCode, stdout }, { exitCode: 127, stdout: "" });
      match(stderr, /--version/);
    },
  },
  {
    name: "run() reports 126 when a file is no program",
    needs: ["shell", "programs"],
    async run({ backend }) {
      equal((await runScript(backend, ": >/tmp/file; /tmp/file")).exitCode, 126);
    },
  },
  {
    name: "run() reports a signal from inside as the code that shells give it",
    needs: ["shell", "programs"],
    async run({ backend }) {
      deepEqual(outcomeOf(await runScript(backend, "echo on; kill -9 $$")), exited(137, { stdout: "on\n" }));
      deepEqual(outcomeOf(await runScript(backend, "sh -c 'kill -TERM $$'; exit $?")).exitCode, 143);
    },
  },
  {
    name: "run() measures how long the command ran, and says that nothing of it lives on",
    needs: ["shell"],
    async run({ backend }) {
      const { durationMs, survivors, stdout } = await runScript(backend, "sleep 0.5; echo done");
      deepEqual({ stdout, survivors }, { stdout: "done\n", survivors: 0 });
      equal(durationMs >= 450, true, `durationMs is ${durationMs}`);
    },
  },
  {
    name: "run() refuses a kind of command that the backend does not run",
    needs: ["one kind"],
    async run({ backend, capabilities }) {
      await using session = await backend.open({});
      const foreign = capabilities.commands.includes("shell")
        ? ({ kind: "javascript", code: "return 1" } as const)
        : ({ kind: "shell", script: "true" } as const);
      await rejects(session.run(foreign, { timeoutMs: 1_000 }), {
        name: ConfigurationError.name,
        message: `Cannot run a ${foreign.kind} command in the "${backend.name}" sandbox: it does not run that kind; use a backend that does`,
      });
    },
  },
  {
    name: "open() throws, and makes no exit code up, when the image is missing",
    needs: ["images"],
    async run({ backend }) {
      await rejects(runScript(backend, "true", { request: { image: "cofferdam-contract-missing:1" } }), {
        name: SandboxUnavailableError.name,
        message: /cofferdam-contract-missing:1/,
      });
    },
  },
];
