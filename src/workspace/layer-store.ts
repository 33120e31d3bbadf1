import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";

import type { EntryType } from "../contract/change.ts";
import type { Layer, ManifestEntry } from "../contract/layer.ts";
import { pathFromBytes, pathToBytes } from "../union/path-bytes.ts";
import type { Stamp } from "./stamp.ts";

/** A layer that is part of the workspace. */
export interface StoredLayer extends Layer {
  readonly callId: string;
  /** The order in which layers were kept. */
  readonly position: number;
}

/** A layer that is being written, by whichever process. */
export interface StoredDraft {
  readonly id: number;
  readonly callId: string;
  /** The seat of the process that writes it. */
  readonly owner: string;
}

/** The rows about layers, their manifests and their stamps. Transactions are the caller's. */
export class LayerStore {
  readonly #layersDirectory: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, layersDirectory: string) {
    this.#database = database;
    this.#layersDirectory = layersDirectory;
  }

  /** Grows with every change to the kept layers, by whichever process. */
  revision(): number {
    return Number(this.#prepare("SELECT revision FROM workspace_state").get()?.["revision"]);
  }

  /** Tells every process that the kept layers are other ones now. */
  advanceRevision(): void {
    this.#prepare("UPDATE workspace_state SET revision = revision + 1").run();
  }

  /** The directory of a layer. */
  directoryOf(id: number): string {
    return join(this.#layersDirectory, String(id));
  }

  /** The kept layers after a position, oldest first. */
  keptLayers(options: { readonly after?: number } = {}): readonly StoredLayer[] {
    const rows = this.#prepare(
      "SELECT id, call_id, position, upper FROM layers WHERE state = 'kept' AND position > ? ORDER BY position",
    ).all(options.after ?? 0);
    return rows.map((row) => {
      const id = Number(row["id"]);
      return {
        id,
        callId: String(row["call_id"]),
        position: Number(row["position"]),
        upper: join(this.directoryOf(id), String(row["upper"])),
        entries: this.#entriesOf(id),
      };
    });
  }

  /** Which layers are kept, and where their content is: tells whether a known view only has to grow. */
  keptUppers(): readonly string[] {
    return this.#prepare("SELECT id, upper FROM layers WHERE state = 'kept' ORDER BY position")
      .all()
      .map((row) => join(this.directoryOf(Number(row["id"])), String(row["upper"])));
  }

  /** Every layer that is being written. */
  drafts(): readonly StoredDraft[] {
    return this.#prepare("SELECT id, call_id, owner FROM layers WHERE state = 'draft'")
      .all()
      .map((row) => ({
        id: Number(row["id"]),
        callId: String(row["call_id"]),
        owner: String(row["owner"]),
      }));
  }

  /** Every layer's number, draft or kept. */
  layerIds(): ReadonlySet<number> {
    return new Set(
      this.#prepare("SELECT id FROM layers")
        .all()
        .map((row) => Number(row["id"])),
    );
  }

  /** Notes a layer before its directory is made; gives its number. */
  insertDraft(draft: {
    readonly callId: string;
    readonly owner: string;
    readonly begunAtMs: number;
    readonly snapshot: number;
  }): number {
    const result = this.#prepare(
      "INSERT INTO layers (call_id, state, owner, begun_at_ms, snapshot, upper) VALUES (?, 'draft', ?, ?, ?, 'upper')",
    ).run(draft.callId, draft.owner, draft.begunAtMs, draft.snapshot);
    return Number(result.lastInsertRowid);
  }

  /** Makes a draft the newest layer. */
  keepDraft(id: number, entries: readonly ManifestEntry[]): void {
    this.#prepare(
      "UPDATE layers SET state = 'kept', position = (SELECT coalesce(max(position), 0) + 1 FROM layers) WHERE id = ?",
    ).run(id);
    this.#insertEntries(id, entries);
  }

  /** Gives a kept layer another manifest, and another upper directory that holds what it says. */
  replaceContent(id: number, content: { readonly upper: string; readonly entries: readonly ManifestEntry[] }): void {
    this.#prepare("UPDATE layers SET upper = ? WHERE id = ?").run(content.upper, id);
    this.#prepare("DELETE FROM layer_entries WHERE layer_id = ?").run(id);
    this.#insertEntries(id, content.entries);
  }

  /** Forgets a layer. */
  deleteLayer(id: number): void {
    this.#prepare("DELETE FROM layers WHERE id = ?").run(id);
  }

  /** What the root had at a path when a pending layer touched it first. */
  stampOf(path: string): Stamp | undefined {
    const row = this.#prepare("SELECT stamp FROM stamps WHERE path = ?").get(pathToBytes(path));
    // Only `addStamps` writes this column.
    return row === undefined ? undefined : (JSON.parse(String(row["stamp"])) as Stamp);
  }

  /** Adds stamps; a path that has one keeps it. */
  addStamps(stamps: ReadonlyMap<string, Stamp>): void {
    const insert = this.#prepare("INSERT OR IGNORE INTO stamps (path, stamp) VALUES (?, ?)");
    for (const [path, stamp] of stamps) insert.run(pathToBytes(path), JSON.stringify(stamp));
  }

  /** Forgets the stamps of all paths but these. */
  retainStamps(paths: ReadonlySet<string>): void {
    const remove = this.#prepare("DELETE FROM stamps WHERE path = ?");
    for (const row of this.#prepare("SELECT path FROM stamps").all()) {
      const bytes = toBytes(row["path"]);
      if (!paths.has(pathFromBytes(bytes))) remove.run(bytes);
    }
  }

  #insertEntries(id: number, entries: readonly ManifestEntry[]): void {
    const insert = this.#prepare("INSERT INTO layer_entries (layer_id, path, op, type, opaque) VALUES (?, ?, ?, ?, ?)");
    for (const entry of entries) {
      const type = entry.op === "put" ? entry.type : null;
      const opaque = entry.op === "put" && entry.opaque === true ? 1 : 0;
      insert.run(id, pathToBytes(entry.path), entry.op, type, opaque);
    }
  }

  #entriesOf(id: number): readonly ManifestEntry[] {
    return this.#prepare("SELECT path, op, type, opaque FROM layer_entries WHERE layer_id = ? ORDER BY path")
      .all(id)
      .map((row): ManifestEntry => {
        const path = pathFromBytes(toBytes(row["path"]));
        if (row["op"] === "delete") return { op: "delete", path };
        // The schema checks the column.
        const type = row["type"] as EntryType;
        return row["opaque"] === 1 ? { op: "put", path, type, opaque: true } : { op: "put", path, type };
      });
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function toBytes(value: unknown): Uint8Array {
  // The schema makes each path column a BLOB.
  return value as Uint8Array;
}
