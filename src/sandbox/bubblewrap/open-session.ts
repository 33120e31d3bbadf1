import type { RunOptions, SandboxCommand, SandboxRequest, SandboxSession } from "../../contract/sandbox.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { bubblewrapMessages } from "../../errors/messages/bubblewrap.ts";
import { wrongCommandKind } from "../../errors/messages/sandbox.ts";
import type { ResolvedLimits } from "../command-limits.ts";
import { emptyWorkDirectory } from "../overlay/work-directory.ts";
import { createSingleRunSession } from "../single-run-session.ts";
import type { CommandPipes } from "./command-pipes.ts";
import { limitHolders } from "./enforced-limits.ts";
import { LONGEST_SCRIPT_BYTES } from "./launch-command.ts";
import type { MachineFacts } from "./machine-facts.ts";
import { prepareWorkspace, type MountedWorkspace } from "./mounted-workspace.ts";
import { runSandbox, type RunSandboxOptions } from "./run-sandbox.ts";
import type { SandboxIdentity } from "./sandbox-identity.ts";

/** What a session works with. */
export interface SessionParts {
  readonly request: SandboxRequest;
  readonly limits: ResolvedLimits;
  readonly identity: SandboxIdentity;
  readonly facts: MachineFacts;
  readonly pipes: CommandPipes;
  /** Directories of the host that no command may see. */
  readonly hidden: readonly string[];
}

/** The backend's name. */
export const BUBBLEWRAP = "bubblewrap";

/**
 * Opens a session: a sandbox of its own for each command, all on the same layer.
 * @throws SandboxUnavailableError when a mount would not show the workspace as it is.
 */
export async function openBubblewrapSession(parts: SessionParts): Promise<SandboxSession> {
  const { mount } = parts.request;
  const workspace = mount && (await prepareWorkspace(mount));
  const session = createSingleRunSession(BUBBLEWRAP, async (command, run) => {
    const script = scriptOf(command);
    const { groups } = parts.facts;
    await using group = groups && (await groups.open(parts.limits));
    const options = sandboxOptions({ ...parts, workspace, script, run });
    return await runSandbox(group === undefined ? options : { ...options, group });
  });
  return {
    ...session,
    reportedEntries: () => [],
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      if (mount !== undefined) await emptyWorkDirectory(mount.work);
    },
  };
}

function scriptOf(command: SandboxCommand): string {
  if (command.kind !== "shell") throw new ConfigurationError(wrongCommandKind(BUBBLEWRAP, command.kind));
  if (Buffer.byteLength(command.script) <= LONGEST_SCRIPT_BYTES) return command.script;
  throw new ConfigurationError(bubblewrapMessages.scriptTooLong(LONGEST_SCRIPT_BYTES));
}

interface CommandParts extends SessionParts {
  readonly workspace: MountedWorkspace | undefined;
  readonly script: string;
  readonly run: RunOptions;
}

function sandboxOptions(parts: CommandParts): Omit<RunSandboxOptions, "group"> {
  const { request, limits, identity, facts, pipes, hidden, workspace, script, run } = parts;
  const { memoryMb, pids } = limits;
  const holders = limitHolders(facts, identity);
  return {
    plan: {
      identity,
      memoryMb,
      environment: request.env ?? {},
      system: facts.system,
      hidden: request.mount === undefined ? hidden : [...hidden, request.mount.root],
      ...(workspace === undefined ? {} : { workspace: workspace.shown }),
    },
    launch: {
      programs: facts.programs,
      identity,
      processLimits: {
        ...(holders.memoryMb === "nothing" ? { memoryMb } : {}),
        ...(holders.pids === "process limit" ? { pids } : {}),
      },
      shell: facts.shell,
      script,
    },
    ...(workspace === undefined ? {} : { overlay: workspace.overlay }),
    filter: facts.filter,
    limits,
    pipes,
    timeoutMs: run.timeoutMs,
    signal: run.signal ?? new AbortController().signal,
    ...(run.stdin === undefined ? {} : { stdin: run.stdin }),
    ...(run.onOutput === undefined ? {} : { onOutput: run.onOutput }),
  };
}
