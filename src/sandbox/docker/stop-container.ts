import type { Container } from "dockerode";

import { dockerMessages } from "../../errors/messages/docker.ts";
import { createCommandStopper, type CommandStopper } from "../command-stopper.ts";
import { callEngine, statusOf } from "./call-engine.ts";

/** Makes a stopper for a container that has been started. */
export function createContainerStopper(container: Container, graceMs: number): CommandStopper {
  return createCommandStopper({
    graceMs,
    neverStopped: dockerMessages.neverStopped,
    async send(signal) {
      try {
        await callEngine("stop the sandbox", (abortSignal) => container.kill({ signal, abortSignal }));
        return true;
      } catch (error) {
        // 409: not running, 404: gone. Both mean that the command was faster.
        if (statusOf(error) === 409 || statusOf(error) === 404) return false;
        throw error;
      }
    },
  });
}
