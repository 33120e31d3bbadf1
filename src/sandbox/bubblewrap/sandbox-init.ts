import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

import { bubblewrapMessages } from "../../errors/messages/bubblewrap.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { isOwnerAlive, ownerOf, type Owner } from "../../state/owner.ts";

/*
 * Process 1 of a sandbox, as the host sees it. The kernel lets it end only after it has killed every process of its
 * namespace and has seen each of them go, whatever they did to get away from their parents. So whoever has seen this one
 * gone has seen all of them gone.
 */

/** How long a killed process may take to go, on a machine that is busy. */
const GONE_DEADLINE_MS = 30_000;
const LONGEST_PAUSE_MS = 50;

/** Process 1 of a sandbox. */
export interface SandboxInit {
  /**
   * Sends a signal to the command, the first process that process 1 made.
   * @returns `false` when it is gone
   */
  signalCommand(signal: NodeJS.Signals): Promise<boolean>;
  /** Kills all. `false` when they are gone. */
  kill(): boolean;
  /**
   * Waits until nothing is left.
   * @throws SandboxUnavailableError when something is.
   */
  gone(): Promise<void>;
}

/** Watches the process that has this number now. */
export function watchInit(pid: number): SandboxInit {
  const identity = ownerOf(pid);
  return {
    signalCommand: async (signal) => await signalCommand(identity, signal),
    kill: () => isOwnerAlive(identity) && send(pid, "SIGKILL"),
    async gone() {
      const deadlineMs = performance.now() + GONE_DEADLINE_MS;
      for (let pauseMs = 1; isOwnerAlive(identity); pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        if (performance.now() > deadlineMs) throw new SandboxUnavailableError(bubblewrapMessages.neverStopped);
        await delay(pauseMs);
      }
    },
  };
}

async function signalCommand(init: Owner, signal: NodeJS.Signals): Promise<boolean> {
  const { pid } = init;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "latin1").catch(() => "");
  for (const child of children.split(" ").filter(Boolean)) {
    if (await isCommand(child)) return isOwnerAlive(init) && send(Number(child), signal);
  }
  return false;
}

/** Orphans become children of process 1 too; the command is number 2 of its namespace. */
async function isCommand(pid: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  return /^NSpid:.*\t2$/m.test(status);
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // Gone meanwhile. What may not be signalled shows as never going.
    return false;
  }
}
