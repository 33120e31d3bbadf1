import type { Container } from "dockerode";

import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import { callEngine, statusOf } from "./call-engine.ts";
import type { EndedContainer, StopReason } from "./termination.ts";

/** How long a container may take to end after SIGKILL. */
const KILL_DEADLINE_MS = 30_000;

/** Stops one container at most once; the first reason counts. */
export interface ContainerStopper extends AsyncDisposable {
  /** Asks the command to stop and kills it after the grace time; `output-limit` kills at once. */
  stop(reason: StopReason): void;
  /** Rejects when the Engine cannot stop it; never resolves. */
  readonly failed: Promise<never>;
  /** What was done; complete once disposed of. */
  result(): EndedContainer["stop"];
}

/** Makes a stopper for a container that has been started. */
export function createContainerStopper(container: Container, graceMs: number): ContainerStopper {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  // Nobody waits for it once the command has ended.
  failed.catch(() => undefined);
  let reason: StopReason | undefined;
  let delivered: "SIGTERM" | "SIGKILL" | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  const send = async (signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    try {
      await callEngine("stop the sandbox", (abortSignal) => container.kill({ signal, abortSignal }));
      delivered = signal;
    } catch (error) {
      // 409: not running, 404: gone. Both mean that the command was faster.
      if (statusOf(error) !== 409 && statusOf(error) !== 404) reject(error);
    }
  };
  const kill = (): void => {
    sending = sending.then(() => send("SIGKILL"));
    timer = setTimeout(() => reject(new SandboxUnavailableError(dockerMessages.neverStopped)), KILL_DEADLINE_MS);
  };
  return {
    failed,
    stop(wanted) {
      if (reason !== undefined) return;
      reason = wanted;
      if (wanted === "output-limit") return kill();
      sending = send("SIGTERM");
      timer = setTimeout(kill, graceMs);
    },
    result: () => (reason === undefined ? undefined : { reason, ...(delivered === undefined ? {} : { delivered }) }),
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await sending;
      clearTimeout(timer);
    },
  };
}
