import type Docker from "dockerode";

import type { LayerMount } from "../../contract/layer.ts";
import { alignUpper } from "../overlay/align-upper.ts";
import { areLayersOnDisk, lowersOf } from "../overlay/layers-on-disk.ts";
import type { OverlayOptions } from "../overlay/overlay-options.ts";
import { createOverlayOptions } from "../overlay/overlay-options.ts";
import { emptyWorkDirectory } from "../overlay/work-directory.ts";
import { callEngine } from "./call-engine.ts";
import { LINKS_LABEL } from "./labels.ts";
import { removeVolume } from "./remove-container.ts";
import type { SandboxWorkspace } from "./sandbox-workspace.ts";
import type { WorkSweeper } from "./sweep-work-directory.ts";
import { sweepWorkDirectory } from "./sweep-work-directory.ts";

/** How to make a workspace volume. */
export interface WorkspaceOptions {
  readonly docker: Docker;
  readonly mount: LayerMount;
  readonly volumeName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly sweeper: WorkSweeper;
}

/**
 * Makes a volume that the Engine mounts as an overlay: the kept layers over the root, the new layer on top. What a
 * command changes is in the upper directory at once. `undefined` when these layers cannot be mounted.
 */
export async function openOverlayWorkspace(options: WorkspaceOptions): Promise<SandboxWorkspace | undefined> {
  const { mount } = options;
  if (!(await areLayersOnDisk(mount))) return undefined;
  await alignUpper(mount);
  const overlay = await createOverlayOptions({
    lowers: lowersOf(mount),
    upper: mount.upper,
    work: mount.work,
  });
  if (overlay === undefined) return undefined;
  const volume = options.docker.getVolume(options.volumeName);
  const remove = async (): Promise<void> => {
    await removeVolume(volume);
    await overlay[Symbol.asyncDispose]();
    await emptyWorkDirectory(mount.work, () => sweepWorkDirectory(mount.work, options.sweeper));
  };
  try {
    await createOverlayVolume(options, overlay);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    volumeName: options.volumeName,
    collect: () => Promise.resolve(),
    reportedEntries: () => [],
    [Symbol.asyncDispose]: remove,
  };
}

/** Makes the volume; it is mounted when a container that uses it starts. */
export async function createOverlayVolume(
  options: Pick<WorkspaceOptions, "docker" | "volumeName" | "labels">,
  overlay: OverlayOptions,
): Promise<void> {
  await callEngine("make the workspace volume", (abortSignal) =>
    options.docker.createVolume({
      Name: options.volumeName,
      Driver: "local",
      DriverOpts: { type: "overlay", device: "overlay", o: overlay.text },
      Labels: { ...options.labels, [LINKS_LABEL]: overlay.linksDirectory },
      abortSignal,
    }),
  );
}
