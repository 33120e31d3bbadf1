import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

import type Docker from "dockerode";

import { callEngine, errorNumberOf } from "./call-engine.ts";
import { removeContainer } from "./remove-container.ts";

/*
 * A layer's work directory is left as it was given: empty. The user-space union leaves a device in it that deletions are
 * linked from, and the kernel a directory that belongs to whoever mounted, which is the Engine, permits nobody
 * anything and holds the device that the kernel's deletions were linked from. A user who may talk to the Engine but is not root
 * cannot remove that, and the Engine can.
 */

/** What removes directories that belong to the Engine. */
export interface WorkSweeper {
  readonly docker: Docker;
  readonly imageId: string;
  readonly shell: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Removes everything in a work directory that nothing is mounted on any more. */
export async function emptyWorkDirectory(work: string, sweeper: WorkSweeper): Promise<void> {
  try {
    await removeEntries(work);
  } catch (error) {
    if (errorNumberOf(error) !== "EACCES" && errorNumberOf(error) !== "EPERM") throw error;
    await sweep(work, sweeper);
    await removeEntries(work);
  }
}

async function removeEntries(work: string): Promise<void> {
  // The whole layer may be gone already.
  const names = await readdir(work).catch(() => []);
  for (const name of names) await removeEntry(join(work, name));
}

/** An empty directory goes without permission to look into it. */
async function removeEntry(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch {
    await rm(path, { recursive: true, force: true });
  }
}

/**
 * Empties the Engine's directory as its owner, who may open it up again without any capability. The directory itself is in
 * one that belongs to us, so only we can remove it.
 */
async function sweep(work: string, sweeper: WorkSweeper): Promise<void> {
  const { docker, imageId, shell, name, labels } = sweeper;
  const container = docker.getContainer(name);
  try {
    await callEngine("clean up after the sandbox", async (abortSignal) => {
      await docker.createContainer({
        name,
        Image: imageId,
        Entrypoint: [shell],
        Cmd: ["-c", "chmod 700 /sweep/work && rm -rf /sweep/work/*"],
        User: "0:0",
        Labels: { ...labels },
        HostConfig: {
          NetworkMode: "none",
          CapDrop: ["ALL"],
          SecurityOpt: ["no-new-privileges:true"],
          ReadonlyRootfs: true,
          LogConfig: { Type: "none", Config: {} },
          Mounts: [{ Type: "bind", Source: work, Target: "/sweep" }],
        },
        abortSignal,
      });
      await container.start({ abortSignal });
      await container.wait({ abortSignal });
    });
  } finally {
    await removeContainer(container);
  }
}
