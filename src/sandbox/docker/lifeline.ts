import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

import type { Owner } from "../../state/owner.ts";
import { formatOwner } from "../../state/owner.ts";

/*
 * A container lives in the Engine, so it outlives a killed engine: `kill -9` gives nobody a chance to clean up, and the next
 * start, which looks for orphans, may never come. So while a session is open a small process of its own session and
 * process group holds the other end of a pipe. The kernel closes the pipe when this process is gone, however it went, and
 * the small one then removes everything that carries our name. Nothing in the guest can reach it, which is why
 * it is not a watchdog inside the container.
 *
 * It stays for a while after the last session, because the next one usually follows at once.
 */

/** Keeps the watching process while it is held. */
export interface Lifeline {
  hold(): void;
  release(): void;
}

/** How to make a lifeline. */
export interface LifelineOptions {
  readonly owner: Owner;
  readonly dockerHost?: string;
  /** @default 20_000 */
  readonly lingerMs?: number;
}

/** Makes a lifeline; the process starts when it is first held. */
export function createLifeline(options: LifelineOptions): Lifeline {
  const lingerMs = options.lingerMs ?? 20_000;
  let holders = 0;
  let watcher: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    hold() {
      holders += 1;
      clearTimeout(timer);
      if (watcher === undefined || watcher.exitCode !== null || watcher.signalCode !== null) {
        watcher = startWatcher(options);
      }
    },
    release() {
      holders -= 1;
      if (holders > 0) return;
      timer = setTimeout(() => {
        // The word that says: nothing is left, do not look.
        watcher?.stdin?.end(ORDERLY_END);
        watcher = undefined;
      }, lingerMs);
      timer.unref();
    },
  };
}

/** What the watching process reads when there is nothing to clean up. */
export const ORDERLY_END = "end";

/** What dockerode reads from the environment, and what a program needs to run at all. */
const PASSED_ON = [
  "PATH",
  "HOME",
  "SystemRoot",
  "SSH_AUTH_SOCK",
  "DOCKER_HOST",
  "DOCKER_TLS_VERIFY",
  "DOCKER_CERT_PATH",
  "DOCKER_PATH_PREFIX",
  "DOCKER_CLIENT_TIMEOUT",
];

function startWatcher(options: LifelineOptions): ChildProcess {
  const program = fileURLToPath(import.meta.url).replace(/lifeline(\.[jt]s)$/, "lifeline-process$1");
  const environment = Object.fromEntries(
    PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const watcher = spawn(process.execPath, [program, formatOwner(options.owner), options.dockerHost ?? ""], {
    detached: true,
    cwd: "/",
    env: environment,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without it the next start cleans up, as after a crash of the machine.
  watcher.on("error", () => undefined);
  watcher.stdin?.on("error", () => undefined);
  watcher.unref();
  // The pipe of a child is a socket, whose type here is that of any writable stream.
  if (watcher.stdin !== null && "unref" in watcher.stdin && typeof watcher.stdin.unref === "function") {
    watcher.stdin.unref();
  }
  return watcher;
}
