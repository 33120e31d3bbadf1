import type Docker from "dockerode";
import type { Container } from "dockerode";

import type { Execution, OutputChunk } from "../../contract/sandbox.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { cancelledBeforeStart } from "../cancelled-execution.ts";
import type { CommandStopper } from "../command-stopper.ts";
import { createOutputCollector } from "../output-collector.ts";
import { classifyTermination } from "../termination.ts";
import { waitForEnd, waitForOutput } from "../wait-for-end.ts";
import type { AttachedStreams } from "./attach-streams.ts";
import { attachStreams } from "./attach-streams.ts";
import { callEngine, describeFailure } from "./call-engine.ts";
import type { ContainerPlan } from "./container-options.ts";
import { containerOptions } from "./container-options.ts";
import { readForeignSignals } from "./foreign-signals.ts";
import { confirmStopped, removeContainer } from "./remove-container.ts";
import { createContainerStopper } from "./stop-container.ts";

/*
 * One container per command. The wait is on the container, never on its streams: a process that keeps a pipe open dies
 * with process 1 and cannot hold the call. The container is removed by its name whatever happens after the request to make it,
 * also when the answer to that request got lost.
 */

/** How to run a container to its end. */
export interface RunContainerOptions {
  readonly docker: Docker;
  readonly name: string;
  readonly plan: ContainerPlan;
  readonly timeoutMs: number;
  /** Cancels the command. */
  readonly signal: AbortSignal;
  readonly stdin?: Uint8Array;
  readonly onOutput?: (chunk: OutputChunk) => void;
}

/**
 * Makes a container, runs it to its end, looks that it has ended, and removes it.
 * @throws SandboxUnavailableError when the Engine failed.
 * @throws ConfigurationError when the Engine would ignore a limit.
 */
export async function runContainer(options: RunContainerOptions): Promise<Execution> {
  const { docker, name, plan } = options;
  const container = docker.getContainer(name);
  try {
    if (options.signal.aborted) return cancelledBeforeStart();
    const warnings = await createContainer(docker, { name, plan });
    const discarded = warnings.find((warning) => /discarded|without|not support/i.test(warning));
    if (discarded !== undefined) throw new ConfigurationError(dockerMessages.limitDiscarded(discarded));
    return await runToEnd(container, options);
  } finally {
    await removeContainer(container);
  }
}

async function createContainer(
  docker: Docker,
  options: { readonly name: string; readonly plan: ContainerPlan },
): Promise<readonly string[]> {
  const created: unknown = await callEngine("make the sandbox", async (abortSignal) => {
    const container = await docker.createContainer({
      ...containerOptions(options.plan),
      name: options.name,
      abortSignal,
    });
    // dockerode hands the whole answer on under a name that its types do not know.
    return (container as { readonly Warnings?: readonly string[] | null }).Warnings ?? [];
  });
  return Array.isArray(created) ? created.map(String) : [];
}

async function runToEnd(container: Container, options: RunContainerOptions): Promise<Execution> {
  const { plan, signal } = options;
  await using stopper = createContainerStopper(container, plan.limits.graceMs);
  const collector = createOutputCollector({
    retainedBytes: plan.limits.retainedOutputBytes,
    floodBytes: plan.limits.floodBytes,
    onFlood: () => stopper.stop("output-limit"),
    ...(options.onOutput === undefined ? {} : { onOutput: options.onOutput }),
  });
  using streams = await attachStreams(container, {
    onContent: ({ stream, bytes }) => collector.write(stream, bytes),
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
  });
  if (signal.aborted) return cancelledBeforeStart();
  await callEngine("start the sandbox", (abortSignal) => container.start({ abortSignal }));
  await waitForContainer(container, { stopper, streams, timeoutMs: options.timeoutMs, signal });
  await waitForOutput(streams.ended);
  await stopper[Symbol.asyncDispose]();
  const state = await confirmStopped(container);
  const stop = stopper.result();
  const foreign =
    state.status > 128 && stop?.delivered === undefined
      ? await readForeignSignals(options.docker, container, state)
      : [];
  const ending = classifyTermination({
    status: state.status,
    oomKilled: state.oomKilled,
    ...(stop === undefined ? {} : { stop }),
    ...(foreign[0] === undefined ? {} : { foreignSignal: foreign[0] }),
  });
  const durationMs = Math.max(0, state.finishedAtMs - state.startedAtMs);
  return { ...ending, ...collector.finish(), durationMs, survivors: 0 };
}

/** Settles when the container has ended. */
async function waitForContainer(
  container: Container,
  options: Pick<RunContainerOptions, "timeoutMs" | "signal"> & {
    readonly stopper: CommandStopper;
    readonly streams: AttachedStreams;
  },
): Promise<void> {
  const { stopper, streams } = options;
  try {
    streams.sendStdin();
    const broken = streams.ended.then(() => new Promise<never>(() => undefined));
    await waitForEnd(Promise.race([container.wait(), broken]), stopper, options);
  } catch (error) {
    if (error instanceof SandboxUnavailableError) throw error;
    throw new SandboxUnavailableError(dockerMessages.connectionLost(describeFailure(error)), { cause: error });
  }
}
