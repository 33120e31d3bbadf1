/**
 * The schema of `state.sqlite`, one entry per version, applied in order; an entry that has been released is never
 * edited. Paths are BLOBs, because a file name need not be UTF-8. Fingerprints and changes are JSON: they are only ever
 * read whole.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE workspace_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- Grows with every change to the kept layers, so that a reader sees in one row whether its view is still right.
    revision INTEGER NOT NULL
  ) STRICT;
  INSERT INTO workspace_state VALUES (1, 0);

  CREATE TABLE layers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    call_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('draft', 'kept')),
    owner TEXT NOT NULL,
    begun_at_ms INTEGER NOT NULL,
    -- The position of the newest layer below a draft.
    snapshot INTEGER NOT NULL,
    -- The order in which layers were kept, which is not the order in which they were begun.
    position INTEGER UNIQUE,
    -- Name of the upper directory below layers/<id>/. A rewritten layer gets a new one; none is changed after it was kept.
    upper TEXT NOT NULL
  ) STRICT;

  CREATE TABLE layer_entries (
    layer_id INTEGER NOT NULL REFERENCES layers (id) ON DELETE CASCADE,
    path BLOB NOT NULL,
    op TEXT NOT NULL CHECK (op IN ('put', 'delete')),
    type TEXT CHECK (type IN ('file', 'directory', 'symlink')),
    opaque INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (layer_id, path)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE stamps (
    path BLOB PRIMARY KEY,
    stamp TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE landings (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('land', 'undo')),
    -- The landing that an undo takes back.
    undoes TEXT REFERENCES landings (id),
    state TEXT NOT NULL CHECK (state IN ('applying', 'landed', 'undone')),
    -- 0 while staged files, backups or layers that nobody needs any more may still be there.
    cleaned INTEGER NOT NULL DEFAULT 0,
    owner TEXT NOT NULL,
    landed_at_ms INTEGER NOT NULL,
    changes TEXT NOT NULL
  ) STRICT;

  CREATE TABLE landing_steps (
    landing_id TEXT NOT NULL REFERENCES landings (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    path BLOB NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    PRIMARY KEY (landing_id, ordinal)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    body TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Covers the hash of the record before, so that none can be changed or taken out unseen. Empty: from before the chain.
  ALTER TABLE records ADD COLUMN hash TEXT NOT NULL DEFAULT '';

  CREATE TABLE record_chain (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- What the oldest record of the chain continues from: the last one that was pruned, or was there before the chain.
    anchor_id INTEGER NOT NULL,
    anchor_hash TEXT NOT NULL,
    head_id INTEGER NOT NULL,
    head_hash TEXT NOT NULL,
    -- Size of all bodies together.
    bytes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO record_chain
    SELECT 1, coalesce(max(id), 0), '', coalesce(max(id), 0), '', coalesce(sum(octet_length(body)), 0) FROM records;
  `,
  `
  CREATE TABLE call_ledger (
    id INTEGER PRIMARY KEY,
    -- SHA-256 of what makes a call this very call; no call has one to itself, since ids need not be unique.
    key TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'settled')),
    -- The seat of the process that runs it.
    owner TEXT NOT NULL,
    -- What the journal will say of it, should that process die.
    record TEXT NOT NULL,
    -- What a settled call was answered, in the form of Node's serializer; NULL when it could not be kept.
    result BLOB
  ) STRICT;
  CREATE INDEX call_ledger_by_key ON call_ledger (key);
  CREATE INDEX running_calls ON call_ledger (owner) WHERE state = 'running';
  `,
  `
  CREATE TABLE approvals (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'expired', 'withdrawn', 'gone')),
    -- The seat of the process that waits.
    owner TEXT NOT NULL,
    asked_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    -- What is asked; NULL once that is over, since an input may hold what nobody wants to keep.
    question TEXT,
    -- Of the process that asked, over id, expiry and question.
    signature TEXT NOT NULL,
    -- The decision, and the signature of whoever gave it over id, question and decision.
    answer TEXT,
    answer_signature TEXT
  ) STRICT;
  CREATE INDEX pending_approvals ON approvals (sequence) WHERE state = 'pending';
  `,
];
