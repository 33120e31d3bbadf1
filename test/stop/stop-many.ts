import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { SandboxBackend, SandboxCommand } from "../../src/contract/sandbox.ts";
import { examineBackend } from "../../src/testing/backend-contract/backend-contract.ts";
import { createScratchLayer } from "../../src/testing/backend-contract/scratch-layer.ts";
import { hostileCommands } from "./hostile-commands.ts";

const TIMEOUT_MS = 400;
const GRACE_MS = 200;
/** What an answer may take beyond the wall and grace times. */
const LENIENCE_MS = 2_000;

/** What came of many commands that were stopped. */
export interface StopReport {
  readonly commands: number;
  /** Commands whose answer took longer than it may. */
  readonly late: number;
  /** The longest time from `run()` to its answer. */
  readonly slowestMs: number;
  /** Commands that ended otherwise than by time or by what they may use up. */
  readonly unexpected: readonly string[];
  /** Processes that were found after the answer. */
  readonly survivors: number;
  /** Mounts and temporary files. */
  readonly left: readonly string[];
}

/** Stops that many hostile commands, one after the other, and looks for what each left. */
export async function stopMany(backend: SandboxBackend, count: number): Promise<StopReport> {
  const { target } = await examineBackend(backend);
  const commands = hostileCommands(target.capabilities);
  await using place = await ownTemporaryDirectory();
  const report = { late: 0, slowestMs: 0, survivors: 0, unexpected: [] as string[] };
  const limits = { graceMs: GRACE_MS, pids: 60, floodBytes: 10_000_000 };
  for (let index = 0; index < count; index += 1) {
    const marker = randomUUID();
    await using layer = await createScratchLayer();
    const mount = target.capabilities.workspace === "none" ? {} : { mount: layer.mount };
    await using session = await backend.open({ ...mount, limits });
    const startedAt = performance.now();
    const command = marked(commands[index % commands.length], marker);
    const { termination, exitCode } = await session.run(command, { timeoutMs: TIMEOUT_MS });
    const answeredMs = performance.now() - startedAt;
    report.slowestMs = Math.max(report.slowestMs, Math.round(answeredMs));
    if (answeredMs > TIMEOUT_MS + GRACE_MS + LENIENCE_MS) report.late += 1;
    if (exitCode !== null) report.unexpected.push(`${termination} ${exitCode}: ${JSON.stringify(command)}`);
    report.survivors += (await target.findProcesses(marker)).length;
  }
  return { commands: count, ...report, left: await place.contents() };
}

function marked(command: SandboxCommand | undefined, marker: string): SandboxCommand {
  if (command === undefined) throw new TypeError("There are no hostile commands for this backend");
  return command.kind === "shell" ? { ...command, script: command.script.replaceAll("MARKER", marker) } : command;
}

/** Others use the machine's temporary directory at the same time, so what is left is looked for in one of our own. */
async function ownTemporaryDirectory(): Promise<AsyncDisposable & { contents(): Promise<readonly string[]> }> {
  const before = process.env["TMPDIR"];
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-stop-"));
  // The superuser's sandboxes run as somebody else.
  await chmod(directory, 0o755);
  process.env["TMPDIR"] = directory;
  return {
    async contents() {
      const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n");
      return [...(await readdir(directory)), ...mounts.filter((line) => line.includes(directory))];
    },
    async [Symbol.asyncDispose]() {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
