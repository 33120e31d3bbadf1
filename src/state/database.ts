import { DatabaseSync } from "node:sqlite";

import { databaseDamaged, databaseTooNew, databaseUnavailable } from "../errors/messages/state.ts";
import { StateError } from "../errors/state-error.ts";
import { MIGRATIONS } from "./migrations.ts";

/** SQLite result codes: the header, or the content, is not what a database has. */
const DAMAGED_CODES: ReadonlySet<number> = new Set([11, 26]);

/**
 * Opens the state database, making or migrating it as needed. Several processes may have it open.
 * @throws StateError when it is damaged, or written by a newer version.
 */
export function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 10_000, enableForeignKeyConstraints: true });
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    migrate(database, path);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof StateError) throw error;
    const message = isDamage(error) ? databaseDamaged(path) : databaseUnavailable(path);
    throw new StateError(message, { cause: error });
  }
}

/** Runs `work` in one transaction that takes the write lock at its start; an exception rolls it back. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite itself rolls back on some errors; a second ROLLBACK would hide the first error.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function migrate(database: DatabaseSync, path: string): void {
  if (readVersion(database) === MIGRATIONS.length) return;
  inTransaction(database, () => {
    // Read again under the write lock: another process may have migrated meanwhile.
    const version = readVersion(database);
    if (version > MIGRATIONS.length) {
      throw new StateError(databaseTooNew({ path, found: version, known: MIGRATIONS.length }));
    }
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && DAMAGED_CODES.has(Number(error.errcode) & 0xff);
}
