import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DispatchRecord } from "../../src/contract/record.ts";
import { StateError } from "../../src/errors/state-error.ts";
import { openJournal } from "../../src/journal/journal.ts";
import type { JournalOptions } from "../../src/journal/journal.ts";
import { openDatabase } from "../../src/state/database.ts";
import { MIGRATIONS } from "../../src/state/migrations.ts";

const APPEND_RECORDS = fileURLToPath(new URL("fixtures/append-records.ts", import.meta.url));

let directory: string;
let path: string;
let database: DatabaseSync;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "cofferdam-journal-"));
  path = join(directory, "state.sqlite");
  database = openDatabase(path);
});
afterEach(async () => {
  if (database.isOpen) database.close();
  await rm(directory, { recursive: true });
});

describe("openJournal()", () => {
  it("gives back the newest records, newest first, with their place and hash", () => {
    using journal = openJournal({ database });
    for (const callId of ["1", "2", "3"]) journal.append(record(callId));
    expect(journal.recent(2)).toEqual([
      { ...record("3"), sequence: 3, hash: hashAt(3) },
      { ...record("2"), sequence: 2, hash: hashAt(2) },
    ]);
    expect(hashAt(3)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("has written everything when it is disposed", () => {
    fill({}, 1);
    expect(count()).toBe(1);
  });

  it("writes by itself once many records wait", () => {
    using journal = openJournal({ database });
    for (let n = 0; n < 300; n += 1) journal.append(record(String(n)));
    expect(count()).toBe(256);
  });

  it("keeps the input as it was when the call ended", () => {
    using journal = openJournal({ database });
    const input = { path: "a" };
    journal.append({ ...record("1"), input });
    input.path = "b";
    expect(journal.recent(1)).toMatchObject([{ input: { path: "a" } }]);
  });

  it("masks secrets before anything reaches the disk", () => {
    using journal = openJournal({ database });
    journal.append({ ...record("1"), input: { command: "login --token hunter2" }, error: "PASSWORD=hunter2 is wrong" });
    journal.flush();
    expect(JSON.stringify(database.prepare("SELECT * FROM records").all())).not.toContain("hunter2");
    expect(journal.recent(1)).toMatchObject([
      { input: { command: "login --token [masked]" }, error: "PASSWORD=[masked] is wrong" },
    ]);
  });

  it("drops the oldest records beyond the number that is kept", () => {
    using journal = fill({ retention: { records: 3 } }, 10);
    expect(journal.recent(100).map(({ callId }) => callId)).toEqual(["9", "8", "7"]);
  });

  it("drops the oldest records beyond the size that is kept, and goes on counting after it was opened again", () => {
    const size = JSON.stringify(record("0")).length;
    fill({}, 6);
    using journal = fill({ retention: { bytes: 4 * size } }, 2);
    expect(journal.recent(100).map(({ sequence }) => sequence)).toEqual([8, 7, 6, 5]);
    expect(database.prepare("SELECT bytes FROM record_chain").get()).toEqual({ bytes: 4 * size });
  });

  it("fails no call while the database cannot be written, and says so at the end", () => {
    const journal = openJournal({ database });
    database.close();
    for (let n = 0; n < 300; n += 1) journal.append(record(String(n)));
    expect(() => journal.flush()).toThrow("database is not open");
  });

  it("writes what could not be written at the next chance, once", () => {
    using journal = openJournal({ database });
    using other = new DatabaseSync(path);
    database.exec("PRAGMA busy_timeout = 0");
    other.exec("BEGIN IMMEDIATE");
    for (let n = 0; n < 256; n += 1) journal.append(record(String(n)));
    other.exec("ROLLBACK");
    journal.flush();
    expect(journal.verify()).toMatchObject({ status: "intact", records: 256 });
  });

  it.each(["no json", "[]", '{"callId":"1"}', '{"callId":"1","tool":"x","outcome":"success","startedAtMs":1e300}'])(
    "says which record cannot be read when its text is %s",
    (body) => {
      using journal = fill({}, 2);
      database.prepare("UPDATE records SET body = ? WHERE id = 1").run(body);
      expect(() => journal.recent(2)).toThrow(
        new StateError(
          'Cannot read record 1 of the journal: its text is damaged; "cofferdam log --verify" says where the damage begins',
        ),
      );
    },
  );
});

describe("Journal.verify()", () => {
  it("finds nothing in an empty journal", () => {
    expect(openJournal({ database }).verify()).toEqual({ status: "intact", records: 0, unchained: 0 });
  });

  it("says how many records fit, and the hash of the newest", () => {
    const newest = { sequence: 5, hash: expect.any(String) as string };
    expect(fill({}, 5).verify()).toEqual({ status: "intact", records: 5, unchained: 0, newest });
    expect(fill({}, 0).verify()).toMatchObject({ newest: { hash: hashAt(5) } });
  });

  it("still fits after pruning, and when everything was pruned", () => {
    expect(fill({ retention: { records: 3 } }, 10).verify()).toMatchObject({
      status: "intact",
      records: 3,
      newest: { sequence: 10 },
    });
    using empty = fill({ retention: { records: 0 } }, 1);
    expect(empty.verify()).toMatchObject({ status: "intact", records: 0, newest: { sequence: 11 } });
    expect(fill({}, 2).verify()).toMatchObject({ status: "intact", records: 2, newest: { sequence: 13 } });
  });

  it.each([
    ["a record was changed", "UPDATE records SET body = replace(body, 'grep', 'glob') WHERE id = 4", 4, "altered"],
    ["the oldest record was changed", "UPDATE records SET body = body || ' ' WHERE id = 3", 3, "altered"],
    ["the newest record was changed", "UPDATE records SET body = body || ' ' WHERE id = 7", 7, "altered"],
    ["a hash was changed", "UPDATE records SET hash = '' WHERE id = 5", 5, "altered"],
    ["a record was removed", "DELETE FROM records WHERE id = 5", 5, "missing"],
    ["the oldest record was removed", "DELETE FROM records WHERE id = 3", 3, "missing"],
    ["the newest records were removed", "DELETE FROM records WHERE id > 5", 6, "missing"],
    ["all records were removed", "DELETE FROM records", 3, "missing"],
    ["a record was added", "INSERT INTO records SELECT 8, body, hash FROM records WHERE id = 7", 8, "unexpected"],
    [
      "two records changed places",
      "UPDATE records SET id = 99 WHERE id = 4; UPDATE records SET id = 4 WHERE id = 5; UPDATE records SET id = 5 WHERE id = 99",
      4,
      "altered",
    ],
  ])("finds the first record that does not fit when %s", (...[, sql, sequence, problem]) => {
    // Pruned, so that the chain does not begin with the first record there ever was.
    using journal = fill({ retention: { records: 5 } }, 7);
    database.exec(sql);
    expect(journal.verify()).toEqual({ status: "broken", records: sequence - 3, unchained: 0, sequence, problem });
  });

  it("goes on behind a record that something else has put in, and still finds it", () => {
    fill({}, 2);
    database.exec("INSERT INTO records (body) SELECT body FROM records WHERE id = 1");
    using journal = fill({}, 2);
    expect(count()).toBe(5);
    expect(journal.verify()).toMatchObject({ status: "broken", records: 2, sequence: 3, problem: "altered" });
  });

  it("takes the records of a database from before the chain for what they are", () => {
    database.close();
    path = join(directory, "old.sqlite");
    using old = new DatabaseSync(path);
    for (const migration of MIGRATIONS.slice(0, 2)) old.exec(migration);
    old.exec("PRAGMA user_version = 2");
    for (const callId of ["a", "b"])
      old.prepare("INSERT INTO records (body) VALUES (?)").run(JSON.stringify(record(callId)));
    database = openDatabase(path);
    using journal = fill({}, 3);
    expect(journal.recent(4).map(({ callId }) => callId)).toEqual(["2", "1", "0", "b"]);
    expect(journal.verify()).toMatchObject({ status: "intact", records: 3, unchained: 2, newest: { sequence: 5 } });
    using pruning = fill({ retention: { records: 4 } }, 1);
    expect(pruning.verify()).toMatchObject({ status: "intact", records: 4, unchained: 0, newest: { sequence: 6 } });
  });

  it("finds one chain when several processes append at the same time", async () => {
    const append = promisify(execFile);
    const names = ["a", "b", "c"];
    await Promise.all(names.map((name) => append(process.execPath, [APPEND_RECORDS, path, name, "40"])));
    using journal = openJournal({ database });
    expect(journal.verify()).toMatchObject({ status: "intact", records: 120 });
    const callIds = journal.recent(200).map(({ callId }) => callId);
    for (const name of names) {
      const own = callIds.filter((callId) => callId.startsWith(name)).toReversed();
      expect(own).toEqual(Array.from({ length: 40 }, (_, n) => `${name}-${n}`));
    }
  });
});

/** A journal with so many more records; they are written already. */
function fill(options: Omit<JournalOptions, "database">, records: number) {
  const journal = openJournal({ database, ...options });
  for (let n = 0; n < records; n += 1) journal.append(record(String(n)));
  journal.flush();
  return journal;
}

function count(): unknown {
  return database.prepare("SELECT count(*) AS n FROM records").get()?.["n"];
}

function hashAt(sequence: number): unknown {
  return database.prepare("SELECT hash FROM records WHERE id = ?").get(sequence)?.["hash"];
}

function record(callId: string): DispatchRecord {
  return {
    callId,
    tool: "grep",
    risk: "read",
    startedAtMs: 1_000,
    durationMs: 5,
    attempts: 1,
    outcome: "success",
    verdict: "the test says so",
  };
}
