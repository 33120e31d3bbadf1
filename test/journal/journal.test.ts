import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DispatchRecord } from "../../src/contract/record.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { openDatabase } from "../../src/state/database.ts";

describe("openJournal()", () => {
  let directory: string;
  let database: DatabaseSync;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-journal-"));
    database = openDatabase(join(directory, "state.sqlite"));
  });
  afterEach(async () => {
    if (database.isOpen) database.close();
    await rm(directory, { recursive: true });
  });

  it("gives back the newest records, newest first", () => {
    using journal = openJournal({ database });
    for (const callId of ["1", "2", "3"]) journal.append(record(callId));
    expect(journal.recent(2)).toEqual([record("3"), record("2")]);
  });

  it("has written everything when it is disposed", () => {
    {
      using journal = openJournal({ database });
      journal.append(record("1"));
    }
    expect(database.prepare("SELECT count(*) AS n FROM records").get()).toEqual({ n: 1 });
  });

  it("writes by itself once many records wait", () => {
    using journal = openJournal({ database });
    for (let n = 0; n < 300; n += 1) journal.append(record(String(n)));
    expect(database.prepare("SELECT count(*) AS n FROM records").get()).toEqual({ n: 256 });
  });

  it("drops the oldest records beyond the limit when it is opened", () => {
    {
      using journal = openJournal({ database });
      for (let n = 0; n < 10; n += 1) journal.append(record(String(n)));
    }
    using journal = openJournal({ database, keep: 3 });
    expect(journal.recent(100).map(({ callId }) => callId)).toEqual(["9", "8", "7"]);
  });

  it("fails no call while the database cannot be written, and says so at the end", () => {
    const journal = openJournal({ database });
    database.close();
    for (let n = 0; n < 300; n += 1) journal.append(record(String(n)));
    expect(() => journal.flush()).toThrow("database is not open");
  });
});

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
