import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";

import { ConfigurationError } from "../../errors/configuration-error.ts";
import { LIMITS, type BackendCheck } from "./backend-check.ts";
import { exited, outcomeOf, runScript } from "./run-command.ts";

/** One long line, which `tail` has to hold whole. */
const MEMORY_HOG = "tail /dev/zero";

/** What a command may use up. */
export const limitChecks: readonly BackendCheck[] = [
  {
    name: "run() tells a command that ran out of memory",
    needs: ["shell", "programs", "memoryMb"],
    async run({ backend }) {
      const script = `echo started; ${MEMORY_HOG}`;
      const { stderr: _said, ...ended } = outcomeOf(
        await runScript(backend, script, { request: { limits: { memoryMb: 64 } } }),
      );
      deepEqual(ended, { termination: "out-of-memory", exitCode: null, signal: "SIGKILL", stdout: "started\n" });
    },
  },
  {
    name: "run() reports the exit code of a command that gets over a lack of memory",
    needs: ["shell", "programs", "memoryMb"],
    async run({ backend }) {
      const script = `${MEMORY_HOG} || echo recovered`;
      const execution = await runScript(backend, script, { request: { limits: { memoryMb: 64 } } });
      const { termination, exitCode, stdout } = execution;
      deepEqual({ termination, exitCode, stdout }, { termination: "exit", exitCode: 0, stdout: "recovered\n" });
    },
  },
  {
    name: "run() does not take a kill from inside for a lack of memory",
    needs: ["shell", "programs", "memoryMb"],
    async run({ backend }) {
      const execution = await runScript(backend, "sh -c 'kill -9 $$'; exit $?");
      equal(execution.termination, "exit");
      equal(execution.exitCode, 137);
    },
  },
  {
    name: "run() refuses a command more processes than were asked for, and the command goes on",
    needs: ["shell", "programs", "pids"],
    async run({ backend }) {
      const script = "(for i in $(seq 60); do sleep 30 & done) 2>&1; sleep 0; echo on; exit 0";
      const { termination, stdout } = await runScript(backend, script, { request: { limits: { pids: 20 } } });
      equal(termination, "exit");
      match(stdout, /Resource temporarily unavailable|[Cc]annot fork/);
    },
  },
  {
    name: "run() gives a command no more processor time than was asked for",
    needs: ["shell", "programs", "cpus"],
    async run({ backend }) {
      const script = "t=$(($(date +%s%N) + 1000000000)); while [ $(date +%s%N) -lt $t ]; do :; done; times | tail -n 1";
      const { stdout } = await runScript(backend, script, { request: { limits: { cpus: 0.1 } } });
      const [, user = "NaN", system = "NaN"] = /0m([\d.]+)s 0m([\d.]+)s/.exec(stdout) ?? [];
      ok(Number(user) + Number(system) < 0.5, `it took ${stdout}`);
    },
  },
  {
    name: "run() lets a full temporary directory fail the program and not the sandbox",
    needs: ["shell", "programs"],
    async run({ backend }) {
      const script =
        "head -c 2000000000 /dev/zero >/tmp/fill 2>/dev/null; echo $?; rm /tmp/fill; echo on >/tmp/on; cat /tmp/on";
      deepEqual(outcomeOf(await runScript(backend, script)), exited(0, { stdout: "1\non\n" }));
    },
  },
  {
    name: "run() takes no core dump",
    needs: ["shell", "programs"],
    async run({ backend }) {
      equal((await runScript(backend, "ulimit -c; ulimit -Hc")).stdout, "0\n0\n");
    },
  },
  {
    name: "open() refuses limits that make no sense",
    needs: ["memoryMb"],
    async run({ backend }) {
      await rejects(backend.open({ limits: { memoryMb: 1 } }), { name: ConfigurationError.name, message: /\b1\b/ });
    },
  },
  {
    name: "open() refuses each limit that it does not enforce, and names it",
    needs: ["limits left out"],
    async run({ backend, capabilities }) {
      for (const limit of LIMITS.filter((each) => !capabilities.enforces.includes(each))) {
        await rejects(backend.open({ limits: { [limit]: 1_000 } }), {
          name: ConfigurationError.name,
          message: `Cannot open the "${backend.name}" sandbox: it cannot enforce "${limit}"; leave it out or use a backend that can`,
        });
      }
    },
  },
  {
    name: "open() refuses an image where it runs none",
    needs: ["shell", "no images"],
    async run({ backend }) {
      await rejects(backend.open({ image: "debian" }), {
        name: ConfigurationError.name,
        message: `Cannot open the "${backend.name}" sandbox: it runs no images, and "debian" was asked for; leave the image out or use "docker"`,
      });
    },
  },
  {
    name: "open() refuses hosts where it can only keep the network off",
    needs: ["shell", "no hosts"],
    async run({ backend }) {
      await rejects(backend.open({ network: ["example.com"] }), {
        name: ConfigurationError.name,
        message: `Cannot open the "${backend.name}" sandbox: it can only keep the network off, and "example.com" was to be reached; leave the hosts out or use "docker"`,
      });
    },
  },
];
