import type { Container, Volume } from "dockerode";

import { dockerMessages } from "../../errors/messages/docker.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { callEngine, statusOf } from "./call-engine.ts";

/** A container that has ended, as the Engine describes it. */
export interface StoppedState {
  readonly status: number;
  readonly oomKilled: boolean;
  /** By the Engine's clock. */
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
}

/**
 * Looks whether a container has ended. With process 1 the kernel has then killed every process of its namespace and has
 * seen them go, whatever they did to get away from their parents.
 * @throws SandboxUnavailableError when it still runs.
 */
export async function confirmStopped(container: Container): Promise<StoppedState> {
  const { State } = await callEngine("look at the sandbox", (abortSignal) => container.inspect({ abortSignal }));
  if (State.Running || State.Pid !== 0) throw new SandboxUnavailableError(dockerMessages.neverStopped);
  return {
    status: State.ExitCode,
    oomKilled: State.OOMKilled,
    startedAtMs: Date.parse(State.StartedAt),
    finishedAtMs: Date.parse(State.FinishedAt),
  };
}

/** Kills a container if it runs, and removes it with the volumes that its image declares. Gone already is fine. */
export async function removeContainer(container: Container): Promise<void> {
  await removeOnce("remove the sandbox", (abortSignal) => container.remove({ force: true, v: true, abortSignal }));
}

/** Removes a volume. Gone already is fine. */
export async function removeVolume(volume: Volume): Promise<void> {
  await removeOnce("remove the sandbox's volume", (abortSignal) => volume.remove({ force: true, abortSignal }));
}

async function removeOnce(action: string, request: (abortSignal: AbortSignal) => Promise<unknown>): Promise<void> {
  try {
    await callEngine(action, request);
  } catch (error) {
    // 404: it is not there. 409 with these words: somebody else is at it.
    const isUnderWay = statusOf(error) === 409 && /already in progress/.test(String(error));
    if (statusOf(error) !== 404 && !isUnderWay) throw error;
  }
}
