import type { DatabaseSync } from "node:sqlite";
import type { JournalVerification } from "../contract/record.ts";
import { linkHash, readChain } from "./record-chain.ts";
import type { ChainLink, ChainState } from "./record-chain.ts";

/** Walks the chain from its old end to its new one and finds the first record that does not fit. */
export function verifyChain(database: DatabaseSync): JournalVerification {
  // One view of everything, while other processes go on appending.
  database.exec("BEGIN");
  try {
    const chain = readChain(database);
    const unchained = countUpTo(database, chain.anchor.sequence);
    const walked = walk(database, chain);
    return { ...walked, unchained };
  } finally {
    database.exec("COMMIT");
  }
}

function countUpTo(database: DatabaseSync, sequence: number): number {
  return Number(database.prepare("SELECT count(*) AS n FROM records WHERE id <= ?").get(sequence)?.["n"]);
}

// Taken apart by the status, since `Omit` would merge what the two have not in common.
type Walked = JournalVerification extends infer Each ? (Each extends unknown ? Omit<Each, "unchained"> : never) : never;

function walk(database: DatabaseSync, { anchor, head }: ChainState): Walked {
  let records = 0;
  let last: ChainLink = anchor;
  const broken = (sequence: number, problem: "altered" | "missing" | "unexpected"): Walked => ({
    status: "broken",
    records,
    sequence,
    problem,
  });
  const inOrder = database.prepare("SELECT id, body, hash FROM records WHERE id > ? ORDER BY id");
  for (const row of inOrder.iterate(anchor.sequence)) {
    const sequence = Number(row["id"]);
    if (sequence !== last.sequence + 1) return broken(last.sequence + 1, "missing");
    if (sequence > head.sequence) return broken(sequence, "unexpected");
    const hash = linkHash(last.hash, sequence, String(row["body"]));
    if (hash !== row["hash"]) return broken(sequence, "altered");
    last = { sequence, hash };
    records += 1;
  }
  if (last.sequence < head.sequence) return broken(last.sequence + 1, "missing");
  if (last.hash !== head.hash) return broken(last.sequence, "altered");
  return { status: "intact", records, ...(last.sequence === 0 ? {} : { newest: last }) };
}
