import { exitCodeOfSignal } from "./exit-code.ts";
import { stopping } from "../errors/messages/cli.ts";
import { notify } from "./terminal/notify.ts";
import type { OutputStream } from "./terminal/output-stream.ts";

/** Tells when the person, the system or a closed pipe wants a call to end. */
export interface Interruption extends Disposable {
  /** Goes to the dispatch. */
  readonly signal: AbortSignal;
  /** What interrupted; a reader that went away counts as `SIGPIPE`. */
  readonly cause: () => NodeJS.Signals | undefined;
  /** Interrupts, as if the signal had come. */
  interrupt(cause: NodeJS.Signals): void;
}

/** The part of `process` that signals come from. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number): void;
}

/**
 * Turns the first signal into an abort, so that the dispatch is settled and its sandbox gone before we end. A second one,
 * whichever it is, means that nobody will wait: we leave at once, and the next start removes what is left.
 */
export function watchInterruption(
  source: SignalSource,
  streams: { readonly out: OutputStream; readonly err: OutputStream },
): Interruption {
  const controller = new AbortController();
  let cause: NodeJS.Signals | undefined;
  const interrupt = (by: NodeJS.Signals) => {
    cause ??= by;
    controller.abort();
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (cause === undefined) notify(streams.err, stopping(signal));
    else source.exit(exitCodeOfSignal(signal));
    interrupt(signal);
  };
  const onBroken = () => interrupt("SIGPIPE");
  for (const signal of WATCHED) source.on(signal, onSignal);
  streams.out.broken.addEventListener("abort", onBroken);
  return {
    signal: controller.signal,
    cause: () => cause,
    interrupt,
    [Symbol.dispose]() {
      for (const signal of WATCHED) source.off(signal, onSignal);
      streams.out.broken.removeEventListener("abort", onBroken);
    },
  };
}

const WATCHED = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
