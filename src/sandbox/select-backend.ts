import type { Capabilities, SandboxBackend, SandboxCommand, SandboxLimits } from "../contract/sandbox.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import {
  allowsNoHosts,
  namedBackendUnavailable,
  noBackendFits,
  runsNoImages,
  unknownBackend,
  wrongCommandKind,
} from "../errors/messages/sandbox.ts";
import { unenforceableLimit } from "../errors/messages/sandbox.ts";
import { SandboxUnavailableError } from "../errors/sandbox-unavailable-error.ts";

/*
 * Which sandbox a command runs in. `auto` takes the first backend, in the order given, whose live probe passes, that runs
 * this kind of command, in the image that was asked for, with the hosts that were asked for, and that enforces every limit that
 * was asked for. A backend that was named is taken or the call fails: nothing else is tried in its place, since it may have been named for being the strongest.
 *
 * A name says where shell commands run. JavaScript runs in the named backend only if that one runs JavaScript at all;
 * otherwise it goes where `auto` would send it, so that naming a shell does not switch JavaScript off.
 */

/** What a sandbox is needed for. */
export interface BackendQuery {
  /** `auto` or the name of a backend. */
  readonly wanted: string;
  readonly command: SandboxCommand["kind"];
  /** Only what was asked for; a default is no request. */
  readonly limits?: SandboxLimits;
  /** The hosts that shell commands are to reach, when any were asked for. */
  readonly hosts?: readonly string[];
  /** The image that shell commands are to run in, when one was asked for. */
  readonly image?: string;
}

/** A backend that is available, and what its probe found. */
export interface SelectedBackend {
  readonly backend: SandboxBackend;
  readonly capabilities: Extract<Capabilities, { readonly available: true }>;
}

/** Chooses among the backends of one engine; each is probed when it is first thought of, and again until it is available. */
export interface BackendSelector {
  /** @throws ConfigurationError when `wanted` is neither `auto` nor the name of a backend. */
  assertKnown(wanted: string): void;
  /**
   * @throws ConfigurationError when `wanted` is unknown, or names a backend that cannot enforce a limit.
   * @throws SandboxUnavailableError when the named backend is not available, or none fits.
   */
  select(query: BackendQuery): Promise<SelectedBackend>;
  /** What the probe of each backend found, probing those that were not available before. */
  report(): Promise<readonly { readonly name: string; readonly capabilities: Capabilities }[]>;
}

/** Makes a selector over `backends`, in the order in which `auto` tries them. */
export function createBackendSelector(backends: readonly SandboxBackend[]): BackendSelector {
  const probes = new Map<SandboxBackend, Promise<Capabilities>>();
  const probe = async (backend: SandboxBackend): Promise<Capabilities> => {
    const known = probes.get(backend) ?? backend.probe();
    probes.set(backend, known);
    const capabilities = await known;
    // What is missing may come while the engine runs: a Docker Engine is started, an image is built.
    if (!capabilities.available) probes.delete(backend);
    return capabilities;
  };
  const assertKnown = (wanted: string): void => {
    const names = backends.map(({ name }) => name);
    if (wanted !== "auto" && !names.includes(wanted)) throw new ConfigurationError(unknownBackend(wanted, names));
  };
  return {
    assertKnown,
    async select(query) {
      assertKnown(query.wanted);
      const named = backends.find(({ name }) => name === query.wanted);
      if (named !== undefined) {
        const selected = selectNamed(named, await probe(named), query);
        if (selected !== undefined) return selected;
      }
      return await selectFirst(backends, probe, query);
    },
    async report() {
      return await Promise.all(backends.map(async (each) => ({ name: each.name, capabilities: await probe(each) })));
    },
  };
}

/** The named backend, or nothing when it is not meant for this kind of command. */
function selectNamed(
  backend: SandboxBackend,
  capabilities: Capabilities,
  query: BackendQuery,
): SelectedBackend | undefined {
  if (!capabilities.available) {
    throw new SandboxUnavailableError(namedBackendUnavailable(backend.name, capabilities));
  }
  if (!capabilities.commands.includes(query.command)) {
    if (query.command === "javascript") return undefined;
    throw new SandboxUnavailableError(wrongCommandKind(backend.name, query.command));
  }
  const [limit] = unenforced(capabilities, query.limits);
  if (limit !== undefined) throw new ConfigurationError(unenforceableLimit(backend.name, limit));
  if (lacksImages(capabilities, query)) throw new ConfigurationError(runsNoImages(backend.name, query.image ?? ""));
  if (lacksHosts(capabilities, query)) throw new ConfigurationError(allowsNoHosts(backend.name, query.hosts ?? []));
  return { backend, capabilities };
}

async function selectFirst(
  backends: readonly SandboxBackend[],
  probe: (backend: SandboxBackend) => Promise<Capabilities>,
  query: BackendQuery,
): Promise<SelectedBackend> {
  const objections: string[] = [];
  for (const backend of backends) {
    const capabilities = await probe(backend);
    const objection = objectionTo(capabilities, query);
    if (capabilities.available && objection === undefined) return { backend, capabilities };
    if (objection !== undefined) objections.push(`"${backend.name}": ${objection}`);
  }
  throw new SandboxUnavailableError(noBackendFits(query.command, objections));
}

function objectionTo(capabilities: Capabilities, query: BackendQuery): string | undefined {
  if (!capabilities.available) return `${capabilities.reason} (${capabilities.remedy})`;
  if (!capabilities.commands.includes(query.command)) return `runs no ${query.command} commands`;
  if (lacksImages(capabilities, query)) return "runs no images";
  if (lacksHosts(capabilities, query)) return "cannot let single hosts through";
  const limits = unenforced(capabilities, query.limits);
  return limits.length === 0 ? undefined : `cannot enforce ${limits.map((limit) => `"${limit}"`).join(", ")}`;
}

/** Code in an isolate is in no image anyway; a shell command that was to run in one finds other programs elsewhere. */
function lacksImages(capabilities: SelectedBackend["capabilities"], { command, image }: BackendQuery): boolean {
  return command === "shell" && image !== undefined && capabilities.runsImages !== true;
}

/** Code in an isolate has no network in any case. */
function lacksHosts(capabilities: SelectedBackend["capabilities"], { command, hosts = [] }: BackendQuery): boolean {
  return command === "shell" && hosts.length > 0 && capabilities.allowsHosts !== true;
}

function unenforced(capabilities: SelectedBackend["capabilities"], limits: SandboxLimits | undefined): string[] {
  const enforced: readonly string[] = capabilities.enforces;
  return Object.entries(limits ?? {})
    .filter(([limit, value]) => value !== undefined && !enforced.includes(limit))
    .map(([limit]) => limit);
}
