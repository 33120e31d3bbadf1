import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { metrics, trace } from "@opentelemetry/api";
import type { Engine, EngineOptions } from "./contract/engine.ts";
import type { LayerRoom } from "./contract/layer.ts";
import type { SandboxSettings, WorkspaceLimits } from "./contract/gate.ts";
import type { SandboxBackend, SandboxLimits } from "./contract/sandbox.ts";
import { Dispatcher } from "./dispatch/dispatcher.ts";
import { createDurationMetric } from "./dispatch/duration-metric.ts";
import type { OpenSandbox } from "./dispatch/route.ts";
import type { SpillOptions } from "./dispatch/spill.ts";
import { checkEngineOptions } from "./engine-options.ts";
import { addUserRule } from "./gate/add-user-rule.ts";
import { ApprovalQueue } from "./gate/approvals/approval-queue.ts";
import { createExplainer } from "./gate/explain-call.ts";
import { Gate } from "./gate/gate.ts";
import { loadPolicy } from "./gate/load-policy.ts";
import { LivePolicy } from "./gate/live-policy.ts";
import { reviewRootPolicy, ROOT_FILE_NAME, trustFileIn } from "./gate/trusted-root-policy.ts";
import { openJournal } from "./journal/journal.ts";
import type { Journal } from "./journal/journal.ts";
import { openLedger } from "./journal/ledger.ts";
import { Breakers } from "./resilience/breakers.ts";
import { createBubblewrapBackend } from "./sandbox/bubblewrap/bubblewrap-backend.ts";
import { createDockerBackend } from "./sandbox/docker/docker-backend.ts";
import { hostsOf, parseHostRules } from "./egress/host-rule.ts";
import { createIsolateBackend } from "./sandbox/isolate/isolate-backend.ts";
import { createBackendSelector } from "./sandbox/select-backend.ts";
import type { BackendSelector } from "./sandbox/select-backend.ts";
import { createVirtualBackend } from "./sandbox/virtual/virtual-backend.ts";
import { openOutputStore } from "./state/output-store.ts";
import type { OutputStore } from "./state/output-store.ts";
import { currentOwner } from "./state/owner.ts";
import { openStateDirectory, resolveStateHome, type StateDirectory } from "./state/state-directory.ts";
import { createReadOutputTool } from "./tools/builtin/read-output.ts";
import { coreTools } from "./tools/core-tools.ts";
import { findRipgrep } from "./tools/ripgrep/find-ripgrep.ts";
import { createToolbox } from "./tools/toolbox.ts";
import type { Toolbox } from "./tools/toolbox.ts";
import { WORKSPACE_MOUNT } from "./union/normalize-path.ts";
import { openWorkspace } from "./workspace/workspace.ts";
import type { Workspace } from "./workspace/workspace.ts";

/**
 * Opens an engine on a directory. It is the only place that wires the parts; each of them takes what it needs as
 * parameters.
 *
 * @example
 * ```ts
 * await using engine = await createEngine({ root: "." });
 * const result = await engine.dispatch({ id: "1", name: "read_file", input: { path: "README.md" } });
 * ```
 * @throws ConfigurationError when the root, a policy or an option is wrong.
 * @throws ToolDefinitionError when two tools have one name.
 * @throws StateError when the state directory cannot be used.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  // Whatever can be wrong with the tools is said before anything is opened.
  checkEngineOptions(options);
  const outputs = Promise.withResolvers<OutputStore>();
  const maxCharacters = options.maxOutputCharacters ?? 30_000;
  const readOutput = createReadOutputTool({ outputs: outputs.promise, maxCharacters });
  const { tools: sources = coreTools(), allowedTools, toolSearch } = options;
  const toolbox = createToolbox({ sources, ownTools: [readOutput], allowedTools, toolSearch });
  const stateHome = options.stateHome ?? resolveStateHome(process.env);
  const state = await openStateDirectory({ root: options.root, stateHome });
  const policies = await openPolicies(options, state);
  const workspace = await openWorkspace({
    root: state.root,
    stateHome,
    hide: policies.first.hide,
    cap: capOf({ ...policies.first.workspace, ...options.workspace }),
  });
  try {
    const store = await openOutputStore({ directory: join(workspace.stateDirectory, "outputs") });
    outputs.resolve(store);
    return assemble({ options, toolbox, workspace, policies, spill: { outputs: store, maxCharacters } });
  } catch (error) {
    await workspace[Symbol.asyncDispose]();
    throw error;
  }
}

async function openPolicies({ policy, mode }: EngineOptions, { root, path }: StateDirectory): Promise<LivePolicy> {
  const trustFile = trustFileIn(path);
  const sources = {
    root,
    trustFile,
    userFile: userPolicyFile(process.env),
    ...withoutUndefined({ option: policy, mode }),
  };
  const files = [
    join(root, ROOT_FILE_NAME),
    trustFile,
    sources.userFile,
    ...(typeof policy === "string" ? [policy] : []),
  ];
  return await LivePolicy.open({ load: async () => await loadPolicy(sources), files });
}

function capOf({ maxFiles = 1_000_000, maxMb = 16_384 }: WorkspaceLimits): LayerRoom {
  return { files: maxFiles, bytes: maxMb * 1_048_576 };
}

interface Parts {
  readonly options: EngineOptions;
  readonly toolbox: Toolbox;
  readonly workspace: Workspace;
  readonly policies: LivePolicy;
  readonly spill: SpillOptions;
}

function assemble({ options, toolbox, workspace, policies, spill }: Parts): Engine {
  const settings: SandboxSettings = { ...policies.first.sandbox, ...options.sandbox };
  const selector = createBackendSelector(options.backends ?? defaultBackends(settings.image, workspace));
  selector.assertKnown(settings.backend ?? "auto");
  // Said now, and not when the first command comes.
  parseHostRules(hostsOf(settings.network));
  const journal = openJournal({ database: workspace.database });
  const { database, seatId, seatsDirectory } = workspace;
  const ledger = openLedger({ database, seatId, seatsDirectory });
  const approvals = new ApprovalQueue({
    database,
    stateDirectory: workspace.stateDirectory,
    seatsDirectory,
    seatId,
    clock: Date.now,
  });
  const gate = new Gate({
    root: workspace.root,
    policies,
    ...(options.reviewer === undefined ? {} : { reviewer: options.reviewer }),
    approvalTimeoutMs: options.approvalTimeoutMs ?? 600_000,
    clock: Date.now,
    approvals,
    addUserRule: async (rule) => await addUserRule(userPolicyFile(process.env), rule),
  });
  const dispatcher = new Dispatcher({
    registry: toolbox.registry,
    restrictions: toolbox.restrictions,
    gate,
    workspace,
    journal,
    ledger,
    tracer: trace.getTracer("cofferdam"),
    durations: createDurationMetric(() => metrics.getMeterProvider()),
    openSandbox: openerFor(selector, settings),
    findRipgrep: once(() => findRipgrep({ searchPath: process.env["PATH"], root: workspace.root })),
    backend: settings.backend ?? "auto",
    execTimeoutMs: settings.timeoutMs ?? 120_000,
    hideHostPaths: (text) => text.replaceAll(workspace.root, WORKSPACE_MOUNT).replaceAll(workspace.stateDirectory, "…"),
    clock: Date.now,
    backoff: withoutUndefined({ initialDelayMs: options.retryDelayMs }),
    spill,
    breakers: new Breakers(options.breaker ?? {}, Date.now),
    maxRepeats: options.maxRepeats ?? 3,
    onThrow: options.onThrow ?? "result",
    ...(options.ask === undefined ? {} : { ask: options.ask }),
    ...(options.hooks === undefined
      ? {}
      : { hooks: { hooks: options.hooks, timeoutMs: options.hookTimeoutMs ?? 30_000 } }),
  });
  return engineOf({ dispatcher, journal, approvals, workspace, selector, toolbox, policies });
}

interface Running {
  readonly dispatcher: Dispatcher;
  readonly journal: Journal;
  readonly approvals: ApprovalQueue;
  readonly workspace: Workspace;
  readonly selector: BackendSelector;
  readonly toolbox: Toolbox;
  readonly policies: LivePolicy;
}

function engineOf({ dispatcher, journal, approvals, workspace, selector, toolbox, policies }: Running): Engine {
  return {
    root: workspace.root,
    tools: toolbox.registry.tools,
    get offeredTools() {
      const waiting = new Set(dispatcher.readiness().flatMap(({ tool, ready }) => (ready ? [] : [tool])));
      return toolbox.offered().filter(({ name }) => !waiting.has(name));
    },
    get notices() {
      return policies.notices;
    },
    policy: {
      ...reviewRootPolicy(workspace.root, trustFileIn(workspace.stateDirectory)),
      explain: createExplainer({
        policies,
        findTool: (name) => toolbox.registry.tools.find((tool) => tool.name === name),
      }),
    },
    readiness: () => dispatcher.readiness(),
    workspace,
    approvals: {
      pending: () => approvals.pending(),
      answer: (approval, decision) => approvals.answer(approval, decision),
    },
    journal: { recent: (limit) => journal.recent(limit), verify: () => journal.verify() },
    dispatch: (call, options) => dispatcher.dispatch(call, options),
    dispatchAll: (calls, options) => dispatcher.dispatchAll(calls, options),
    land: async (selection) => await workspace.land(selection),
    undo: async (landingId) => await workspace.undo(landingId),
    landings: () => workspace.landings(),
    discard: async (selection) => await workspace.discard(selection),
    restrict: (restriction) => toolbox.restrictions.add(restriction),
    probe: async () => await selector.report(),
    [Symbol.asyncDispose]: async () => {
      await dispatcher.close();
      journal[Symbol.dispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** In the order in which `auto` tries them. */
function defaultBackends(
  image: string | undefined,
  { root, stateDirectory }: Pick<Workspace, "root" | "stateDirectory">,
): readonly SandboxBackend[] {
  return [
    createDockerBackend({ owner: currentOwner(), ...(image === undefined ? {} : { image }) }),
    createBubblewrapBackend({ place: { root, stateDirectory } }),
    createVirtualBackend(),
    createIsolateBackend(),
  ];
}

function openerFor(selector: BackendSelector, settings: SandboxSettings): OpenSandbox {
  const { memoryMb, pids, cpus, image } = settings;
  const hosts = hostsOf(settings.network);
  const limits: SandboxLimits = withoutUndefined({ memoryMb, pids, cpus });
  return async (kind, mount) => {
    const { backend, capabilities } = await selector.select({
      wanted: settings.backend ?? "auto",
      ...(image === undefined ? {} : { image }),
      command: kind,
      limits,
      hosts,
    });
    const needsMount = capabilities.workspace !== "none";
    const retained = capabilities.enforces.includes("retainedOutputBytes")
      ? { retainedOutputBytes: RETAINED_BYTES }
      : {};
    const network = capabilities.allowsHosts === true && hosts.length > 0 ? hosts : "none";
    return await backend.open(
      withoutUndefined({ limits: { ...limits, ...retained }, image, network, ...(needsMount ? { mount } : {}) }),
    );
  };
}

/** What is kept of a command's output for the file that it is spilled to; the model gets head and tail. */
const RETAINED_BYTES = 4_194_304;

/** The XDG base directory specification; relative values are to be ignored. */
function userPolicyFile(env: NodeJS.ProcessEnv): string {
  const xdg = env["XDG_CONFIG_HOME"];
  const configHome = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env["HOME"] ?? homedir(), ".config");
  return join(configHome, "cofferdam", "policy.json");
}

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => (found ??= find());
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Partial<Defined<T>> {
  // What is left has exactly the keys that were set.
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<Defined<T>>;
}
