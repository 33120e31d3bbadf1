import { Bash, defineCommand } from "just-bash";

/*
 * just-bash gives what a script printed when the script has ended, and drops it when its abort signal is raised. What it
 * does hand out is the output up to the point where a limit was exceeded. So a script that is to stop is made to run into
 * a limit: the error is one of just-bash's own, thrown where the script waits.
 *
 * A script that computes without ever waiting does not hear of it, and loses its output when it is killed.
 */

/** Stops a script where it waits. */
export interface ScriptInterruption {
  /** Waits for something on the script's behalf, until the script is to stop. */
  during<T>(waited: Promise<T>): Promise<T>;
  /** Ends whatever is being waited for, now and from now on. */
  interrupt(): Promise<void>;
}

/** Makes an interruption for one script. */
export function createScriptInterruption(): ScriptInterruption {
  let reason: Error | undefined;
  const waiting = new Set<(reason: Error) => void>();
  return {
    async during(waited) {
      if (reason !== undefined) throw reason;
      const { promise: interrupted, reject } = Promise.withResolvers<never>();
      waiting.add(reject);
      try {
        return await Promise.race([waited, interrupted]);
      } finally {
        waiting.delete(reject);
      }
    },
    async interrupt() {
      reason = await createLimitError();
      for (const reject of waiting) reject(reason);
    },
  };
}

/** just-bash exports no class for it, but lets a command of ours exceed a limit, and catch what that throws. */
async function createLimitError(): Promise<Error> {
  let caught: unknown;
  const exceed = defineCommand("exceed", async (_args, { executionScope }) => {
    try {
      executionScope?.consumeLimited("stop", 1, 0);
    } catch (error) {
      caught = error;
    }
    return await Promise.resolve({ stdout: "", stderr: "", exitCode: 0 });
  });
  await new Bash({ commands: [], customCommands: [exceed] }).exec("exceed");
  if (!(caught instanceof Error)) throw new TypeError("just-bash has no limit that could be exceeded");
  // What it says of a limit is not true of a script that was stopped.
  return Object.assign(caught, { stderr: "" });
}
