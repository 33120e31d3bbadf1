import type { Execution, RunOptions, SandboxBackend, SandboxRequest } from "../../../src/contract/sandbox.ts";
import { connectDocker } from "../../../src/sandbox/docker/connect-docker.ts";
import type { DockerBackendOptions } from "../../../src/sandbox/docker/docker-backend.ts";
import { createDockerBackend } from "../../../src/sandbox/docker/docker-backend.ts";
import { OWNER_LABEL } from "../../../src/sandbox/docker/labels.ts";
import type { Lifeline } from "../../../src/sandbox/docker/lifeline.ts";
import type { Owner } from "../../../src/state/owner.ts";
import { currentOwner, formatOwner } from "../../../src/state/owner.ts";
import { TEST_IMAGE } from "./test-image.ts";

export { outcome } from "../outcome.ts";

/** The owner of everything that a test file makes: its own process. */
export const owner: Owner = currentOwner();

/** A lifeline that watches nobody; the real one has tests of its own. */
export const noLifeline: Lifeline = { hold: () => undefined, release: () => undefined };

/** A backend on the test image. */
export function testBackend(options: Partial<DockerBackendOptions> = {}): SandboxBackend {
  return createDockerBackend({ owner, image: TEST_IMAGE, lifeline: noLifeline, ...options });
}

/** Runs one script in a session of its own. */
export async function runOnce(
  script: string,
  options: Partial<RunOptions> & { readonly request?: SandboxRequest; readonly backend?: SandboxBackend } = {},
): Promise<Execution> {
  const { request = {}, backend = testBackend(), ...run } = options;
  await using session = await backend.open(request);
  return await session.run({ kind: "shell", script }, { timeoutMs: 30_000, ...run });
}

/** Names of the containers and volumes that an owner has in the Engine. */
export async function leftovers(of: Owner = owner): Promise<readonly string[]> {
  const docker = await connectDocker();
  const filters = { label: [`${OWNER_LABEL}=${formatOwner(of)}`] };
  const containers = await docker.listContainers({ all: true, filters });
  const { Volumes } = await docker.listVolumes({ filters });
  return [...containers.flatMap(({ Names }) => Names), ...(Volumes ?? []).map(({ Name }) => Name)];
}

/** Fails a test file that left something in the Engine. */
export async function assertNothingLeft(...owners: readonly Owner[]): Promise<void> {
  for (const each of owners.length === 0 ? [owner] : owners) {
    const names = await leftovers(each);
    if (names.length > 0) throw new Error(`The tests left in the Engine: ${names.join(", ")}`);
  }
}
