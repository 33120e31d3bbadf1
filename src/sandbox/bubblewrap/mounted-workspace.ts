import { join } from "node:path";

import type { LayerMount } from "../../contract/layer.ts";
import { bubblewrapMessages } from "../../errors/messages/bubblewrap.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { alignUpper } from "../overlay/align-upper.ts";
import { areLayersOnDisk, lowersOf } from "../overlay/layers-on-disk.ts";
import type { OverlayDirectories } from "../overlay/overlay-options.ts";
import type { BubblewrapPlan } from "./bubblewrap-arguments.ts";
import { chooseMountPoint } from "./launch-command.ts";
import { findChangedMount, findNestedMounts, isMasked } from "./nested-mounts.ts";

/** How a workspace gets into a sandbox. */
export interface MountedWorkspace {
  readonly overlay: { readonly directories: OverlayDirectories; readonly mountPoint: string };
  readonly shown: NonNullable<BubblewrapPlan["workspace"]>;
}

/**
 * Prepares a layer for being mounted.
 * @throws SandboxUnavailableError when a mount would not show the workspace as it is.
 */
export async function prepareWorkspace(mount: LayerMount): Promise<MountedWorkspace> {
  if (!(await areLayersOnDisk(mount))) throw new SandboxUnavailableError(bubblewrapMessages.layersNotOnDisk);
  const nested = (await findNestedMounts(mount.root)).filter((path) => !isMasked(mount, path));
  const changed = findChangedMount(nested, mount);
  if (changed !== undefined) throw new SandboxUnavailableError(bubblewrapMessages.nestedMountChanged(changed));
  const mountPoint = chooseMountPoint(mount.root);
  if (mountPoint === undefined) throw new SandboxUnavailableError(bubblewrapMessages.noMountPoint);
  await alignUpper(mount);
  const directories = {
    lowers: lowersOf(mount),
    upper: mount.upper,
    work: mount.work,
  };
  return {
    overlay: { directories, mountPoint },
    shown: { source: mountPoint, nested: nested.map((path) => ({ source: join(mount.root, path), path })) },
  };
}
