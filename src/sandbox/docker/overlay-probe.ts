import { mkdir, mkdtemp, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";

import type Docker from "dockerode";
import { pack } from "tar-stream";

import type { LayerMount } from "../../contract/layer.ts";
import { WORKSPACE_MOUNT } from "../../union/normalize-path.ts";
import { callEngine } from "./call-engine.ts";
import { volumeMounts } from "./container-options.ts";
import { createOverlayOptions } from "../overlay/overlay-options.ts";
import { createOverlayVolume } from "./overlay-workspace.ts";
import { removeContainer, removeVolume } from "./remove-container.ts";

/*
 * Whether the Engine can mount the workspace: it may be on another machine, in a virtual machine that sees other
 * directories, or on a file system that can carry no overlay. None of this can be read off its description, so a small
 * overlay is mounted where the layers are, over the very root, and both sides write and look. No process is started: the
 * Engine mounts the volumes of a container that never ran when files are copied in and out of it.
 */

/** What a probe needs. */
export interface OverlayProbeOptions {
  readonly docker: Docker;
  readonly imageId: string;
  /** Name of the container and of the volume. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly mount: Pick<LayerMount, "root" | "upper">;
}

/** Tries an overlay volume once; false for whatever reason it does not work. */
export async function canMountOverlay(options: OverlayProbeOptions): Promise<boolean> {
  // Beside the upper directory, because that is the file system that counts.
  const directory = await mkdtemp(join(dirname(options.mount.upper), "probe-"));
  try {
    return await tryOverlay(directory, options);
  } catch {
    // An Engine that cannot do it says so in many ways, and each of them means the same here: copy instead.
    return false;
  } finally {
    // Empty, and of the Engine's owner, who permits nobody else to look into it.
    await rmdir(join(directory, "work", "work")).catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
  }
}

/** Names the file systems that an answer of `canMountOverlay` holds for. */
export async function overlayProbeKey(mount: Pick<LayerMount, "root" | "upper">): Promise<string> {
  const [root, upper] = await Promise.all([stat(mount.root), stat(mount.upper)]);
  return `${root.dev}:${upper.dev}`;
}

async function tryOverlay(directory: string, options: OverlayProbeOptions): Promise<boolean> {
  const { docker, name, labels, mount } = options;
  const lower = join(directory, "lower");
  const upper = join(directory, "upper");
  const work = join(directory, "work");
  for (const each of [lower, upper, work]) await mkdir(each);
  await writeFile(join(lower, "from-host"), name);
  await using overlay = await createOverlayOptions({ lowers: [lower, mount.root], upper, work });
  if (overlay === undefined) return false;
  const container = docker.getContainer(name);
  try {
    await createOverlayVolume({ docker, volumeName: name, labels }, overlay);
    await createIdleContainer(options);
    const seenInside = await readFromContainer(options, "from-host");
    await writeToContainer(options, "from-engine");
    const seenOutside = await readFile(join(upper, "from-engine"), "utf8");
    return seenInside.includes(name) && seenOutside === name;
  } finally {
    await removeContainer(container);
    await removeVolume(docker.getVolume(name));
  }
}

async function createIdleContainer(options: OverlayProbeOptions): Promise<void> {
  await callEngine("make a probe container", (abortSignal) =>
    options.docker.createContainer({
      Image: options.imageId,
      name: options.name,
      Cmd: ["never-started"],
      Labels: { ...options.labels },
      HostConfig: { NetworkMode: "none", Mounts: volumeMounts(options.name) },
      abortSignal,
    }),
  );
}

async function readFromContainer(options: OverlayProbeOptions, file: string): Promise<Buffer> {
  return callEngine("read from a probe container", async (abortSignal) => {
    const archive = await options.docker
      .getContainer(options.name)
      .getArchive({ path: `${WORKSPACE_MOUNT}/${file}`, abortSignal });
    return buffer(archive);
  });
}

async function writeToContainer(options: OverlayProbeOptions, file: string): Promise<void> {
  const archive = pack();
  archive.entry({ name: file, mode: 0o644 }, options.name);
  archive.finalize();
  const bytes = await buffer(archive);
  await callEngine("write to a probe container", (abortSignal) =>
    options.docker.getContainer(options.name).putArchive(bytes, { path: WORKSPACE_MOUNT, abortSignal }),
  );
}
