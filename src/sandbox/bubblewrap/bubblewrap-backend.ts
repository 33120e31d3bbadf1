import { availableParallelism, homedir } from "node:os";

import type { LayerMount } from "../../contract/layer.ts";
import type { Capabilities, SandboxBackend, SandboxRequest, SandboxSession } from "../../contract/sandbox.ts";
import { bubblewrapMessages } from "../../errors/messages/bubblewrap.ts";
import { namedBackendUnavailable } from "../../errors/messages/sandbox.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { assertNoImageNorHosts, assertRequest, fillLimits } from "../command-limits.ts";
import { assertEnforceable } from "../limit-check.ts";
import { withProbeDirectories } from "../overlay/probe-directories.ts";
import { createCommandPipes, type CommandPipes } from "./command-pipes.ts";
import { enforcedLimits, limitHolders } from "./enforced-limits.ts";
import { readMachineFacts, type MachineFacts, type Obstacle } from "./machine-facts.ts";
import { BUBBLEWRAP, openBubblewrapSession } from "./open-session.ts";
import { removeLeftovers } from "./remove-leftovers.ts";
import { identityFor } from "./sandbox-identity.ts";
import { tryTrial } from "./trial.ts";

/** How to make a bubblewrap backend. */
export interface BubblewrapBackendOptions {
  /** The root, and the directory that layers are kept in: what a probe tries. @default empty temporary directories */
  readonly place?: { readonly root: string; readonly stateDirectory: string };
}

/** Runs shell commands of the host's programs in namespaces of their own, on a kernel mount of the workspace. */
export function createBubblewrapBackend(options: BubblewrapBackendOptions = {}): SandboxBackend {
  return new BubblewrapBackend(options);
}

/** What is made once per backend. */
interface Machine {
  readonly facts: MachineFacts;
  readonly pipes: CommandPipes;
}

class BubblewrapBackend implements SandboxBackend {
  readonly name = BUBBLEWRAP;
  readonly #place: BubblewrapBackendOptions["place"];
  #machine: Machine | undefined;
  #swept: Promise<void> | undefined;

  constructor({ place }: BubblewrapBackendOptions) {
    this.#place = place;
  }

  async probe(): Promise<Capabilities> {
    try {
      const machine = await this.#findMachine();
      if ("reason" in machine) return { available: false, ...machine };
      const obstacle = await withProbeDirectories(async (mount) => {
        const tried = this.#place === undefined ? mount : { ...mount, root: this.#place.root };
        return await tryTrial(tried, async (request) => await this.#open(machine, request));
      }, this.#place?.stateDirectory);
      if (obstacle !== undefined) return { available: false, ...obstacle };
      return await this.#describe(machine);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { available: false, reason, remedy: bubblewrapMessages.trialRemedy };
    }
  }

  async open(request: SandboxRequest): Promise<SandboxSession> {
    const machine = await this.#findMachine();
    if ("reason" in machine) throw new SandboxUnavailableError(namedBackendUnavailable(this.name, machine));
    return await this.#open(machine, request);
  }

  async #open({ facts, pipes }: Machine, request: SandboxRequest): Promise<SandboxSession> {
    assertRequest(this.name, request);
    assertNoImageNorHosts(this.name, request);
    const identity = await identityFor(request.mount);
    assertEnforceable(this.name, request.limits, enforcedLimits(limitHolders(facts, identity)));
    const limits = fillLimits(request.limits, { cpus: availableParallelism() });
    this.#swept ??= removeLeftovers(facts.groups, this.#place === undefined ? [] : [this.#place.stateDirectory]);
    await this.#swept;
    return await openBubblewrapSession({ request, limits, identity, facts, pipes, hidden: this.#hidden });
  }

  /** What is missing may come while the engine runs, so only a machine that has everything is remembered. */
  async #findMachine(): Promise<Machine | Obstacle> {
    if (this.#machine !== undefined) return this.#machine;
    const facts = await readMachineFacts();
    if ("reason" in facts) return facts;
    this.#machine ??= { facts, pipes: createCommandPipes(facts.programs.mkfifo) };
    return this.#machine;
  }

  async #describe({ facts }: Machine): Promise<Capabilities> {
    const mount: Pick<LayerMount, "root"> | undefined = this.#place;
    const holders = limitHolders(facts, await identityFor(mount));
    return {
      available: true,
      commands: ["shell"],
      workspace: "mount",
      enforces: [...enforcedLimits(holders), "network", "wallTime"],
      streams: true,
      runsPrograms: true,
      details: {
        version: facts.version,
        memory: holders.memoryMb === "nothing" ? "each process by itself" : holders.memoryMb,
        pids: holders.pids,
        cpus: holders.cpus,
        ...(facts.groups === undefined ? {} : { cgroups: String(facts.groups.version) }),
      },
    };
  }

  get #hidden(): readonly string[] {
    return [homedir(), ...(this.#place === undefined ? [] : [this.#place.stateDirectory])];
  }
}
