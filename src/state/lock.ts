import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

import { lockHeld } from "../errors/messages/state.ts";
import { StateError } from "../errors/state-error.ts";
import { currentOwner, formatOwner, isOwnerAlive, parseOwner } from "./owner.ts";

/**
 * The lock is an open write transaction on a database of its own. The operating system holds it, so it ends with the
 * process that took it, however that process dies: it can be neither stale nor stolen, and no age or heartbeat is
 * needed. (A lock file would need both, and both are guesses.) SQLite makes it exclusive between connections of one
 * process as well, which bare POSIX locks are not.
 *
 * Who holds it is written to a file beside it, for the message of those who wait in vain. That file decides nothing: a
 * leftover one only names a process that no longer runs, and is then not believed.
 */
const LOCK_FILE = "lock.sqlite";
const HOLDER_FILE = "lock.holder";
const SQLITE_BUSY = 5;
const POLL_MS = 5;

/**
 * Takes the one lock of a state directory, waiting for it without blocking the event loop; disposing releases it.
 * @throws StateError when somebody else held it for the whole of `waitMs`.
 */
export async function acquireLock(options: {
  readonly directory: string;
  readonly signal?: AbortSignal;
  /** @default 30_000 */
  readonly waitMs?: number;
}): Promise<AsyncDisposable> {
  const waitMs = options.waitMs ?? 30_000;
  const deadline = performance.now() + waitMs;
  const connection = new DatabaseSync(join(options.directory, LOCK_FILE), { timeout: 0 });
  const holderFile = join(options.directory, HOLDER_FILE);
  try {
    while (!tryBegin(connection)) {
      options.signal?.throwIfAborted();
      if (performance.now() >= deadline) throw new StateError(lockHeld({ waitMs, holder: readHolder(holderFile) }));
      await delay(POLL_MS, undefined, options.signal === undefined ? {} : { signal: options.signal });
    }
    writeFileSync(holderFile, formatOwner(currentOwner()), { mode: 0o600 });
  } catch (error) {
    connection.close();
    throw error;
  }
  return { [Symbol.asyncDispose]: async () => release(connection, holderFile) };
}

function release(connection: DatabaseSync, holderFile: string): void {
  if (!connection.isOpen) return;
  try {
    rmSync(holderFile, { force: true });
  } finally {
    // Closing ends the transaction, and with it the lock.
    connection.close();
  }
}

function tryBegin(connection: DatabaseSync): boolean {
  try {
    connection.exec("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && Number(error.errcode) === SQLITE_BUSY) return false;
    throw error;
  }
}

/** The pid of the holder, when the file names a process that runs. */
function readHolder(holderFile: string): number | undefined {
  try {
    const owner = parseOwner(readFileSync(holderFile, "latin1"));
    return owner !== undefined && isOwnerAlive(owner) ? owner.pid : undefined;
  } catch {
    // Not there between taking the lock and writing it, or after release: then nobody can be named.
    return undefined;
  }
}
