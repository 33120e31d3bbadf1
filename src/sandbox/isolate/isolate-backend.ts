import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import type {
  Capabilities,
  Execution,
  RunOptions,
  SandboxBackend,
  SandboxCommand,
  SandboxLimits,
} from "../../contract/sandbox.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import {
  childDied,
  inputNotJson,
  isolateRemedy,
  packageMissing,
  probeFailed,
  wrongCommandKind,
} from "../../errors/messages/sandbox.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { canTieToParent, describeChildCommand, packageFolder } from "../child-launch.ts";
import { runChild, type ChildOutcome } from "../child-host.ts";
import { describeDeath, executionOf } from "../execution-of.ts";
import { assertEnforceable, assertMemoryAtLeast } from "../limit-check.ts";
import { createSingleRunSession } from "../single-run-session.ts";
import type { IsolateJob } from "./isolate-job.ts";

/*
 * JavaScript in a V8 isolate, in a process of its own for each run. The isolate keeps the guest from everything but the
 * language; the process is what can be killed when the isolate cannot be stopped (native code, a microtask that never
 * yields) or takes the process with it (V8 aborts on some allocations). Under the permission model and with its file
 * access dropped before guest code runs, the process has nothing to offer to a guest that gets out of the isolate but
 * what system calls offer. The isolate sees no workspace, no environment and no network.
 *
 * isolated-vm calls its own memory limit a guideline: some objects go beyond it before it notices. The process is
 * therefore killed when it holds more than twice the limit besides what it needs itself.
 */

/** What can be exchanged, for tests. */
export interface IsolateBackendOptions {
  /** The program that runs the child process. @default the running Node */
  readonly nodeProgram?: string;
}

const NAME = "isolate";
const ENFORCED = ["memoryMb", "pids", "retainedOutputBytes", "floodBytes", "graceMs"] as const;
const DEFAULT_MEMORY_MB = 128;
const LEAST_MEMORY_MB = 8;
const PROCESS_MEMORY_MB = 128;
const BYTES_PER_MB = 1024 * 1024;
const PROBE_TIMEOUT_MS = 20_000;

/** The backend that runs JavaScript in a V8 isolate in its own process. */
export function createIsolateBackend(options: IsolateBackendOptions = {}): SandboxBackend {
  return {
    name: NAME,
    probe: async () => await probe(options),
    async open({ limits = {} }) {
      assertEnforceable(NAME, limits, ENFORCED);
      assertMemoryAtLeast(NAME, limits.memoryMb ?? DEFAULT_MEMORY_MB, LEAST_MEMORY_MB);
      return createSingleRunSession(
        NAME,
        async (command, run) => await runJavaScript(command, { run, limits, options }),
      );
    },
  };
}

async function probe(options: IsolateBackendOptions): Promise<Capabilities> {
  try {
    const run = { timeoutMs: PROBE_TIMEOUT_MS };
    const execution = await runJavaScript({ kind: "javascript", code: "return 6 * 7" }, { run, limits: {}, options });
    if (execution.value !== 42) throw new SandboxUnavailableError(probeFailed(NAME));
  } catch (error) {
    return { available: false, reason: error instanceof Error ? error.message : String(error), remedy: isolateRemedy };
  }
  return {
    available: true,
    commands: ["javascript"],
    workspace: "none",
    enforces: [...ENFORCED, "network", "wallTime"],
    streams: true,
    details: { node: process.version, diesWithEngine: canTieToParent() ? "kernel" : "pipe" },
  };
}

interface IsolateRun {
  readonly run: RunOptions;
  readonly limits: SandboxLimits;
  readonly options: IsolateBackendOptions;
}

async function runJavaScript(command: SandboxCommand, { run, limits, options }: IsolateRun): Promise<Execution> {
  if (command.kind !== "javascript") throw new ConfigurationError(wrongCommandKind(NAME, command.kind));
  const { isolatedVm, packages } = locateIsolatedVm();
  const memoryMb = limits.memoryMb ?? DEFAULT_MEMORY_MB;
  const inputJson = toJson(command.input);
  const job: IsolateJob = { type: "job", code: command.code, inputJson, memoryMb, isolatedVm };
  const outcome = await runChild({
    backend: NAME,
    command: describeChildCommand({
      entry: new URL(import.meta.url.endsWith(".ts") ? "isolate-child.ts" : "isolate-child.js", import.meta.url),
      packages,
      // Looked for by the loader of native addons, to tell musl from glibc.
      files: ["/etc/alpine-release"],
      nodeFlags: ["--allow-addons", "--no-node-snapshot"],
      ...(options.nodeProgram === undefined ? {} : { nodeProgram: options.nodeProgram }),
    }),
    job,
    run,
    limits,
    residentBytes: (2 * memoryMb + PROCESS_MEMORY_MB) * BYTES_PER_MB,
  });
  return toExecution(outcome);
}

function locateIsolatedVm(): { readonly isolatedVm: string; readonly packages: readonly string[] } {
  try {
    const isolatedVm = fileURLToPath(import.meta.resolve("isolated-vm"));
    const addonLoader = createRequire(isolatedVm).resolve("node-gyp-build");
    const packages = [packageFolder(isolatedVm, "isolated-vm"), packageFolder(addonLoader, "node-gyp-build")];
    return { isolatedVm, packages };
  } catch (cause) {
    throw new SandboxUnavailableError(packageMissing(NAME, "isolated-vm"), { cause });
  }
}

function toJson(input: unknown): string {
  let json: unknown;
  try {
    json = JSON.stringify(input ?? null);
  } catch (error) {
    throw new ConfigurationError(inputNotJson, { cause: error });
  }
  if (typeof json !== "string") throw new ConfigurationError(inputNotJson);
  return json;
}

function toExecution(outcome: ChildOutcome): Execution {
  const { end } = outcome;
  if (end.kind === "stopped") return executionOf(outcome, { termination: end.by });
  if (end.kind === "died") {
    throw new SandboxUnavailableError(childDied(NAME, describeDeath(end)), { cause: new Error(end.diagnostics) });
  }
  // The child may be in the guest's hands: nothing but these answers counts, and all that they say is data.
  const { outcome: answer, json } = end.report;
  if (answer === "out-of-memory") return executionOf(outcome, { termination: answer });
  if (answer === "failed") return executionOf(outcome, { termination: "exit", exitCode: 1 });
  const exit = executionOf(outcome, { termination: "exit", exitCode: 0 });
  if (answer === "returned-nothing") return exit;
  if (answer === "returned" && typeof json === "string") {
    const value = parseJson(json);
    if (value !== undefined) return { ...exit, value: value.parsed };
  }
  throw new SandboxUnavailableError(childDied(NAME, "gave an answer that makes no sense"));
}

function parseJson(json: string): { readonly parsed: unknown } | undefined {
  try {
    return { parsed: JSON.parse(json) };
  } catch {
    // The caller reports an answer that is no JSON.
    return undefined;
  }
}
