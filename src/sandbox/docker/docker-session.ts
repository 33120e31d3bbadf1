import type Docker from "dockerode";

import type { Execution, RunOptions, SandboxCommand, SandboxSession } from "../../contract/sandbox.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import type { ContainerPlan } from "./container-options.ts";
import type { EgressGateway } from "./egress-gateway.ts";
import type { ResolvedImage } from "./resolve-image.ts";
import { runContainer } from "./run-container.ts";
import type { SandboxWorkspace } from "./sandbox-workspace.ts";

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

/** An open docker sandbox: a workspace volume, and a new container for each command. */
export class DockerSession implements SandboxSession {
  readonly backend = "docker";
  readonly #options: DockerSessionOptions;
  readonly #closing = new AbortController();
  #running: Promise<unknown> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: DockerSessionOptions) {
    this.#options = options;
  }

  async run(command: SandboxCommand, options: RunOptions): Promise<Execution> {
    if (command.kind !== "shell") throw new ConfigurationError(dockerMessages.kindUnsupported(command.kind));
    if (this.#closing.signal.aborted) throw new ConfigurationError(dockerMessages.sessionClosed);
    if (this.#running !== undefined) throw new ConfigurationError(dockerMessages.alreadyRunning);
    const running = this.#runScript(command.script, options);
    this.#running = running;
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  reportedEntries(): ReturnType<SandboxWorkspace["reportedEntries"]> {
    return this.#options.workspace?.reportedEntries() ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #runScript(script: string, options: RunOptions): Promise<Execution> {
    const { docker, image, plan, workspace, gateway, nextName } = this.#options;
    const execution = await runContainer({
      docker,
      name: nextName(),
      plan: { ...plan, script, imageId: image.id, hasStdin: options.stdin !== undefined },
      timeoutMs: options.timeoutMs,
      signal: AbortSignal.any([this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])]),
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      ...(options.onOutput === undefined ? {} : { onOutput: options.onOutput }),
    });
    if (this.#closing.signal.aborted) throw new SandboxUnavailableError(dockerMessages.sessionClosing);
    await workspace?.collect();
    const requests = gateway?.takeRequests() ?? [];
    const egress = gateway === undefined ? {} : { egress: requests };
    return { ...execution, details: { image: image.reference, imageId: image.id, ...egress } };
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    // How the command ended is told to who runs it.
    await this.#running?.catch(() => undefined);
    await this.#options.resources[Symbol.asyncDispose]();
  }
}
