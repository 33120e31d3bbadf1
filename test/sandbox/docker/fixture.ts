import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { LayerMount } from "../../../src/contract/layer.ts";
import type { Execution, RunOptions, SandboxBackend, SandboxRequest } from "../../../src/contract/sandbox.ts";
import { connectDocker } from "../../../src/sandbox/docker/connect-docker.ts";
import type { DockerBackendOptions } from "../../../src/sandbox/docker/docker-backend.ts";
import { createDockerBackend } from "../../../src/sandbox/docker/docker-backend.ts";
import { OWNER_LABEL } from "../../../src/sandbox/docker/labels.ts";
import type { Lifeline } from "../../../src/sandbox/docker/lifeline.ts";
import type { Owner } from "../../../src/state/owner.ts";
import { currentOwner, formatOwner } from "../../../src/state/owner.ts";
import { TEST_IMAGE } from "./test-image.ts";

/** The owner of everything that a test file makes: its own process. */
export const owner: Owner = currentOwner();

/** A lifeline that watches nobody; the real one has tests of its own. */
export const noLifeline: Lifeline = { hold: () => undefined, release: () => undefined };

/** A backend on the test image. */
export function testBackend(options: Partial<DockerBackendOptions> = {}): SandboxBackend {
  return createDockerBackend({ owner, image: TEST_IMAGE, lifeline: noLifeline, ...options });
}

/** An empty root that an ordinary user owns, and an empty layer. Disposing removes both. */
export interface TestMount extends LayerMount, AsyncDisposable {
  readonly directory: string;
}

/** Makes a root and a layer; `rootName` is the root directory's own name. */
export async function createMount(rootName = "root"): Promise<TestMount> {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-test-"));
  await chmod(directory, 0o755);
  const [root, upper, work] = [join(directory, rootName), join(directory, "upper"), join(directory, "work")];
  for (const each of [root, upper, work]) await mkdir(each);
  await chown(root, 1000, 1000);
  return {
    directory,
    root,
    upper,
    work,
    lowers: [],
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
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

/** The part of an execution that does not differ from run to run. */
export function outcome(
  execution: Execution,
): Pick<Execution, "termination" | "exitCode" | "signal" | "stdout" | "stderr"> {
  const { termination, exitCode, signal, stdout, stderr } = execution;
  return { termination, exitCode, signal, stdout, stderr };
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
