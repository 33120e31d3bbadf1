import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";

/*
 * In copy mode the guest works on a copy, and the root may go on changing under the engine meanwhile. What the guest did is
 * therefore found by comparing what comes back with what went in, never with the root as it is by then: a file that the
 * person put there in between was not deleted by the guest, and one that the person edited was not reverted by it.
 */

/** What the guest had at a path when it was last looked at. */
export type EntryRecord =
  | { readonly type: "directory"; readonly mode: number }
  | { readonly type: "symlink"; readonly target: string }
  | { readonly type: "file"; readonly mode: number; readonly sizeBytes: number; readonly digest: string };

/** The guest's whole tree, without its root. */
export type TreeRecord = ReadonlyMap<string, EntryRecord>;

/** Hashes a content as it passes. */
export function contentHash(): Hash {
  return createHash("sha256");
}

/** Whether two records say the same. */
export function isSameRecord(one: EntryRecord | undefined, other: EntryRecord): boolean {
  if (one === undefined || one.type !== other.type) return false;
  if (one.type === "symlink") return other.type === "symlink" && one.target === other.target;
  if (other.type === "symlink" || one.mode !== other.mode) return false;
  return one.type === "directory" || (other.type === "file" && isSameContent(one, other));
}

/** Whether two files have the same content, whatever their modes. */
export function isSameContent(one: EntryRecord | undefined, other: EntryRecord & { readonly type: "file" }): boolean {
  return one?.type === "file" && one.sizeBytes === other.sizeBytes && one.digest === other.digest;
}
