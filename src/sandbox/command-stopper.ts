import { SandboxUnavailableError } from "../errors/sandbox-unavailable-error.ts";
import type { EndedCommand, StopReason } from "./termination.ts";

/** How long a sandbox may take to end after SIGKILL. */
const KILL_DEADLINE_MS = 30_000;

/** Stops one command at most once; the first reason counts. */
export interface CommandStopper extends AsyncDisposable {
  /** Asks the command to stop and kills it after the grace time; `output-limit` kills at once. */
  stop(reason: StopReason): void;
  /** Rejects when it cannot be stopped; never resolves. */
  readonly failed: Promise<never>;
  /** What was done; complete once disposed of. */
  result(): EndedCommand["stop"];
}

/** How to make a stopper. */
export interface CommandStopperOptions {
  readonly graceMs: number;
  /** SIGTERM is for the command, SIGKILL for the whole sandbox. `false` when the command was faster and is gone. */
  readonly send: (signal: "SIGTERM" | "SIGKILL") => Promise<boolean>;
  /** Says that the sandbox is still there after SIGKILL. */
  readonly neverStopped: string;
}

/** Makes a stopper for a command that has been started. */
export function createCommandStopper(options: CommandStopperOptions): CommandStopper {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  // Nobody waits for it once the command has ended.
  failed.catch(() => undefined);
  let reason: StopReason | undefined;
  let delivered: "SIGTERM" | "SIGKILL" | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  const send = async (signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    try {
      if (await options.send(signal)) delivered = signal;
    } catch (error) {
      reject(error);
    }
  };
  const kill = (): void => {
    sending = sending.then(() => send("SIGKILL"));
    timer = setTimeout(() => reject(new SandboxUnavailableError(options.neverStopped)), KILL_DEADLINE_MS);
  };
  return {
    failed,
    stop(wanted) {
      if (reason !== undefined) return;
      reason = wanted;
      if (wanted === "output-limit") return kill();
      sending = send("SIGTERM");
      timer = setTimeout(kill, options.graceMs);
    },
    result: () => (reason === undefined ? undefined : { reason, ...(delivered === undefined ? {} : { delivered }) }),
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await sending;
      clearTimeout(timer);
    },
  };
}
