import { lstat, rm } from "node:fs/promises";
import { basename } from "node:path";

import type Docker from "dockerode";

import type { Owner } from "../../state/owner.ts";
import { formatOwner, isOwnerAlive, parseOwner } from "../../state/owner.ts";
import { callEngine } from "./call-engine.ts";
import { connectDocker } from "./connect-docker.ts";
import { currentHost } from "../current-host.ts";
import { isOwnedName, removeOwnedDirectories } from "../owned-directories.ts";
import { HOST_LABEL, LINKS_LABEL, OWNER_LABEL } from "./labels.ts";
import { removeContainer, removeVolume } from "./remove-container.ts";

/** How much was removed. */
export interface RemovedOrphans {
  readonly containers: number;
  readonly volumes: number;
}

/**
 * Removes what processes of this machine left in the Engine when they were killed. What a living process owns, and what
 * another machine or process namespace owns, is left alone.
 * @throws SandboxUnavailableError when the Engine does not answer.
 */
export async function removeOrphans(options: { readonly dockerHost?: string } = {}): Promise<RemovedOrphans> {
  return removeOwned(await connectDocker(options.dockerHost), (owner) => !isOwnerAlive(owner));
}

/** Removes all that one process owns, whether or not it lives. */
export async function removeAllOf(
  owner: Owner,
  options: { readonly dockerHost?: string } = {},
): Promise<RemovedOrphans> {
  const name = formatOwner(owner);
  const isIt = (other: Owner): boolean => formatOwner(other) === name;
  return removeOwned(await connectDocker(options.dockerHost), isIt);
}

async function removeOwned(docker: Docker, isWanted: (owner: Owner) => boolean): Promise<RemovedOrphans> {
  const filters = { label: [`${HOST_LABEL}=${currentHost()}`] };
  const containers = await callEngine("list the sandboxes", (abortSignal) =>
    docker.listContainers({ all: true, filters, abortSignal }),
  );
  const volumes = await callEngine("list the sandboxes' volumes", (abortSignal) =>
    docker.listVolumes({ filters, abortSignal }),
  );
  const isOwned = (labels: Readonly<Record<string, string>> | null): boolean => {
    const owner = parseOwner(labels?.[OWNER_LABEL] ?? "");
    return owner !== undefined && isWanted(owner);
  };
  // Containers first: a volume that is in use cannot go.
  const removedContainers = await countDone(
    containers.filter(({ Labels }) => isOwned(Labels)),
    ({ Id }) => removeContainer(docker.getContainer(Id)),
  );
  const removedVolumes = await countDone(
    (volumes.Volumes ?? []).filter(({ Labels }) => isOwned(Labels)),
    async ({ Name, Labels }) => {
      await removeVolume(docker.getVolume(Name));
      await removeLinks(Labels[LINKS_LABEL]);
    },
  );
  await removeOwnedDirectories(isWanted);
  return { containers: removedContainers, volumes: removedVolumes };
}

/** What cannot be removed now (another process may be at it) is found again by the next one that looks. */
async function countDone<T>(items: readonly T[], remove: (item: T) => Promise<void>): Promise<number> {
  const outcomes = await Promise.allSettled(items.map(remove));
  return outcomes.filter(({ status }) => status === "fulfilled").length;
}

/** A label is not proof: only a directory that can be one of ours goes, and `rm` follows no link in it. */
async function removeLinks(directory: string | undefined): Promise<void> {
  if (directory === undefined || !isOwnedName(basename(directory))) return;
  const found = await lstat(directory).catch(() => undefined);
  if (found?.isDirectory() === true) await rm(directory, { recursive: true, force: true });
}
