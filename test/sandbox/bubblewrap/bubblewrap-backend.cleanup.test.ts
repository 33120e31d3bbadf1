import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { createBubblewrapBackend } from "../../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { findControlGroups } from "../../../src/sandbox/bubblewrap/control-group.ts";
import { ownerOfName } from "../../../src/sandbox/owned-directories.ts";
import { describeWithBubblewrap, findProcesses } from "./fixture.ts";

const groups = await findControlGroups();

describeWithBubblewrap("bubblewrap backend: what is left behind", () => {
  it("a killed engine's processes and mount are gone at once, and the rest at the next start", async () => {
    const marker = randomUUID();
    const file = fileURLToPath(new URL("./owner-program.ts", import.meta.url));
    const program = spawn(process.execPath, [file, marker], { stdio: ["ignore", "pipe", "inherit"] });
    const [directory] = (await once(createInterface({ input: program.stdout }), "line")) as [string];
    expect(findProcesses(marker).length).toBeGreaterThan(3);
    program.kill("SIGKILL");
    await once(program, "exit");
    await eventually(() => expect(findProcesses(marker)).toStrictEqual([]));
    expect(await readFile("/proc/self/mountinfo", "utf8")).not.toContain(directory);
    expect(ownedBy(program.pid, [tmpdir()])).toStrictEqual([]);
    await using _session = await createBubblewrapBackend().open({});
    expect(ownedBy(program.pid, groups?.directories ?? [])).toStrictEqual([]);
    await rm(directory, { recursive: true });
  });

  it("run() leaves no directory, control group or open file of this process behind", async () => {
    const backend = createBubblewrapBackend();
    const run = async (script: string): Promise<void> => {
      await using session = await backend.open({});
      await session.run({ kind: "shell", script }, { timeoutMs: 200, stdin: Buffer.from("x") });
    };
    await run("true");
    const before = readdirSync("/proc/self/fd").length;
    for (const script of ["true", "exit 3", "sleep 60", "no-such-program", "setsid sleep 60 &"]) await run(script);
    expect(ownedBy(process.pid, [tmpdir(), ...(groups?.directories ?? [])])).toStrictEqual([]);
    await eventually(() => expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before));
  });

  it.runIf(process.getuid?.() === 0)(
    "a backend of an ordinary user says what it cannot limit, and limits the rest",
    async () => {
      const file = fileURLToPath(new URL("./ordinary-user-program.ts", import.meta.url));
      const identity = ["--reuid=1234", "--regid=1234", "--clear-groups"];
      const { stdout } = await promisify(execFile)("setpriv", [...identity, process.execPath, file], {
        env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent" },
      });
      const found = JSON.parse(stdout) as {
        readonly started: number;
        readonly capabilities: { readonly details: object };
      };
      expect(found).toMatchObject({
        uid: 1234,
        capabilities: {
          available: true,
          enforces: ["pids", "retainedOutputBytes", "floodBytes", "graceMs", "network", "wallTime"],
          details: { memory: "each process by itself", pids: "process limit", cpus: "nothing" },
        },
        seen: "1234\nbefore\n1234:1234\n1234:1234\n1234:1234\n",
        entries: [
          { op: "delete", path: "gone" },
          { op: "put", path: "made", type: "directory" },
          { op: "put", path: "theirs", type: "file" },
        ],
        work: [],
      });
      expect(found.started).toBeLessThan(20);
    },
  );
});

/** What a process has made in these directories, by its names. */
function ownedBy(pid: number | undefined, directories: readonly string[]): readonly string[] {
  return directories.flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => ownerOfName(name)?.pid === pid)
      .map((name) => join(directory, name)),
  );
}

/** Looks again until it holds; the last failure is the test's. */
async function eventually(check: () => void): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  for (;;) {
    try {
      check();
      return;
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
