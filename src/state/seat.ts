import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/*
 * Whether the process that began something still lives decides whether that something may be removed. A process number
 * does not tell: it is reused, it counts in one process namespace only (two containers may share a state directory), and
 * a zombie has one. So each open workspace holds a lock on a small file of its own for as long as it is open. The kernel
 * lets go of the lock when the process dies, however it dies, and anyone on the same machine can try it. SQLite is used
 * for the lock alone, because Node itself has none.
 */

/** A place at a state directory, taken for as long as the process lives. */
export interface Seat extends Disposable {
  /** 32 hexadecimal digits that name the seat in rows about what its process has begun. */
  readonly id: string;
}

/** Takes a new seat. */
export function takeSeat(directory: string): Seat {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const id = randomBytes(16).toString("hex");
  const file = seatFile(directory, id);
  const lock = new DatabaseSync(file, { timeout: 0 });
  lock.exec("BEGIN EXCLUSIVE");
  return {
    id,
    [Symbol.dispose]: () => {
      lock.close();
      rmSync(file, { force: true });
    },
  };
}

/** Whether the process that took a seat still lives. */
export function isSeatTaken(directory: string, id: string): boolean {
  const file = seatFile(directory, id);
  if (!SEAT_ID.test(id) || !existsSync(file)) return false;
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return false;
  } catch {
    // Locked, or not to be asked: in doubt it is taken.
    return true;
  } finally {
    lock.close();
  }
}

/** Removes the seats of processes that are gone. The caller holds the directory's lock, so that nobody is just sitting down. */
export function clearEmptySeats(directory: string): void {
  for (const name of readdirSync(directory)) {
    const id = name.replace(/\.sqlite$/, "");
    if (SEAT_ID.test(id) && !isSeatTaken(directory, id)) rmSync(join(directory, name), { force: true });
  }
}

const SEAT_ID = /^[0-9a-f]{32}$/;

function seatFile(directory: string, id: string): string {
  return join(directory, `${id}.sqlite`);
}
