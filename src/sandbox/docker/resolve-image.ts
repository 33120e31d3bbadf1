import type { IncomingMessage } from "node:http";

import type Docker from "dockerode";

import { dockerMessages } from "../../errors/messages/docker.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { DEFAULT_IMAGE } from "../images/default-image.ts";
import { callEngine, statusOf } from "./call-engine.ts";
import { removeContainer } from "./remove-container.ts";

/** An image that the Engine has. */
export interface ResolvedImage {
  /** As it was asked for. */
  readonly reference: string;
  /** Its digest. */
  readonly id: string;
}

/** Looks an image up; nothing is ever pulled. `undefined` when the Engine does not have it. */
export async function findImage(docker: Docker, reference: string): Promise<ResolvedImage | undefined> {
  try {
    const { Id } = await callEngine("look up the image", () => docker.getImage(reference).inspect());
    return { reference, id: Id };
  } catch (error) {
    // 400: it is no reference at all.
    if (statusOf(error) === 404 || statusOf(error) === 400) return undefined;
    throw error;
  }
}

/** Why there is no sandbox without this image, and what to do. */
export function missingImage(reference: string): { readonly reason: string; readonly remedy: string } {
  return {
    reason: dockerMessages.imageMissing(reference),
    remedy: dockerMessages.imageMissingRemedy(reference, reference === DEFAULT_IMAGE),
  };
}

const SHELLS = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/bin/sh"];

/**
 * The best shell of an image, found by looking into a container that never runs. Starting one to find out would not do:
 * docker-init starts in any case, and its complaint would look like the command's output.
 * @throws SandboxUnavailableError when there is none.
 */
export async function findShell(
  docker: Docker,
  image: ResolvedImage,
  probe: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
): Promise<string> {
  const container = docker.getContainer(probe.name);
  try {
    await callEngine("look into the image", (abortSignal) =>
      docker.createContainer({
        Image: image.id,
        name: probe.name,
        Cmd: ["never-started"],
        Labels: { ...probe.labels },
        HostConfig: { NetworkMode: "none" },
        abortSignal,
      }),
    );
    for (const path of SHELLS) {
      if (await hasPath(docker, { name: probe.name, path })) return path;
    }
    throw new SandboxUnavailableError(dockerMessages.noShell(image.reference));
  } finally {
    await removeContainer(container);
  }
}

async function hasPath(docker: Docker, options: { readonly name: string; readonly path: string }): Promise<boolean> {
  try {
    await callEngine("look into the image", async (abortSignal) => {
      const { name, path } = options;
      const answer: IncomingMessage = await docker.getContainer(name).infoArchive({ path, abortSignal });
      // The answer has no body, but until that has been read the connection keeps the process alive.
      answer.resume();
    });
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}
