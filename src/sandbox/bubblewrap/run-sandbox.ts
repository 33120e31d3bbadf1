import { tmpdir } from "node:os";

import type { Execution, OutputChunk } from "../../contract/sandbox.ts";
import { bubblewrapMessages } from "../../errors/messages/bubblewrap.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { cancelledBeforeStart } from "../cancelled-execution.ts";
import type { ResolvedLimits } from "../command-limits.ts";
import { createCommandStopper, type CommandStopper } from "../command-stopper.ts";
import { createOutputCollector, type OutputCollector } from "../output-collector.ts";
import { createOverlayOptions, type OverlayDirectories } from "../overlay/overlay-options.ts";
import { classifyTermination } from "../termination.ts";
import { waitForEnd, waitForOutput } from "../wait-for-end.ts";
import { accountFiles } from "./account-files.ts";
import { bubblewrapArguments, type BubblewrapPlan } from "./bubblewrap-arguments.ts";
import type { CommandEnd, CommandPipe, CommandPipes } from "./command-pipes.ts";
import type { ControlGroup } from "./control-group.ts";
import { launchCommand, type LaunchPlan } from "./launch-command.ts";
import { launchSandbox, type LaunchedSandbox, type SandboxEnd } from "./launched-sandbox.ts";
import type { SandboxInit } from "./sandbox-init.ts";

/*
 * One sandbox per command. The wait is on bubblewrap, never on the command's streams: a process that keeps a pipe open dies
 * with process 1 and cannot hold the call. Only when process 1 has been seen to be gone is the layer the engine's again.
 */

/** How to run a command to its end in a sandbox of its own. */
export interface RunSandboxOptions {
  readonly plan: BubblewrapPlan;
  readonly launch: Omit<LaunchPlan, "overlay" | "processFiles">;
  /** What is mounted as the workspace, and where. */
  readonly overlay?: { readonly directories: OverlayDirectories; readonly mountPoint: string };
  readonly group?: ControlGroup;
  readonly filter: Buffer;
  readonly limits: ResolvedLimits;
  readonly pipes: CommandPipes;
  readonly timeoutMs: number;
  /** Cancels the command. */
  readonly signal: AbortSignal;
  readonly stdin?: Uint8Array;
  readonly onOutput?: (chunk: OutputChunk) => void;
}

/**
 * Makes a sandbox, runs a command in it to its end, and looks that nothing of it is left.
 * @throws SandboxUnavailableError when the sandbox, not the command, failed.
 */
export async function runSandbox(options: RunSandboxOptions): Promise<Execution> {
  if (options.signal.aborted) return cancelledBeforeStart();
  const { pipes, stdin } = options;
  const streams = {
    stdout: await pipes.openOutput(),
    stderr: await pipes.openOutput(),
    ...(stdin === undefined ? {} : { stdin: await pipes.openInput(stdin) }),
  };
  try {
    return await runWith(streams, options);
  } finally {
    for (const end of Object.values(streams)) end.handOver();
    streams.stdout.stream.destroy();
    streams.stderr.stream.destroy();
  }
}

interface Streams {
  readonly stdout: CommandPipe;
  readonly stderr: CommandPipe;
  readonly stdin?: CommandEnd;
}

async function runWith(streams: Streams, options: RunSandboxOptions): Promise<Execution> {
  const { plan, launch, overlay, group, signal } = options;
  await using mounted = overlay && (await mountOptions(overlay.directories));
  const sandbox = await launchSandbox({
    command: launchCommand({
      ...launch,
      processFiles: group?.processFiles ?? [],
      ...(overlay === undefined || mounted === undefined
        ? {}
        : { overlay: { options: mounted.text, mountPoint: overlay.mountPoint } }),
    }),
    workingDirectory: mounted?.linksDirectory ?? tmpdir(),
    files: { arguments: bubblewrapArguments(plan), filter: options.filter, ...accountFiles(plan.identity) },
    ...streams,
  });
  const init = await sandbox.ready();
  try {
    if (signal.aborted) return cancelledBeforeStart();
    const running = runCommand({ sandbox, init, streams }, options);
    // The kernel needs the links no more, and a killed engine cannot leave what is gone.
    await Promise.all([running, mounted?.[Symbol.asyncDispose]()]);
    return await running;
  } finally {
    sandbox.abandon();
    init.kill();
    await init.gone();
  }
}

async function mountOptions(directories: OverlayDirectories): ReturnType<typeof createOverlayOptions> {
  const options = await createOverlayOptions(directories, { relative: true });
  if (options !== undefined) return options;
  throw new SandboxUnavailableError(bubblewrapMessages.tooManyLayers(directories.lowers.length));
}

interface ReadySandbox {
  readonly sandbox: LaunchedSandbox;
  readonly init: SandboxInit;
  readonly streams: Streams;
}

async function runCommand({ sandbox, init, streams }: ReadySandbox, options: RunSandboxOptions): Promise<Execution> {
  const { limits } = options;
  await using stopper = createCommandStopper({
    graceMs: limits.graceMs,
    neverStopped: bubblewrapMessages.neverStopped,
    send: async (signal) => (signal === "SIGKILL" ? init.kill() : await init.signalCommand(signal)),
  });
  const collector = createOutputCollector({
    retainedBytes: limits.retainedOutputBytes,
    floodBytes: limits.floodBytes,
    onFlood: () => stopper.stop("output-limit"),
    ...(options.onOutput === undefined ? {} : { onOutput: options.onOutput }),
  });
  const drained = Promise.all([
    collect(streams.stdout, { collector, stream: "stdout" }),
    collect(streams.stderr, { collector, stream: "stderr" }),
  ]);
  const startedAt = performance.now();
  sandbox.begin();
  const end = await waitForEnd(sandbox.ended, stopper, options);
  const durationMs = performance.now() - startedAt;
  await init.gone();
  await waitForOutput(drained);
  await stopper[Symbol.asyncDispose]();
  const ending = classify(end, { stop: stopper.result(), oomKilled: (await options.group?.wasOutOfMemory()) === true });
  return { ...ending, ...collector.finish(), durationMs, survivors: 0 };
}

function collect(
  { stream: socket }: CommandPipe,
  to: { readonly collector: OutputCollector; readonly stream: OutputChunk["stream"] },
): Promise<void> {
  socket.on("data", (bytes: Buffer) => to.collector.write(to.stream, bytes));
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

type Ending = Pick<Execution, "termination" | "exitCode" | "signal">;

function classify(
  end: SandboxEnd,
  facts: { readonly stop: ReturnType<CommandStopper["result"]>; readonly oomKilled: boolean },
): Ending {
  const { stop, oomKilled } = facts;
  if (end.status !== undefined) {
    return classifyTermination({ status: end.status, oomKilled, ...(stop === undefined ? {} : { stop }) });
  }
  // bubblewrap itself was killed, and took the sandbox with it.
  if (stop !== undefined) return { termination: stop.reason, exitCode: null, signal: end.signal };
  if (end.signal !== null) return { termination: "signal", exitCode: null, signal: end.signal };
  throw new SandboxUnavailableError(bubblewrapMessages.died);
}
