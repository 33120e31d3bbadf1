import type {
  Execution,
  RunOptions,
  SandboxBackend,
  SandboxCommand,
  SandboxRequest,
  SandboxSession,
} from "../contract/sandbox.ts";

/** One command that a fake backend was given. */
export interface FakeCommand {
  readonly command: SandboxCommand;
  readonly request: SandboxRequest;
  readonly options: RunOptions;
}

/** A backend that runs nothing: it answers each command with what a function says. */
export interface FakeBackend extends SandboxBackend {
  /** Every command so far. */
  readonly commands: readonly FakeCommand[];
  /** Sessions that are open now. */
  readonly openSessions: number;
}

/**
 * Makes a backend for tests of what stands around a sandbox. `answer` gives what differs from a command that exits with
 * 0 and prints nothing; it may wait, and it may throw as a real backend would.
 */
export function fakeBackend(
  answer: (given: FakeCommand) => Partial<Execution> | Promise<Partial<Execution>>,
  { name = "docker" }: { readonly name?: string } = {},
): FakeBackend {
  const commands: FakeCommand[] = [];
  let openSessions = 0;
  const openSession = (request: SandboxRequest): SandboxSession => {
    openSessions += 1;
    return {
      backend: name,
      run: async (command, options) => {
        const given = { command, request, options };
        commands.push(given);
        return { ...UNEVENTFUL, ...(await answer(given)) };
      },
      [Symbol.asyncDispose]: async () => {
        openSessions -= 1;
        await Promise.resolve();
      },
    };
  };
  return {
    name,
    commands,
    get openSessions() {
      return openSessions;
    },
    probe: async () =>
      await Promise.resolve({
        available: true,
        commands: ["shell", "javascript"],
        workspace: "mount",
        enforces: ["memoryMb", "pids", "cpus", "network", "wallTime"],
        streams: true,
        details: {},
      }),
    open: async (request) => await Promise.resolve(openSession(request)),
  };
}

const UNEVENTFUL: Execution = {
  termination: "exit",
  exitCode: 0,
  signal: null,
  stdout: "",
  stderr: "",
  stdoutBytes: 0,
  stderrBytes: 0,
  truncated: false,
  durationMs: 0,
  survivors: 0,
};
