import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import type { LayerMount, ManifestEntry } from "../../contract/layer.ts";
import type {
  Capabilities,
  Execution,
  RunOptions,
  SandboxBackend,
  SandboxCommand,
  SandboxLimits,
  SandboxRequest,
  SandboxSession,
} from "../../contract/sandbox.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import {
  childDied,
  packageMissing,
  probeFailed,
  virtualRemedy,
  wrongCommandKind,
} from "../../errors/messages/sandbox.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { scanUpper } from "../../union/scan-upper.ts";
import { openUnionDraft, type UnionDraft } from "../../union/union-draft.ts";
import { openMountedView } from "../../union/union-view.ts";
import { createWhiteoutMaker } from "../../union/whiteouts.ts";
import { runChild, type ChildOutcome } from "../child-host.ts";
import { canTieToParent, describeChildCommand } from "../child-launch.ts";
import { describeDeath, executionOf } from "../execution-of.ts";
import { assertNoImageNorHosts, assertRequest } from "../command-limits.ts";
import { assertEnforceable, assertMemoryAtLeast } from "../limit-check.ts";
import { emptyWorkDirectory } from "../overlay/work-directory.ts";
import { createSingleRunSession } from "../single-run-session.ts";
import type { VirtualJob } from "./virtual-job.ts";
import { createWorkspaceServer } from "./workspace-server.ts";

/*
 * Shell commands without real programs: just-bash interprets the script and brings its own grep, sed, awk, jq and so on,
 * in a process of its own for each run, so that a script that never ends can be killed and one that breaks the interpreter
 * finds a process under Node's permission model that can read nothing but its own code.
 *
 * That process does not touch the workspace. It asks, and this process answers from a draft over the layer's upper
 * directory, the same code that the write tools run on. So the engine itself knows what was changed, symlinks and
 * deletions included, which the permission model would not let the child make.
 */

/** What can be exchanged, for tests. */
export interface VirtualBackendOptions {
  /** The program that runs the child process. @default the running Node */
  readonly nodeProgram?: string;
}

const NAME = "virtual";
const BYTES_PER_MB = 1024 * 1024;
const DEFAULT_MEMORY_MB = 512;
// Node and the interpreter alone take about 100 MB.
const LEAST_MEMORY_MB = 192;
const HEADROOM_MB = 128;
const DEFAULT_GRACE_MS = 2_000;
const DEFAULT_FLOOD_BYTES = 64 * BYTES_PER_MB;
const PROBE_TIMEOUT_MS = 20_000;
// Resident memory can be watched where /proc tells it.
const ENFORCED: readonly (keyof SandboxLimits)[] = [
  ...(process.platform === "linux" ? (["memoryMb"] as const) : []),
  "pids",
  "retainedOutputBytes",
  "floodBytes",
  "graceMs",
];

/** The backend that interprets shell scripts over the user-space union. */
export function createVirtualBackend(options: VirtualBackendOptions = {}): SandboxBackend {
  return {
    name: NAME,
    probe: async () => await probe(options),
    async open(request) {
      assertRequest(NAME, request);
      assertNoImageNorHosts(NAME, request);
      assertEnforceable(NAME, request.limits, ENFORCED);
      assertMemoryAtLeast(NAME, request.limits?.memoryMb ?? DEFAULT_MEMORY_MB, LEAST_MEMORY_MB);
      return openSession(request, options);
    },
  };
}

async function probe(options: VirtualBackendOptions): Promise<Capabilities> {
  try {
    await using session = openSession({}, options);
    const execution = await session.run({ kind: "shell", script: "echo ok" }, { timeoutMs: PROBE_TIMEOUT_MS });
    if (execution.stdout !== "ok\n") throw new SandboxUnavailableError(probeFailed(NAME));
  } catch (error) {
    return { available: false, reason: error instanceof Error ? error.message : String(error), remedy: virtualRemedy };
  }
  return {
    available: true,
    commands: ["shell"],
    workspace: "union",
    enforces: [...ENFORCED, "network", "wallTime"],
    streams: false,
    details: { node: process.version, diesWithEngine: canTieToParent() ? "kernel" : "pipe" },
  };
}

function openSession(request: SandboxRequest, options: VirtualBackendOptions): SandboxSession {
  let reported: readonly ManifestEntry[] = [];
  const session = createSingleRunSession(NAME, async (command, run) => {
    const draft = request.mount === undefined ? undefined : await openDraft(request.mount, reported);
    try {
      return await runShell(command, { request, run, draft, options });
    } finally {
      reported = draft?.entries() ?? [];
    }
  });
  return {
    ...session,
    reportedEntries: () => reported,
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      if (request.mount !== undefined) await emptyWorkDirectory(request.mount.work);
    },
  };
}

/** Each run starts from what the upper directory holds by then: others may have written to it between two runs. */
async function openDraft(mount: LayerMount, reported: readonly ManifestEntry[]): Promise<UnionDraft> {
  const below = openMountedView(mount);
  const isEmpty = reported.length === 0 && (await readdir(mount.upper)).length === 0;
  const { entries } = isEmpty ? { entries: [] } : await scanUpper({ below, upper: mount.upper, reported });
  const whiteouts = createWhiteoutMaker({ directory: mount.work });
  return openUnionDraft({ below, upper: mount.upper, whiteouts, entries, room: mount.room });
}

interface ShellRun {
  readonly request: SandboxRequest;
  readonly run: RunOptions;
  readonly draft: UnionDraft | undefined;
  readonly options: VirtualBackendOptions;
}

async function runShell(command: SandboxCommand, { request, run, draft, options }: ShellRun): Promise<Execution> {
  if (command.kind !== "shell") throw new ConfigurationError(wrongCommandKind(NAME, command.kind));
  const { limits = {}, env = {} } = request;
  const memoryMb = limits.memoryMb ?? DEFAULT_MEMORY_MB;
  const job: VirtualJob = {
    type: "job",
    script: command.script,
    env,
    hasWorkspace: draft !== undefined,
    timeoutMs: run.timeoutMs,
    floodBytes: limits.floodBytes ?? DEFAULT_FLOOD_BYTES,
  };
  const outcome = await runChild({
    backend: NAME,
    command: describeChildCommand({
      entry: new URL(import.meta.url.endsWith(".ts") ? "virtual-child.ts" : "virtual-child.js", import.meta.url),
      packages: locatePackages(),
      // Below the limit, so that garbage is collected before the process is killed for holding it.
      nodeFlags: [`--max-old-space-size=${memoryMb - HEADROOM_MB}`, "--max-semi-space-size=16"],
      ...(options.nodeProgram === undefined ? {} : { nodeProgram: options.nodeProgram }),
    }),
    job,
    ...(run.stdin === undefined ? {} : { jobBody: run.stdin }),
    run,
    limits,
    stopGraceMs: limits.graceMs ?? DEFAULT_GRACE_MS,
    residentBytes: memoryMb * BYTES_PER_MB,
    ...(draft === undefined ? {} : { onRequest: createWorkspaceServer(draft) }),
  });
  return toExecution(outcome);
}

/**
 * The directories that hold all packages: just-bash loads its own and those that it needs when a command first does. One
 * is where the package really lies, the other, mostly the same, is where a look-up from here finds it.
 */
function locatePackages(): readonly string[] {
  try {
    const path = fileURLToPath(import.meta.resolve("just-bash"));
    const [beforeFirst] = path.split(`${sep}node_modules${sep}`, 1);
    const lookups = createRequire(import.meta.url).resolve.paths("just-bash") ?? [];
    const found = lookups.filter((folder) => existsSync(join(folder, "just-bash"))).slice(0, 1);
    return [`${beforeFirst}${sep}node_modules`, ...found];
  } catch (cause) {
    throw new SandboxUnavailableError(packageMissing(NAME, "just-bash"), { cause });
  }
}

function toExecution(outcome: ChildOutcome): Execution {
  const { end } = outcome;
  if (end.kind === "stopped") return executionOf(outcome, { termination: end.by });
  if (end.kind === "died") {
    throw new SandboxUnavailableError(childDied(NAME, describeDeath(end)), { cause: new Error(end.diagnostics) });
  }
  const exitCode = end.report["exitCode"];
  if (typeof exitCode === "number" && Number.isInteger(exitCode) && exitCode >= 0 && exitCode <= 255) {
    return executionOf(outcome, { termination: "exit", exitCode });
  }
  throw new SandboxUnavailableError(childDied(NAME, "gave an answer that makes no sense"));
}
