import type { DatabaseSync } from "node:sqlite";
import type { DispatchRecord, JournalRecord, JournalReview } from "../contract/record.ts";
import { copyBounded } from "./bounded-copy.ts";
import { readRecord } from "./read-record.ts";
import { appendToChain, DEFAULT_RETENTION } from "./record-chain.ts";
import type { Retention } from "./record-chain.ts";
import { writeRecord } from "./record-text.ts";
import { verifyChain } from "./verify-chain.ts";

/** Keeps the account of every dispatch. */
export interface Journal extends JournalReview, Disposable {
  /**
   * Takes a record, and a bounded copy of the input in it; it is on disk after the next flush. Never throws.
   */
  append(record: DispatchRecord): void;
  /**
   * Writes what has been taken so far.
   * @throws the database's own error, and keeps the records for another try.
   */
  flush(): void;
}

/** What a journal needs. */
export interface JournalOptions {
  readonly database: DatabaseSync;
  /** What is kept; the oldest records go first. @default 100,000 records of 64 MiB together */
  readonly retention?: Partial<Retention>;
}

/**
 * Opens the journal in the state database. Records are masked, hashed and written many at a time, shortly after they
 * came or when enough have come: one transaction each would make the disk the slowest part of a read tool.
 */
export function openJournal({ database, retention }: JournalOptions): Journal {
  const kept: Retention = { ...DEFAULT_RETENTION, ...retention };
  const newest = database.prepare("SELECT id, hash, body FROM records ORDER BY id DESC LIMIT ?");
  let taken: DispatchRecord[] = [];
  /** The texts of those that a flush has begun with. */
  let written: string[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    written.push(...taken.map(writeRecord));
    taken = [];
    if (written.length === 0) return;
    appendToChain(database, written, kept);
    written = [];
  };
  const flushLater = (): void => {
    try {
      flush();
    } catch {
      // A full disk must not fail the call that happened to come next. What waits is tried again with the next batch,
      // and `flush` at the end says what is wrong.
      written = written.slice(-MOST_WAITING);
    }
  };

  return {
    append: (record) => {
      taken.push({ ...record, input: copyBounded(record.input) });
      if (taken.length >= BATCH) flushLater();
      else timer ??= setTimeout(flushLater, FLUSH_AFTER_MS).unref();
    },
    flush,
    recent: (limit): readonly JournalRecord[] => {
      flush();
      return newest.all(limit).map(readRecord);
    },
    verify: () => {
      flush();
      return verifyChain(database);
    },
    [Symbol.dispose]: flush,
  };
}

const BATCH = 256;
const FLUSH_AFTER_MS = 200;

/** Records held while the database cannot be written; the oldest go first. */
const MOST_WAITING = 10_000;
