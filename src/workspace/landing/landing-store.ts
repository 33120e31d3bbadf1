import type { DatabaseSync } from "node:sqlite";

import type { Change } from "../../contract/change.ts";
import { inTransaction } from "../../state/database.ts";
import { currentOwner, formatOwner } from "../../state/owner.ts";
import { isUtf8Path, pathFromBytes, pathToBytes } from "../../union/path-bytes.ts";
import type { Fingerprint } from "../fingerprint.ts";
import type { LandingStep } from "./landing-step.ts";

/** A landing or an undo, as it is remembered. */
export interface StoredLanding {
  readonly id: string;
  readonly kind: "land" | "undo";
  /** The landing that an undo takes back. */
  readonly undoes: string | undefined;
  readonly state: "applying" | "landed" | "undone";
  readonly landedAt: Date;
  readonly changes: readonly Change[];
}

/** What is noted when a landing begins. */
export type NewLanding = Pick<StoredLanding, "id" | "kind" | "undoes" | "landedAt" | "changes">;

/** The journal of landings. What decides about the root after a crash is written through to the disk. */
export class LandingStore {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Notes a landing before anything is put below the root. */
  begin(landing: NewLanding): void {
    const changes = JSON.stringify(landing.changes.map(({ pathBytes: _pathBytes, ...change }) => change));
    this.durably(() => {
      this.#database
        .prepare(
          "INSERT INTO landings (id, kind, undoes, state, owner, landed_at_ms, changes) VALUES (?, ?, ?, 'applying', ?, ?, ?)",
        )
        .run(
          landing.id,
          landing.kind,
          landing.undoes ?? null,
          formatOwner(currentOwner()),
          landing.landedAt.getTime(),
          changes,
        );
    });
  }

  /** Notes every step before the first one is done. */
  intend(id: string, steps: readonly LandingStep[]): void {
    const insert = this.#database.prepare(
      "INSERT INTO landing_steps (landing_id, ordinal, path, before, after) VALUES (?, ?, ?, ?, ?)",
    );
    this.durably(() => {
      for (const step of steps) {
        insert.run(id, step.ordinal, pathToBytes(step.path), JSON.stringify(step.before), JSON.stringify(step.after));
      }
    });
  }

  /** Marks a landing as done, inside the caller's transaction. */
  markLanded(id: string, afterwards: ReadonlyMap<number, Fingerprint>): void {
    this.#database.prepare("UPDATE landings SET state = 'landed' WHERE id = ?").run(id);
    const update = this.#database.prepare("UPDATE landing_steps SET after = ? WHERE landing_id = ? AND ordinal = ?");
    for (const [ordinal, after] of afterwards) update.run(JSON.stringify(after), id, ordinal);
  }

  /** Marks a landing as taken back, inside the caller's transaction. */
  markUndone(id: string): void {
    this.#database.prepare("UPDATE landings SET state = 'undone', cleaned = 0 WHERE id = ?").run(id);
  }

  /** Nothing is left over of it. */
  markCleaned(id: string): void {
    this.#database.prepare("UPDATE landings SET cleaned = 1 WHERE id = ?").run(id);
  }

  /** Forgets a landing that was rolled back, or an undo that is done. */
  remove(id: string): void {
    this.#database.prepare("DELETE FROM landings WHERE id = ?").run(id);
  }

  /** The steps of a landing, in path order. */
  stepsOf(id: string): readonly LandingStep[] {
    return this.#database
      .prepare("SELECT ordinal, path, before, after FROM landing_steps WHERE landing_id = ? ORDER BY ordinal")
      .all(id)
      .map((row) => ({
        ordinal: Number(row["ordinal"]),
        // The schema makes the column a BLOB.
        path: pathFromBytes(row["path"] as Uint8Array),
        before: toFingerprint(row["before"]),
        after: toFingerprint(row["after"]),
      }));
  }

  /** The landings, oldest first, without the undos. */
  landings(): readonly StoredLanding[] {
    return this.#select("WHERE kind = 'land' AND state <> 'applying'");
  }

  /** What did not get to its end. */
  unfinished(): readonly StoredLanding[] {
    return this.#select("WHERE cleaned = 0");
  }

  /** Runs a transaction that is on the disk when it returns. */
  durably(work: () => void): void {
    this.#database.exec("PRAGMA synchronous = FULL");
    try {
      inTransaction(this.#database, work);
    } finally {
      this.#database.exec("PRAGMA synchronous = NORMAL");
    }
  }

  #select(where: string): readonly StoredLanding[] {
    return this.#database
      .prepare(`SELECT id, kind, undoes, state, landed_at_ms, changes FROM landings ${where} ORDER BY sequence`)
      .all()
      .map((row) => ({
        id: String(row["id"]),
        // The schema checks both columns.
        kind: row["kind"] as StoredLanding["kind"],
        state: row["state"] as StoredLanding["state"],
        undoes: row["undoes"] === null ? undefined : String(row["undoes"]),
        landedAt: new Date(Number(row["landed_at_ms"])),
        changes: toChanges(row["changes"]),
      }));
  }
}

function toFingerprint(value: unknown): Fingerprint {
  // Only this file writes the column.
  return JSON.parse(String(value)) as Fingerprint;
}

function toChanges(value: unknown): readonly Change[] {
  // Only this file writes the column.
  const changes = JSON.parse(String(value)) as readonly Change[];
  return changes.map((change) =>
    isUtf8Path(change.path) ? change : { ...change, pathBytes: Uint8Array.from(pathToBytes(change.path)) },
  );
}
