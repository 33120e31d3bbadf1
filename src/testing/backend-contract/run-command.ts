import type {
  Execution,
  OutputChunk,
  RunOptions,
  SandboxBackend,
  SandboxCommand,
  SandboxRequest,
} from "../../contract/sandbox.ts";
import type { AvailableCapabilities } from "./backend-check.ts";

/** How a check runs a command; the time is enough for a slow machine, and a check that needs it has failed. */
export interface CheckRun extends Partial<RunOptions> {
  readonly request?: SandboxRequest;
}

const ENOUGH_MS = 60_000;

/** Runs one shell script in a session of its own. */
export async function runScript(backend: SandboxBackend, script: string, options: CheckRun = {}): Promise<Execution> {
  return await runCommand(backend, { kind: "shell", script }, options);
}

/** Runs one command in a session of its own. */
export async function runCommand(
  backend: SandboxBackend,
  command: SandboxCommand,
  { request = {}, ...run }: CheckRun = {},
): Promise<Execution> {
  await using session = await backend.open(request);
  return await session.run(command, { timeoutMs: ENOUGH_MS, ...run });
}

/** The part of an execution that does not differ from run to run. */
export function outcomeOf(
  execution: Execution,
): Pick<Execution, "termination" | "exitCode" | "signal" | "stdout" | "stderr"> {
  const { termination, exitCode, signal, stdout, stderr } = execution;
  return { termination, exitCode, signal, stdout, stderr };
}

/** What a command that ended by itself comes down to. */
export function exited(
  exitCode: number,
  output: { readonly stdout?: string; readonly stderr?: string } = {},
): ReturnType<typeof outcomeOf> {
  return { termination: "exit", exitCode, signal: null, stdout: "", stderr: "", ...output };
}

/** Collects what a run hands out while it goes on. */
export function recordOutput(): {
  readonly onOutput: (chunk: OutputChunk) => void;
  bytesOf(stream: OutputChunk["stream"]): Buffer;
} {
  const chunks: { readonly stream: OutputChunk["stream"]; readonly bytes: Buffer }[] = [];
  return {
    onOutput: ({ stream, bytes }) => void chunks.push({ stream, bytes: Buffer.from(bytes) }),
    bytesOf: (stream) => Buffer.concat(chunks.filter((chunk) => chunk.stream === stream).map(({ bytes }) => bytes)),
  };
}

/** A command of a kind that the backend runs, which lasts until it is stopped. */
export function lastingCommand({ commands }: AvailableCapabilities): SandboxCommand {
  return commands.includes("shell")
    ? { kind: "shell", script: "sleep 300" }
    : { kind: "javascript", code: "for (;;);" };
}
