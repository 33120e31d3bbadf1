import type Docker from "dockerode";

import { callEngine } from "./call-engine.ts";
import { lockdown } from "./lockdown.ts";
import { removeContainer } from "./remove-container.ts";

/** What removes directories that belong to the Engine. */
export interface WorkSweeper {
  readonly docker: Docker;
  readonly imageId: string;
  readonly shell: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Empties what the kernel left in a work directory that the Engine mounted, as its owner, who may open it up again without
 * any capability: a user who may talk to the Engine but is not root cannot. The directory itself is in one that belongs to
 * us, so only we can remove it.
 */
export async function sweepWorkDirectory(work: string, sweeper: WorkSweeper): Promise<void> {
  const { docker, imageId, shell, name, labels } = sweeper;
  const container = docker.getContainer(name);
  try {
    await callEngine("clean up after the sandbox", async (abortSignal) => {
      await docker.createContainer({
        name,
        Image: imageId,
        Entrypoint: [shell],
        Cmd: ["-c", "cd /sweep && chmod 700 work && rm -rf work/*"],
        User: "0:0",
        Labels: { ...labels },
        HostConfig: { ...lockdown(), Mounts: [{ Type: "bind", Source: work, Target: "/sweep" }] },
        abortSignal,
      });
      await container.start({ abortSignal });
      await container.wait({ abortSignal });
    });
  } finally {
    await removeContainer(container);
  }
}
