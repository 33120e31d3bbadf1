import { lstat } from "node:fs/promises";
import { Readable } from "node:stream";

import type Docker from "dockerode";
import { pack } from "tar-stream";

import type { LayerMount } from "../../contract/layer.ts";
import { WORKSPACE_MOUNT } from "../../union/normalize-path.ts";
import { scanUpper } from "../../union/scan-upper.ts";
import type { UnionDraft } from "../../union/union-draft.ts";
import { openUnionDraft } from "../../union/union-draft.ts";
import { openMountedView } from "../../union/union-view.ts";
import { createWhiteoutMaker } from "../../union/whiteouts.ts";
import { emptyWorkDirectory } from "../overlay/work-directory.ts";
import { callEngine } from "./call-engine.ts";
import { volumeMounts } from "./container-options.ts";
import { ROLE_LABEL } from "./labels.ts";
import type { WorkspaceOptions } from "./overlay-workspace.ts";
import { packWorkspace } from "./pack-workspace.ts";
import { removeContainer, removeVolume } from "./remove-container.ts";
import type { SandboxWorkspace } from "./sandbox-workspace.ts";
import { sweepWorkDirectory } from "./sweep-work-directory.ts";
import type { TreeRecord } from "./tree-record.ts";
import { unpackWorkspace } from "./unpack-workspace.ts";

/*
 * Where the Engine cannot mount the layers, the merged tree is copied into an ordinary volume, and after each command the
 * whole tree is copied out and compared with what went in: a guest can give a file any time stamp, so only content tells
 * what changed.
 * The difference goes through the user-space union into the same upper directory that a mount would have filled.
 *
 * Copies go through a carrier: a container on the volume that is never started. It is not read-only, because the Engine
 * sets owner and mode of the volume's own directory only when that is unpacked from the directory above it.
 */

/** How long copying the whole tree may take, each way. */
const COPY_DEADLINE_MS = 600_000;

/** The volume's directory as archives name it. */
const PREFIX = WORKSPACE_MOUNT.slice(1);

/** What a copied workspace needs. */
export interface CopiedWorkspaceOptions extends WorkspaceOptions {
  readonly imageId: string;
  readonly carrierName: string;
}

/** Copies the workspace into a new volume. */
export async function openCopiedWorkspace(options: CopiedWorkspaceOptions): Promise<SandboxWorkspace> {
  const { docker, mount, volumeName } = options;
  const carrier = docker.getContainer(options.carrierName);
  const remove = async (): Promise<void> => {
    await removeContainer(carrier);
    await removeVolume(docker.getVolume(volumeName));
    await emptyWorkDirectory(mount.work, () => sweepWorkDirectory(mount.work, options.sweeper));
  };
  try {
    const draft = await openDraft(mount);
    await createCarrier(options);
    let known = await copyIn(carrier, { draft, root: mount.root });
    return {
      volumeName,
      collect: async () => {
        known = await copyOut(carrier, { draft, known });
      },
      reportedEntries: () => draft.entries().filter(({ op }) => op === "delete"),
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The layer may hold something already, which an earlier session or a tool in this process has written. */
async function openDraft(mount: LayerMount): Promise<UnionDraft> {
  const below = openMountedView(mount);
  const { entries } = await scanUpper({ below, upper: mount.upper });
  const whiteouts = createWhiteoutMaker({ directory: mount.work });
  return openUnionDraft({ below, upper: mount.upper, whiteouts, entries, takesHidden: true });
}

async function createCarrier(options: CopiedWorkspaceOptions): Promise<void> {
  const { docker, volumeName, labels } = options;
  await callEngine("make the workspace volume", (abortSignal) =>
    docker.createVolume({ Name: volumeName, Driver: "local", Labels: { ...labels }, abortSignal }),
  );
  await callEngine("make the sandbox's carrier", (abortSignal) =>
    docker.createContainer({
      Image: options.imageId,
      name: options.carrierName,
      Cmd: ["never-started"],
      Labels: { ...labels, [ROLE_LABEL]: "carrier" },
      HostConfig: { NetworkMode: "none", Mounts: volumeMounts(volumeName) },
      abortSignal,
    }),
  );
}

async function copyIn(
  carrier: Docker.Container,
  options: { readonly draft: UnionDraft; readonly root: string },
): Promise<TreeRecord> {
  const owner = await lstat(options.root);
  const archive = pack();
  const sending = callEngine(
    "copy the workspace into the sandbox",
    (abortSignal) => carrier.putArchive(Readable.from(archive), { path: "/", abortSignal }),
    COPY_DEADLINE_MS,
  );
  const packing = packWorkspace(archive, { workspace: options.draft, prefix: PREFIX, owner });
  // Whoever fails first takes the other one along, which would wait for it without end.
  sending.catch((error: Error) => archive.destroy(error));
  packing.catch((error: Error) => archive.destroy(error));
  const [sent, packed] = await Promise.allSettled([sending, packing]);
  if (sent.status === "rejected") throw sent.reason;
  if (packed.status === "rejected") throw packed.reason;
  return packed.value;
}

async function copyOut(
  carrier: Docker.Container,
  { draft, known }: { readonly draft: UnionDraft; readonly known: TreeRecord },
): Promise<TreeRecord> {
  return await callEngine(
    "copy the workspace out of the sandbox",
    async (abortSignal) => {
      const archive = await carrier.getArchive({ path: WORKSPACE_MOUNT, abortSignal });
      // A response of Node's own http module is a stream of the new kind.
      return await unpackWorkspace(archive as Readable, { workspace: draft, prefix: PREFIX, known });
    },
    COPY_DEADLINE_MS,
  );
}
