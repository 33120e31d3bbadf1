import type { DatabaseSync } from "node:sqlite";
import { sha256 } from "../schema/canonical-json.ts";
import { inTransaction } from "../state/database.ts";

/*
 * Each record's hash covers the hash of the record before it, so that a record cannot be changed, taken out or put in
 * without every later hash ceasing to fit. The end of the chain is kept beside it, which shows that the newest records are
 * missing, and so is the place where the oldest ones were pruned, from which the chain is then checked.
 *
 * Several processes append to one database. The end of the chain is therefore read and moved inside the transaction that
 * inserts, which holds the write lock from its start.
 *
 * There is no key: whoever may write the database can also make a whole new chain. The hash of the newest record, noted
 * somewhere else from time to time, shows that too.
 */

/** How much of the journal is kept; the oldest records go first. */
export interface Retention {
  readonly records: number;
  readonly bytes: number;
}

/** What is kept where nothing else is asked for. */
export const DEFAULT_RETENTION: Retention = { records: 100_000, bytes: 64 * 1_048_576 };

/** A place in the chain. */
export interface ChainLink {
  readonly sequence: number;
  readonly hash: string;
}

/** The ends of the chain, and how much text is between them. */
export interface ChainState {
  /** What the oldest record continues from. */
  readonly anchor: ChainLink;
  readonly head: ChainLink;
  readonly bytes: number;
}

/** The hash of a record's text at its place in the chain. */
export function linkHash(before: string, sequence: number, body: string): string {
  return sha256(`${before}\n${sequence}\n${body}`);
}

/** Where the chain begins and ends now. */
export function readChain(database: DatabaseSync): ChainState {
  const row = database.prepare("SELECT * FROM record_chain").get() ?? {};
  return {
    anchor: { sequence: Number(row["anchor_id"]), hash: String(row["anchor_hash"]) },
    head: { sequence: Number(row["head_id"]), hash: String(row["head_hash"]) },
    bytes: Number(row["bytes"]),
  };
}

/** Appends the texts of records to the chain and prunes its old end, all in one transaction. */
export function appendToChain(database: DatabaseSync, bodies: readonly string[], retention: Retention): void {
  inTransaction(database, () => extendChain(database, bodies, retention));
}

/** The same inside a write transaction that the caller has begun. */
export function extendChain(database: DatabaseSync, bodies: readonly string[], retention: Retention): void {
  const appended = insertAll(database, readChain(database), bodies);
  writeChain(database, prune(database, appended, retention));
}

function insertAll(database: DatabaseSync, chain: ChainState, bodies: readonly string[]): ChainState {
  const insert = database.prepare("INSERT INTO records (id, body, hash) VALUES (?, ?, ?)");
  // A record that something else has put in keeps its place, where it will be found; ours go behind it.
  const newest = Number(database.prepare("SELECT coalesce(max(id), 0) AS id FROM records").get()?.["id"]);
  let { hash } = chain.head;
  let sequence = Math.max(chain.head.sequence, newest);
  let { bytes } = chain;
  for (const body of bodies) {
    sequence += 1;
    hash = linkHash(hash, sequence, body);
    insert.run(sequence, body, hash);
    bytes += Buffer.byteLength(body);
  }
  return { ...chain, head: { sequence, hash }, bytes };
}

function prune(database: DatabaseSync, chain: ChainState, retention: Retention): ChainState {
  const lastToGo = chain.head.sequence - retention.records;
  let { anchor, bytes } = chain;
  const remove = database.prepare("DELETE FROM records WHERE id = ?");
  const oldestFirst = database.prepare("SELECT id, hash, octet_length(body) AS size FROM records ORDER BY id");
  for (const row of oldestFirst.iterate()) {
    const sequence = Number(row["id"]);
    if (sequence > lastToGo && bytes <= retention.bytes) break;
    bytes -= Number(row["size"]);
    // What is from before the chain leaves the anchor where the chain began.
    if (sequence > chain.anchor.sequence) anchor = { sequence, hash: String(row["hash"]) };
    remove.run(sequence);
  }
  return { ...chain, anchor, bytes };
}

function writeChain(database: DatabaseSync, { anchor, head, bytes }: ChainState): void {
  database
    .prepare("UPDATE record_chain SET anchor_id = ?, anchor_hash = ?, head_id = ?, head_hash = ?, bytes = ?")
    .run(anchor.sequence, anchor.hash, head.sequence, head.hash, bytes);
}
