import { deepEqual, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";

import type { Termination } from "../../contract/sandbox.ts";
import type { BackendCheck, BackendNeed, BackendUnderTest } from "./backend-check.ts";
import { recordOutput, runScript, type CheckRun } from "./run-command.ts";

/*
 * Nothing of a command lives on, however it ended. The processes that a command starts here carry a marker on their
 * command line and are looked for by it. A search that finds nothing in any case would prove nothing, so where the check
 * decides when the command ends it looks before as well, and finds each of them.
 */

/** Ways of a process to get out of reach of whoever started it. `MARKED` says that it is there, and lasts. */
const ESCAPES: Readonly<Record<string, string>> = {
  "in the background": "MARKED &",
  "in a session of its own": "setsid MARKED &",
  "that outlives a hang-up": "nohup MARKED 2>/dev/null &",
  "that was forked twice": "(setsid sh -c 'MARKED &' &)",
  "that ignores every signal it can": "(trap '' TERM HUP INT QUIT; setsid MARKED) &",
  "that has stopped": "setsid MARKED stop &",
};

const EVERY_ESCAPE = Object.values(ESCAPES);

/** Proofs that nothing lives on. */
export const survivorChecks: readonly BackendCheck[] = [
  ...Object.entries(ESCAPES).map(([which, escape]) =>
    survivorCheck(`of a process ${which} when the command is cancelled`, {
      escapes: [escape],
      finale: "trap '' TERM; sleep 300; sleep 300",
      endsBy: "cancelled",
    }),
  ),
  survivorCheck("of such processes when time is up", {
    escapes: EVERY_ESCAPE,
    finale: "trap '' TERM; sleep 300; sleep 300",
    run: { timeoutMs: 6_000 },
    endsBy: "timeout",
  }),
  survivorCheck("of such processes, and waits for none, when the command ends by itself", {
    escapes: EVERY_ESCAPE,
    finale: "exit 3",
    endsBy: "exit",
  }),
  survivorCheck("of such processes when the command floods its output", {
    needs: ["floodBytes"],
    escapes: EVERY_ESCAPE,
    finale: "yes",
    run: { request: { limits: { floodBytes: 1_000_000 } } },
    endsBy: "output-limit",
  }),
  survivorCheck("of such processes when the command runs out of memory", {
    needs: ["memoryMb"],
    escapes: EVERY_ESCAPE,
    finale: "tail /dev/zero",
    run: { request: { limits: { memoryMb: 64 } } },
    endsBy: "out-of-memory",
  }),
  {
    name: "dispose() leaves nothing of such processes",
    needs: ["shell", "programs", "streams"],
    async run({ backend, findProcesses }) {
      const marker = randomUUID();
      const session = await backend.open({ env: { MARKER: marker } });
      const heard = recordOutput();
      const { promise: started, resolve } = Promise.withResolvers<void>();
      const running = session.run(
        { kind: "shell", script: scriptOf(EVERY_ESCAPE, "trap '' TERM; sleep 300") },
        {
          timeoutMs: 300_000,
          onOutput(chunk) {
            heard.onOutput(chunk);
            if (countHere(heard.bytesOf("stdout").toString()) === EVERY_ESCAPE.length) resolve();
          },
        },
      );
      await Promise.race([started, running]);
      await session[Symbol.asyncDispose]();
      deepEqual([(await running).termination, await findProcesses(marker)], ["cancelled", []]);
    },
  },
  {
    name: "run() holds a fork bomb to its processes, and leaves nothing of it",
    needs: ["shell", "programs", "pids", "graceMs"],
    async run({ backend, findProcesses }) {
      const marker = randomUUID();
      const script = `: ${marker}; bomb() { bomb | bomb & bomb; }; bomb`;
      const request = { limits: { pids: 40, graceMs: 300 } };
      const { termination, stderr } = await runScript(backend, script, { timeoutMs: 1_500, request });
      deepEqual([termination, await findProcesses(marker)], ["timeout", []]);
      ok(/Resource temporarily unavailable|[Cc]annot fork/.test(stderr), `nothing was refused: ${stderr}`);
    },
  },
];

interface SurvivorCheck {
  readonly needs?: readonly BackendNeed[];
  readonly escapes: readonly string[];
  /** What the command does once all of its processes are there. */
  readonly finale: string;
  readonly run?: CheckRun;
  readonly endsBy: Termination;
}

function survivorCheck(what: string, { needs = [], escapes, finale, run = {}, endsBy }: SurvivorCheck): BackendCheck {
  return {
    name: `run() leaves nothing ${what}`,
    needs: ["shell", "programs", "streams", "graceMs", ...needs],
    async run({ backend, findProcesses }) {
      const marker = randomUUID();
      const search = searchWhenHeard({ findProcesses, marker, processes: escapes.length });
      const { request, ...options } = run;
      const { termination, stdout, survivors } = await runScript(backend, scriptOf(escapes, finale), {
        ...options,
        ...(endsBy === "cancelled" ? { signal: search.over } : {}),
        onOutput: search.onOutput,
        request: { ...request, limits: { graceMs: 200, ...request?.limits }, env: { MARKER: marker } },
      });
      deepEqual(
        { termination, here: countHere(stdout), survivors, left: await findProcesses(marker) },
        { termination: endsBy, here: escapes.length, survivors: 0, left: [] },
      );
      // A process that is just about to start another one is there twice for a moment.
      if (endsBy === "cancelled" || endsBy === "timeout") ok((await search.found) >= escapes.length);
    },
  };
}

/** Each process leaves a file when it is there; the command waits for all of them, so that none is missed. */
function scriptOf(escapes: readonly string[], finale: string): string {
  return `
    printf '%s\\n' 'echo here; : >/tmp/here.$$; [ "$2" = stop ] && kill -STOP $$; sleep 300; :' >/tmp/marked
    ${escapes.map((escape) => escape.replace("MARKED", "sh /tmp/marked $MARKER")).join("\n")}
    until [ "$(ls /tmp/here.* 2>/dev/null | wc -l)" -eq ${escapes.length} ]; do sleep 0.05; done
    ${finale}`;
}

function countHere(stdout: string): number {
  return stdout.match(/^here$/gm)?.length ?? 0;
}

/** Looks for the marked processes as soon as all of them have been heard. */
function searchWhenHeard(options: {
  readonly findProcesses: BackendUnderTest["findProcesses"];
  readonly marker: string;
  readonly processes: number;
}): {
  readonly onOutput: NonNullable<CheckRun["onOutput"]>;
  /** How many there were. */
  readonly found: Promise<number>;
  /** Aborted after the search. */
  readonly over: AbortSignal;
} {
  const heard = recordOutput();
  const over = new AbortController();
  const { promise: found, resolve, reject } = Promise.withResolvers<number>();
  // Who never hears all of them fails for that.
  found.catch(() => undefined);
  let searching = false;
  const search = async (): Promise<void> => {
    resolve((await options.findProcesses(options.marker)).length);
    over.abort();
  };
  return {
    found,
    over: over.signal,
    onOutput(chunk) {
      heard.onOutput(chunk);
      if (searching || countHere(heard.bytesOf("stdout").toString()) < options.processes) return;
      searching = true;
      search().catch(reject);
    },
  };
}
