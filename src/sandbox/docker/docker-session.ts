import type Docker from "dockerode";

import type { Execution, RunOptions, SandboxCommand, SandboxSession } from "../../contract/sandbox.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { wrongCommandKind } from "../../errors/messages/sandbox.ts";
import { createSingleRunSession } from "../single-run-session.ts";
import type { ContainerPlan } from "./container-options.ts";
import type { EgressGateway } from "./egress-gateway.ts";
import type { ResolvedImage } from "./resolve-image.ts";
import { runContainer } from "./run-container.ts";
import type { SandboxWorkspace } from "./sandbox-workspace.ts";

/** The backend's name. */
export const DOCKER = "docker";

/** What a session works with. */
export interface DockerSessionOptions {
  readonly docker: Docker;
  readonly image: ResolvedImage;
  /** All of a container but what the command decides. */
  readonly plan: Omit<ContainerPlan, "script" | "hasStdin" | "imageId">;
  readonly workspace?: SandboxWorkspace;
  /** The way to the hosts that commands may reach. */
  readonly gateway?: EgressGateway;
  /** Gives a container name that nobody else has. */
  readonly nextName: () => string;
  /** All that was opened for the session, disposed of at its end. */
  readonly resources: AsyncDisposable;
}

/** Opens a session: a workspace volume, and a new container for each command. */
export function openDockerSession(options: DockerSessionOptions): SandboxSession {
  const { resources, workspace } = options;
  const session = createSingleRunSession(DOCKER, async (command, run) => await runScript(options, command, run));
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await session[Symbol.asyncDispose]();
    await resources[Symbol.asyncDispose]();
  };
  return {
    ...session,
    reportedEntries: () => workspace?.reportedEntries() ?? [],
    async [Symbol.asyncDispose]() {
      closed ??= close();
      await closed;
    },
  };
}

async function runScript(
  { docker, image, plan, workspace, gateway, nextName }: DockerSessionOptions,
  command: SandboxCommand,
  options: RunOptions,
): Promise<Execution> {
  if (command.kind !== "shell") throw new ConfigurationError(wrongCommandKind(DOCKER, command.kind));
  const execution = await runContainer({
    docker,
    name: nextName(),
    plan: { ...plan, script: command.script, imageId: image.id, hasStdin: options.stdin !== undefined },
    timeoutMs: options.timeoutMs,
    signal: options.signal ?? new AbortController().signal,
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    ...(options.onOutput === undefined ? {} : { onOutput: options.onOutput }),
  });
  await workspace?.collect();
  const egress = gateway === undefined ? {} : { egress: gateway.takeRequests() };
  return { ...execution, details: { image: image.reference, imageId: image.id, ...egress } };
}
