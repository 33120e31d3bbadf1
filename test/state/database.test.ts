import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, expect, test } from "vitest";

import { StateError } from "../../src/errors/state-error.ts";
import { inTransaction, openDatabase } from "../../src/state/database.ts";
import { MIGRATIONS } from "../../src/state/migrations.ts";

let base = "";
let path = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "cofferdam-database-"));
  path = join(base, "state.sqlite");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test("openDatabase() makes the schema once, with a write-ahead log and foreign keys", () => {
  using first = openDatabase(path);
  first.exec("UPDATE workspace_state SET revision = 7");
  using second = openDatabase(path);
  expect(second.prepare("SELECT revision FROM workspace_state").all()).toEqual([{ revision: 7 }]);
  expect(second.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  expect(second.prepare("PRAGMA foreign_keys").get()).toEqual({ foreign_keys: 1 });
  expect(second.prepare("PRAGMA user_version").get()).toEqual({ user_version: MIGRATIONS.length });
});

test("openDatabase() refuses a database of a newer version and leaves it as it is", () => {
  openDatabase(path).close();
  const newer = new DatabaseSync(path);
  newer.exec("PRAGMA user_version = 1000");
  newer.close();

  expect(() => openDatabase(path)).toThrow(
    new StateError(
      `Cannot open state database "${path}": it has schema version 1000 and this version knows up to ${MIGRATIONS.length}; use a newer Cofferdam`,
    ),
  );
});

test("openDatabase() says that a file is damaged and does not overwrite it", () => {
  writeFileSync(path, "this was a database once ".repeat(100));
  expect(() => openDatabase(path)).toThrow(
    new StateError(
      `Cannot open state database "${path}": it is damaged or not a database; restore it, or move its directory away to start anew`,
    ),
  );
  expect(readFileSync(path, "utf8")).toBe("this was a database once ".repeat(100));
});

test("openDatabase() says that a file cannot be used when its directory is missing", () => {
  const missing = join(base, "missing", "state.sqlite");
  expect(() => openDatabase(missing)).toThrow(
    new StateError(`Cannot open state database "${missing}": the file cannot be used; check its owner and permissions`),
  );
});

test("inTransaction() keeps nothing when the work throws", () => {
  using database = openDatabase(path);
  const failure = new Error("failed");
  expect(() =>
    inTransaction(database, () => {
      database.exec("UPDATE workspace_state SET revision = 7");
      throw failure;
    }),
  ).toThrow(failure);
  expect(database.isTransaction).toBe(false);
  expect(database.prepare("SELECT revision FROM workspace_state").get()).toEqual({ revision: 0 });
});
