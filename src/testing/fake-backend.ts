import type {
  Execution,
  RunOptions,
  SandboxBackend,
  SandboxCommand,
  SandboxRequest,
  SandboxSession,
} from "../contract/sandbox.ts";
import { cancelledBeforeStart } from "../sandbox/cancelled-execution.ts";
import { LIMITS } from "./backend-contract/backend-check.ts";
import { createSingleRunSession } from "../sandbox/single-run-session.ts";

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
 * 0 and prints nothing; it may wait, until it is cancelled, and it may throw as a real backend would.
 */
export function fakeBackend(
  answer: (given: FakeCommand) => Partial<Execution> | Promise<Partial<Execution>>,
  { name = "docker" }: { readonly name?: string } = {},
): FakeBackend {
  const commands: FakeCommand[] = [];
  let openSessions = 0;
  const openSession = (request: SandboxRequest): SandboxSession => {
    openSessions += 1;
    let open = 1;
    const session = createSingleRunSession(name, async (command, options) => {
      if (options.signal?.aborted === true) return cancelledBeforeStart();
      const given = { command, request, options };
      commands.push(given);
      return await unlessCancelled(Promise.resolve(answer(given)), options.signal);
    });
    return {
      ...session,
      async [Symbol.asyncDispose]() {
        openSessions -= open;
        open = 0;
        await session[Symbol.asyncDispose]();
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
        enforces: [...LIMITS, "network", "wallTime"],
        streams: true,
        details: {},
      }),
    open: async (request) => await Promise.resolve(openSession(request)),
  };
}

const UNEVENTFUL: Execution = { ...cancelledBeforeStart(), termination: "exit", exitCode: 0 };

async function unlessCancelled(
  answer: Promise<Partial<Execution>>,
  signal: AbortSignal | undefined,
): Promise<Execution> {
  const { promise: cancelled, resolve } = Promise.withResolvers<Execution>();
  const cancel = (): void => resolve(cancelledBeforeStart());
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await Promise.race([answer.then((given) => ({ ...UNEVENTFUL, ...given })), cancelled]);
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
