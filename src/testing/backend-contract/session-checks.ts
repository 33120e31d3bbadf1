import { deepEqual, equal, rejects } from "node:assert/strict";

import { ConfigurationError } from "../../errors/configuration-error.ts";
import type { BackendCheck } from "./backend-check.ts";
import { lastingCommand, runScript } from "./run-command.ts";

const BUSY = {
  name: ConfigurationError.name,
  message: "Cannot run a command: another one is running in this session; wait for it or open a second session",
};
const DISPOSED = {
  name: ConfigurationError.name,
  message: "Cannot run a command: the session has been disposed of; open a new one",
};

/** How sessions live and end. */
export const sessionChecks: readonly BackendCheck[] = [
  {
    name: "probe() says the same when it is asked again",
    needs: [],
    async run({ backend, capabilities }) {
      deepEqual(await backend.probe(), capabilities);
    },
  },
  {
    name: "open() gives a session that names its backend",
    needs: [],
    async run({ backend }) {
      await using session = await backend.open({});
      equal(session.backend, backend.name);
    },
  },
  {
    name: "dispose() does nothing more the second time, and no command runs afterwards",
    needs: [],
    async run({ backend, capabilities }) {
      const session = await backend.open({});
      await session[Symbol.asyncDispose]();
      await session[Symbol.asyncDispose]();
      await rejects(session.run(lastingCommand(capabilities), { timeoutMs: 60_000 }), DISPOSED);
    },
  },
  {
    name: "run() refuses a second command while one is running, and dispose() cancels that one",
    needs: [],
    async run({ backend, capabilities }) {
      const session = await backend.open({});
      const first = session.run(lastingCommand(capabilities), { timeoutMs: 60_000 });
      await rejects(session.run(lastingCommand(capabilities), { timeoutMs: 60_000 }), BUSY);
      await session[Symbol.asyncDispose]();
      const { termination, exitCode, survivors } = await first;
      deepEqual({ termination, exitCode, survivors }, { termination: "cancelled", exitCode: null, survivors: 0 });
    },
  },
  {
    name: "run() runs in several sessions at once, each with its own output",
    needs: ["shell"],
    async run({ backend }) {
      const numbers = ["1", "2", "3", "4"];
      const outputs = await Promise.all(
        numbers.map(async (number) => {
          const { stdout } = await runScript(backend, "for i in $(seq 2000); do echo $NUMBER; done", {
            request: { env: { NUMBER: number } },
          });
          return stdout;
        }),
      );
      deepEqual(
        outputs,
        numbers.map((number) => `${number}\n`.repeat(2_000)),
      );
    },
  },
  {
    name: "run() runs one command of a session after the other",
    needs: ["shell"],
    async run({ backend }) {
      await using session = await backend.open({});
      const codes: (number | null)[] = [];
      for (const code of [3, 0, 4]) {
        codes.push((await session.run({ kind: "shell", script: `exit ${code}` }, { timeoutMs: 60_000 })).exitCode);
      }
      deepEqual(codes, [3, 0, 4]);
    },
  },
];
