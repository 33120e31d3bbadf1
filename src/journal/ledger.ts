/*
 * A process that dies leaves calls that had begun: whether they did what they were to do, nobody can say. So a call that may
 * change something is noted before it starts, and whoever is given the same call afterwards answers so instead of running it a
 * second time. Whether the process lives is told by its seat, never by a call's age.
 *
 * An id alone names no call, since callers may count from 1 in each conversation. The same call has the same conversation, id,
 * tool and input. Within a conversation that the caller has named, ids are unique, and a call that was answered there is given
 * its recorded result. Without a name a second call that looks the same may be a new one, so that only a call that an engine
 * died over is taken for the same.
 *
 * What is noted outlives the death of the process, which is what it is for. Whether the last milliseconds before a power
 * failure are on disk is not waited for.
 */
import type { DatabaseSync } from "node:sqlite";
import { deserialize, serialize } from "node:v8";
import type { DispatchRecord } from "../contract/record.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import { canonicalJson, sha256 } from "../schema/canonical-json.ts";
import { inTransaction } from "../state/database.ts";
import { isSeatTaken } from "../state/seat.ts";
import { copyBounded } from "./bounded-copy.ts";
import { DEFAULT_RETENTION, extendChain } from "./record-chain.ts";
import type { Retention } from "./record-chain.ts";
import { writeRecord } from "./record-text.ts";

/** A call as the ledger knows it. */
export interface LedgerCall {
  /** What `ledgerKeyOf` gives. */
  readonly key: string;
  /** Whether the caller has named the conversation, so that its ids are unique. */
  readonly isUnique: boolean;
}

/** What is known of a call that comes. */
export type LedgerFinding =
  | { readonly state: "new" }
  /** A process runs it now. */
  | { readonly state: "running" }
  /** The process that ran it died. */
  | { readonly state: "interrupted" }
  /** It was answered, with this unless that could not be kept. */
  | { readonly state: "settled"; readonly result?: ToolResult };

/** A call that has been noted and has not ended. */
export interface LedgerEntry extends Pick<LedgerCall, "isUnique"> {
  readonly id: number;
}

/** Whether a call may start: only when nothing is known of it. */
export type LedgerBeginning =
  { readonly state: "begun"; readonly entry: LedgerEntry } | Exclude<LedgerFinding, { readonly state: "new" }>;

/** Notes which calls have begun, and which have ended. */
export interface Ledger {
  /** What is known of a call. */
  find(call: LedgerCall): LedgerFinding;
  /**
   * Notes that a call begins, unless something is known of it; the note is written when this returns.
   * @param record what the journal is to say of it should this process die
   */
  begin(call: LedgerCall, record: DispatchRecord): LedgerBeginning;
  /** Notes how a call that has begun was answered. Never throws. */
  settle(entry: LedgerEntry, result: ToolResult): void;
}

/** What a ledger needs. */
export interface LedgerOptions {
  readonly database: DatabaseSync;
  /** The seat of this process. */
  readonly seatId: string;
  readonly seatsDirectory: string;
  /** Of the journal, for the records of interrupted calls. */
  readonly retention?: Retention;
}

/** Names a call with a validated input: the same text for the same call, in whichever process. */
export function ledgerKeyOf({ id, name, input }: ToolCall, conversation: string | undefined): string {
  return sha256(canonicalJson([conversation ?? null, id, name, input]));
}

/** Opens the ledger and puts the calls of dead processes into the journal, each once. */
export function openLedger(options: LedgerOptions): Ledger {
  const ledger = new DatabaseLedger(options);
  ledger.recover();
  ledger.prune();
  return ledger;
}

class DatabaseLedger implements Ledger {
  readonly #options: LedgerOptions;
  readonly #retention: Retention;
  readonly #statements: ReturnType<typeof statementsOf>;
  #begunSincePruned = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#retention = options.retention ?? DEFAULT_RETENTION;
    this.#statements = statementsOf(options.database);
  }

  find(call: LedgerCall): LedgerFinding {
    const finding = this.#lookUp(call);
    if (finding.state === "interrupted") this.recover();
    return finding;
  }

  begin(call: LedgerCall, record: DispatchRecord): LedgerBeginning {
    const { database, seatId } = this.#options;
    const text = writeRecord({ ...record, input: copyBounded(record.input) });
    if (++this.#begunSincePruned >= PRUNE_EVERY) this.prune();
    // Two processes may be given one call at the same time.
    return inTransaction(database, () => {
      const finding = this.#lookUp(call);
      if (finding.state !== "new") return finding;
      const { lastInsertRowid } = this.#statements.insert.run(call.key, seatId, text);
      return { state: "begun", entry: { id: Number(lastInsertRowid), isUnique: call.isUnique } };
    });
  }

  settle({ id, isUnique }: LedgerEntry, result: ToolResult): void {
    try {
      if (isUnique) this.#statements.settle.run(writeResult(result), id);
      else this.#statements.remove.run(id);
    } catch {
      // A full disk must not cost the call its answer. It stays noted as running, and the next process will say that it may
      // or may not have run: too careful, and never wrong.
    }
  }

  /** Marks the calls of dead processes, and writes the journal's account of them in the same transaction. */
  recover(): void {
    const { database, seatsDirectory } = this.#options;
    const owners = database.prepare("SELECT DISTINCT owner FROM call_ledger WHERE state = 'running'").all();
    const dead = owners.map(({ owner }) => String(owner)).filter((owner) => !isSeatTaken(seatsDirectory, owner));
    if (dead.length === 0) return;
    inTransaction(database, () => {
      const interrupt = database.prepare(
        "UPDATE call_ledger SET state = 'interrupted' WHERE state = 'running' AND owner = ? RETURNING record",
      );
      const records = dead.flatMap((owner) => interrupt.all(owner)).map(({ record }) => String(record));
      if (records.length > 0) extendChain(database, records, this.#retention);
    });
  }

  /** Forgets the oldest calls that are over, beyond a number and a size. */
  prune(): void {
    this.#begunSincePruned = 0;
    this.#options.database
      .prepare(
        `DELETE FROM call_ledger WHERE state <> 'running' AND id IN (
           SELECT id FROM (
             SELECT id, row_number() OVER newest_first AS place,
               sum(octet_length(record) + coalesce(octet_length(result), 0)) OVER newest_first AS bytes
             FROM call_ledger WINDOW newest_first AS (ORDER BY id DESC)
           ) WHERE place > ? OR bytes > ?
         )`,
      )
      .run(MOST_CALLS, MOST_BYTES);
  }

  #lookUp({ key, isUnique }: LedgerCall): LedgerFinding {
    const rows = this.#statements.byKey.all(key);
    if (rows.some((row) => this.#isInterrupted(row))) return { state: "interrupted" };
    const [newest] = rows;
    if (newest === undefined || !isUnique) return { state: "new" };
    if (newest["state"] === "running") return { state: "running" };
    const result = readResult(newest["result"]);
    return result === undefined ? { state: "settled" } : { state: "settled", result };
  }

  #isInterrupted({ state, owner }: Readonly<Record<string, unknown>>): boolean {
    if (state === "running") return !isSeatTaken(this.#options.seatsDirectory, String(owner));
    return state === "interrupted";
  }
}

/** What each guarded call needs; the rest is rare. */
function statementsOf(database: DatabaseSync) {
  return {
    byKey: database.prepare("SELECT state, owner, result FROM call_ledger WHERE key = ? ORDER BY id DESC"),
    insert: database.prepare("INSERT INTO call_ledger (key, state, owner, record) VALUES (?, 'running', ?, ?)"),
    settle: database.prepare("UPDATE call_ledger SET state = 'settled', result = ? WHERE id = ?"),
    remove: database.prepare("DELETE FROM call_ledger WHERE id = ?"),
  };
}

/** Calls that are remembered, and the bytes that they take. */
const MOST_CALLS = 10_000;
const MOST_BYTES = 64 * 1_048_576;
const PRUNE_EVERY = 1_000;

/** Of one result. What is longer has images or data in it; texts were shortened before. */
const MOST_RESULT_BYTES = 1_048_576;

function writeResult(result: ToolResult): Uint8Array | null {
  try {
    const bytes = serialize(result);
    return bytes.byteLength <= MOST_RESULT_BYTES ? bytes : null;
  } catch {
    // A tool may put anything into its metadata, a function too.
    return null;
  }
}

function readResult(bytes: unknown): ToolResult | undefined {
  // Only `settle` writes this column.
  return bytes instanceof Uint8Array ? (deserialize(bytes) as ToolResult) : undefined;
}
