import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { DispatchRecord } from "../contract/record.ts";

/** Keeps the account of every dispatch. */
export interface Journal extends Disposable {
  /** Takes a record; it is on disk after the next flush. Never throws. */
  append(record: DispatchRecord): void;
  /**
   * Writes what has been taken so far.
   * @throws the database's own error, and keeps the records for another try.
   */
  flush(): void;
  /** The newest records, newest first. */
  recent(limit: number): readonly DispatchRecord[];
}

/** What a journal needs. */
export interface JournalOptions {
  readonly database: DatabaseSync;
  /** Records that are kept; the oldest go first. @default 100_000 */
  readonly keep?: number;
}

/**
 * Opens the journal in the state database. Records are written many at a time, shortly after they came or when enough
 * have come: one transaction each would make the disk the slowest part of a read tool.
 */
export function openJournal({ database, keep = 100_000 }: JournalOptions): Journal {
  const insert = database.prepare("INSERT INTO records (body) VALUES (?)");
  const newest = database.prepare("SELECT body FROM records ORDER BY id DESC LIMIT ?");
  let waiting: DispatchRecord[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    insertAll(database, insert, waiting);
    waiting = [];
  };
  const flushLater = (): void => {
    try {
      flush();
    } catch {
      // A full disk must not fail the call that happened to come next. What waits is tried again with the next record,
      // and `flush` at the end says what is wrong.
      waiting = waiting.slice(-MOST_WAITING);
    }
  };

  prune(database, keep);
  return {
    append: (record) => {
      waiting.push(record);
      if (waiting.length >= BATCH) flushLater();
      else timer ??= setTimeout(flushLater, FLUSH_AFTER_MS).unref();
    },
    flush,
    recent: (limit) => {
      flush();
      return newest.all(limit).map(({ body }) => JSON.parse(String(body)) as DispatchRecord);
    },
    [Symbol.dispose]: flush,
  };
}

const BATCH = 256;
const FLUSH_AFTER_MS = 200;

/** Records held while the database cannot be written; the oldest go first. */
const MOST_WAITING = 10_000;

function insertAll(database: DatabaseSync, insert: StatementSync, batch: readonly DispatchRecord[]): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const record of batch) insert.run(JSON.stringify(record));
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function prune(database: DatabaseSync, keep: number): void {
  database.prepare("DELETE FROM records WHERE id <= (SELECT max(id) FROM records) - ?").run(keep);
}
