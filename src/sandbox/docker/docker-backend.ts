import { randomBytes } from "node:crypto";
import { lstat } from "node:fs/promises";

import type Docker from "dockerode";

import type { LayerMount } from "../../contract/layer.ts";
import type { Capabilities, SandboxBackend, SandboxRequest, SandboxSession } from "../../contract/sandbox.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import { egressMessages } from "../../errors/messages/egress.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import type { Owner } from "../../state/owner.ts";
import { assertRequest } from "../command-limits.ts";
import type { EgressPolicy } from "../../egress/admit-target.ts";
import { hostsOf, parseHostRules } from "../../egress/host-rule.ts";
import { DEFAULT_IMAGE } from "../images/default-image.ts";
import { withProbeDirectories } from "../overlay/probe-directories.ts";
import { addressProblem, connectDocker } from "./connect-docker.ts";
import { openCopiedWorkspace } from "./copied-workspace.ts";
import { DOCKER, openDockerSession } from "./docker-session.ts";
import type { EgressGateway } from "./egress-gateway.ts";
import { openEgressGateway } from "./egress-gateway.ts";
import type { EngineFacts } from "./engine-facts.ts";
import { readEngineFacts } from "./engine-facts.ts";
import type { Role } from "./labels.ts";
import { ownershipLabels } from "./labels.ts";
import type { Lifeline } from "./lifeline.ts";
import { createLifeline } from "./lifeline.ts";
import { canMountOverlay, overlayProbeKey } from "./overlay-probe.ts";
import { openOverlayWorkspace } from "./overlay-workspace.ts";
import { removeOrphans } from "./remove-orphans.ts";
import type { ResolvedImage } from "./resolve-image.ts";
import { findImage, findShell, missingImage } from "./resolve-image.ts";
import { resolveLimits } from "./resolve-limits.ts";
import type { SandboxWorkspace } from "./sandbox-workspace.ts";

/** How to make a docker backend. */
export interface DockerBackendOptions {
  /** Marks everything that is made in the Engine. */
  readonly owner: Owner;
  /** Where the Engine is. @default `DOCKER_HOST`, else the usual socket */
  readonly dockerHost?: string;
  /** The image where a request names none. @default "cofferdam-sandbox:latest" */
  readonly image?: string;
  /** How the workspace gets in: `auto` mounts it where the Engine can, else copies it. @default "auto" */
  readonly workspace?: "auto" | "copy";
  /** How the names of an allowlist are resolved, and what may be connected to. @default public addresses, by the system's name service */
  readonly egress?: Omit<EgressPolicy, "rules">;
  /** Cleans up when this process is killed. @default a process that watches this one while a session is open */
  readonly lifeline?: Lifeline;
}

/** Runs shell commands in Docker containers, one container per command. */
export function createDockerBackend(options: DockerBackendOptions): SandboxBackend {
  return new DockerBackend(options);
}

class DockerBackend implements SandboxBackend {
  readonly name = DOCKER;
  readonly #options: DockerBackendOptions;
  readonly #lifeline: Lifeline;
  /** Whether an overlay can be mounted, by file systems. */
  readonly #mountable = new Map<string, Promise<boolean>>();
  /** The shell of an image, by its digest. */
  readonly #shells = new Map<string, string>();
  #docker: Promise<Docker> | undefined;
  #reaped: Promise<unknown> | undefined;

  constructor(options: DockerBackendOptions) {
    this.#options = options;
    const { owner, dockerHost } = options;
    this.#lifeline = options.lifeline ?? createLifeline({ owner, ...(dockerHost === undefined ? {} : { dockerHost }) });
  }

  async probe(): Promise<Capabilities> {
    try {
      return await this.#probe();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { available: false, reason, remedy: dockerMessages.noEngineRemedy };
    }
  }

  async open(request: SandboxRequest): Promise<SandboxSession> {
    assertRequest(this.name, request);
    const docker = await this.#connect();
    const { facts, image } = await this.#prepare(docker, request.image ?? this.#defaultImage);
    const limits = resolveLimits(request.limits, facts);
    this.#reaped ??= removeOrphans(this.#hostOption);
    await this.#reaped;
    this.#lifeline.hold();
    await using opened = new AsyncDisposableStack();
    opened.defer(() => this.#lifeline.release());
    const gateway = await this.#openGateway(docker, hostsOf(request.network));
    if (gateway !== undefined) opened.use(gateway);
    const shell = await this.#shellOf(docker, image);
    const workspace =
      request.mount && (await this.#openWorkspace(docker, { mount: request.mount, facts, image, shell }));
    if (workspace !== undefined) opened.use(workspace);
    const user = await ownerOf(request.mount);
    return openDockerSession({
      docker,
      image,
      nextName: () => this.#nextName(),
      resources: opened.move(),
      plan: {
        shell,
        limits,
        user,
        environment: { ...request.env, ...gateway?.environment },
        labels: this.#labels("run"),
        ...(workspace === undefined ? {} : { volumeName: workspace.volumeName }),
        ...(gateway === undefined ? {} : { networkOf: gateway.name }),
      },
      ...(workspace === undefined ? {} : { workspace }),
      ...(gateway === undefined ? {} : { gateway }),
    });
  }

  async #probe(): Promise<Capabilities> {
    const problem = addressProblem(this.#options.dockerHost);
    if (problem !== undefined) return { available: false, ...problem };
    const docker = await this.#connect();
    const state = await readEngineFacts(docker, this.#options.dockerHost);
    if (!state.usable) return { available: false, reason: state.reason, remedy: state.remedy };
    const image = await findImage(docker, this.#defaultImage);
    if (image === undefined) return { available: false, ...missingImage(this.#defaultImage) };
    const { facts } = state;
    const isMounted = await withProbeDirectories((mount) => this.#canMount(docker, { mount, facts, image }));
    return {
      available: true,
      commands: ["shell"],
      workspace: isMounted ? "mount" : "copy",
      enforces: [...facts.enforces, "retainedOutputBytes", "floodBytes", "graceMs", "network", "wallTime"],
      streams: true,
      runsPrograms: true,
      runsImages: true,
      allowsHosts: (await findImage(docker, DEFAULT_IMAGE)) !== undefined,
      details: { ...facts.details, image: image.reference, imageId: image.id },
    };
  }

  async #prepare(
    docker: Docker,
    reference: string,
  ): Promise<{ readonly facts: EngineFacts; readonly image: ResolvedImage }> {
    const state = await readEngineFacts(docker, this.#options.dockerHost);
    if (!state.usable) throw new SandboxUnavailableError(dockerMessages.unavailable(state.reason, state.remedy));
    const image = await findImage(docker, reference);
    if (image === undefined) {
      const { reason, remedy } = missingImage(reference);
      throw new SandboxUnavailableError(dockerMessages.unavailable(reason, remedy));
    }
    return { facts: state.facts, image };
  }

  /** The way out of a sandbox that may reach `hosts`; none where there are none. */
  async #openGateway(docker: Docker, hosts: readonly string[]): Promise<EgressGateway | undefined> {
    if (hosts.length === 0) return undefined;
    const rules = parseHostRules(hosts);
    const image = await findImage(docker, DEFAULT_IMAGE);
    if (image === undefined) {
      const { remedy } = missingImage(DEFAULT_IMAGE);
      throw new SandboxUnavailableError(
        dockerMessages.unavailable(egressMessages.gatewayImageMissing(DEFAULT_IMAGE), remedy),
      );
    }
    const labels = this.#labels("gateway");
    return await openEgressGateway({
      docker,
      name: this.#nextName(),
      labels,
      imageId: image.id,
      rules,
      ...this.#options.egress,
    });
  }

  async #openWorkspace(docker: Docker, target: MountTarget & { readonly shell: string }): Promise<SandboxWorkspace> {
    const imageId = target.image.id;
    const options = {
      docker,
      mount: target.mount,
      volumeName: this.#nextName(),
      labels: this.#labels("workspace"),
      sweeper: { docker, imageId, shell: target.shell, name: this.#nextName(), labels: this.#labels("carrier") },
    };
    const overlay = (await this.#canMount(docker, target)) ? await openOverlayWorkspace(options) : undefined;
    return overlay ?? openCopiedWorkspace({ ...options, imageId, carrierName: this.#nextName() });
  }

  async #canMount(docker: Docker, target: MountTarget): Promise<boolean> {
    if (this.#options.workspace === "copy" || target.facts.mapsUsers) return false;
    const key = await overlayProbeKey(target.mount);
    const known = this.#mountable.get(key);
    if (known !== undefined) return known;
    const answer = canMountOverlay({
      docker,
      imageId: target.image.id,
      name: this.#nextName(),
      labels: this.#labels("probe"),
      mount: target.mount,
    });
    this.#mountable.set(key, answer);
    return answer;
  }

  async #shellOf(docker: Docker, image: ResolvedImage): Promise<string> {
    const known = this.#shells.get(image.id);
    if (known !== undefined) return known;
    const shell = await findShell(docker, image, { name: this.#nextName(), labels: this.#labels("probe") });
    this.#shells.set(image.id, shell);
    return shell;
  }

  #connect(): Promise<Docker> {
    this.#docker ??= connectDocker(this.#options.dockerHost);
    return this.#docker;
  }

  get #defaultImage(): string {
    return this.#options.image ?? DEFAULT_IMAGE;
  }

  get #hostOption(): { readonly dockerHost?: string } {
    return this.#options.dockerHost === undefined ? {} : { dockerHost: this.#options.dockerHost };
  }

  #labels(role: Role): Record<string, string> {
    return ownershipLabels(this.#options.owner, role);
  }

  #nextName(): string {
    return `cofferdam-${this.#options.owner.pid}-${randomBytes(6).toString("hex")}`;
  }
}

interface MountTarget {
  readonly mount: LayerMount;
  readonly facts: EngineFacts;
  readonly image: ResolvedImage;
}

/** A command runs as whoever owns the root, so that what it makes belongs to them; without a root as nobody special. */
async function ownerOf(mount: LayerMount | undefined): Promise<{ readonly uid: number; readonly gid: number }> {
  if (mount === undefined) return { uid: 1000, gid: 1000 };
  const { uid, gid } = await lstat(mount.root);
  return { uid, gid };
}
