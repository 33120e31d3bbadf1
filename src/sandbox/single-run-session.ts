import type { BackendName, Execution, RunOptions, SandboxCommand, SandboxSession } from "../contract/sandbox.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { sessionBusy, sessionDisposed } from "../errors/messages/sandbox.ts";

/** What a session runs: `options.signal` is also aborted when the session is disposed of. */
export type SessionRunner = (command: SandboxCommand, options: RunOptions) => Promise<Execution>;

/**
 * A session that runs one command at a time, and none once it has been disposed of. Disposing cancels the command that
 * runs and waits until it is over.
 */
export function createSingleRunSession(backend: BackendName, runner: SessionRunner): SandboxSession {
  const disposal = new AbortController();
  let running: Promise<unknown> | undefined;
  return {
    backend,
    async run(command, options) {
      if (disposal.signal.aborted) throw new ConfigurationError(sessionDisposed);
      if (running !== undefined) throw new ConfigurationError(sessionBusy);
      const signals = options.signal === undefined ? [disposal.signal] : [disposal.signal, options.signal];
      const run = runner(command, { ...options, signal: AbortSignal.any(signals) });
      running = run;
      try {
        return await run;
      } finally {
        running = undefined;
      }
    },
    async [Symbol.asyncDispose]() {
      disposal.abort();
      // Whoever called run() is told how it ended.
      await Promise.allSettled([running]);
    },
  };
}
