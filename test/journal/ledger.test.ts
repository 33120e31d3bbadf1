import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DispatchRecord } from "../../src/contract/record.ts";
import type { ToolResult } from "../../src/contract/tool-result.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { ledgerKeyOf, openLedger } from "../../src/journal/ledger.ts";
import type { Ledger, LedgerCall, LedgerEntry } from "../../src/journal/ledger.ts";
import { inTransaction, openDatabase } from "../../src/state/database.ts";
import { takeSeat } from "../../src/state/seat.ts";
import type { Seat } from "../../src/state/seat.ts";

let directory: string;
let seatsDirectory: string;
let database: DatabaseSync;
let seat: Seat;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "cofferdam-ledger-"));
  seatsDirectory = join(directory, "seats");
  database = openDatabase(join(directory, "state.sqlite"));
  seat = takeSeat(seatsDirectory);
});
afterEach(async () => {
  seat[Symbol.dispose]();
  database.close();
  await rm(directory, { recursive: true });
});

const call = { id: "1", name: "deploy", input: { to: "production", dry: false } };
const unique = { key: ledgerKeyOf(call, "chat"), isUnique: true };
const loose = { key: ledgerKeyOf(call, undefined), isUnique: false };

describe("ledgerKeyOf()", () => {
  it("gives one key for one call, and another one when anything differs", () => {
    expect(ledgerKeyOf({ ...call, input: { dry: false, to: "production" } }, "chat")).toBe(unique.key);
    const others = [
      ledgerKeyOf(call, undefined),
      ledgerKeyOf(call, "other"),
      ledgerKeyOf({ ...call, id: "2" }, "chat"),
      ledgerKeyOf({ ...call, name: "test" }, "chat"),
      ledgerKeyOf({ ...call, input: { ...call.input, dry: true } }, "chat"),
    ];
    expect(new Set([unique.key, ...others]).size).toBe(6);
  });
});

describe("Ledger", () => {
  it("lets a call begin of which nothing is known", () => {
    const ledger = open();
    expect(ledger.find(unique)).toEqual({ state: "new" });
    expect(ledger.begin(unique, record)).toEqual({ state: "begun", entry: { id: 1, isUnique: true } });
  });

  it("says that a call is running, when its conversation is named", () => {
    const ledger = open();
    begin(ledger, unique);
    expect(ledger.find(unique)).toEqual({ state: "running" });
    expect(ledger.begin(unique, record)).toEqual({ state: "running" });
  });

  it("gives the result of a call that was answered, when its conversation is named", () => {
    const ledger = open();
    const pathBytes = new Uint8Array([0xff, 0x61]);
    const changes = [{ path: "a", kind: "added", type: "file", callId: "1", pathBytes }] as const;
    const answered: ToolResult = { ...result, changes };
    ledger.settle(begin(ledger, unique), answered);
    expect(ledger.find(unique)).toEqual({ state: "settled", result: answered });
    expect(ledger.begin(unique, record)).toEqual({ state: "settled", result: answered });
    expect(open().find(unique)).toEqual({ state: "settled", result: answered });
  });

  it("takes nothing for the same call, and keeps nothing, when the conversation is not named and the call has ended", () => {
    const ledger = open();
    const first = begin(ledger, loose);
    expect(ledger.find(loose)).toEqual({ state: "new" });
    const second = begin(ledger, loose);
    for (const entry of [first, second]) ledger.settle(entry, result);
    expect(rows()).toEqual([]);
  });

  it.each([
    ["that holds what cannot be copied", { log: () => undefined }],
    ["of more than 1 MiB", { image: "x".repeat(1_100_000) }],
  ])("does not keep a result %s, and knows that there was one", (_what, metadata) => {
    const ledger = open();
    ledger.settle(begin(ledger, unique), { ...result, metadata });
    expect(ledger.find(unique)).toEqual({ state: "settled" });
  });

  it.each([
    ["named", unique],
    ["not named", loose],
  ])("never lets a call begin again over which a process died, its conversation being %s", (_what, noted) => {
    const dying = takeSeat(seatsDirectory);
    begin(open(dying), noted);
    dying[Symbol.dispose]();
    const ledger = open();
    expect(ledger.find(noted)).toEqual({ state: "interrupted" });
    expect(ledger.begin(noted, record)).toEqual({ state: "interrupted" });
    expect(rows()).toEqual([{ state: "interrupted" }]);
  });

  it("puts a dead process's calls into the journal once, masked, when it is opened or asked", () => {
    const living = open();
    const dying = takeSeat(seatsDirectory);
    begin(open(dying), unique, { ...record, input: { password: "hunter2" } });
    begin(living, loose);
    dying[Symbol.dispose]();
    for (const ledger of [living, open(), living]) expect(ledger.find(unique)).toEqual({ state: "interrupted" });
    using journal = openJournal({ database });
    expect(journal.recent(9)).toEqual([
      { ...record, input: { password: "[masked]" }, sequence: 1, hash: expect.any(String) as string },
    ]);
    expect(journal.verify()).toMatchObject({ status: "intact", records: 1 });
    expect(rows()).toEqual([{ state: "interrupted" }, { state: "running" }]);
  });

  it("forgets the oldest calls that are over, and no call that is running", () => {
    const ledger = open();
    begin(ledger, loose);
    const insert = database.prepare(
      "INSERT INTO call_ledger (key, state, owner, record, result) VALUES ('', 'settled', '', ?, zeroblob(?))",
    );
    inTransaction(database, () => {
      for (let n = 0; n < 10_005; n += 1) insert.run(String(n), 1);
    });
    open();
    expect(database.prepare("SELECT record FROM call_ledger WHERE state = 'settled' LIMIT 1").get()).toEqual({
      record: "5",
    });
    expect(rows()).toHaveLength(10_001);
    for (const name of ["older", "newer"]) insert.run(name, 40 * 1_048_576);
    open();
    expect(rows()).toEqual([{ state: "running" }, { state: "settled" }]);
  });

  it("answers a call although its end cannot be noted, and is too careful about it later", () => {
    const ledger = open();
    const entry = begin(ledger, unique);
    database.exec("PRAGMA query_only = 1");
    ledger.settle(entry, result);
    database.exec("PRAGMA query_only = 0");
    expect(ledger.find(unique)).toEqual({ state: "running" });
    expect(() => {
      database.exec("PRAGMA query_only = 1");
      ledger.begin({ ...unique, key: "other" }, record);
    }).toThrow("attempt to write a readonly database");
  });
});

const record: DispatchRecord = {
  callId: "1",
  tool: "deploy",
  risk: "exec",
  startedAtMs: 1_000,
  durationMs: 0,
  attempts: 1,
  outcome: "internal",
};

const result: ToolResult = {
  callId: "1",
  tool: "deploy",
  success: true,
  output: "done",
  content: [{ type: "text", text: "done" }],
  metadata: { exitCode: 0 },
  changes: [],
  attempts: 1,
  durationMs: 3,
};

function open(owner: Seat = seat): Ledger {
  return openLedger({ database, seatId: owner.id, seatsDirectory });
}

function begin(ledger: Ledger, noted: LedgerCall, account = record): LedgerEntry {
  const beginning = ledger.begin(noted, account);
  if (beginning.state !== "begun") throw new Error(`It did not begin: ${beginning.state}`);
  return beginning.entry;
}

function rows(): unknown {
  return database.prepare("SELECT state FROM call_ledger ORDER BY id").all();
}
