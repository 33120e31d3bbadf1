/*
 * Questions and answers lie in a database between two processes. The key that signs them lies beside it, readable by its owner
 * only and never inside of any sandbox: whoever can write rows, or files elsewhere, still cannot make an approval.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { approvalKeyUnusable } from "../../errors/messages/approvals.ts";
import { StateError } from "../../errors/state-error.ts";
import { canonicalJson } from "../../schema/canonical-json.ts";

/** Signs data and tells whether a signature is right. */
export interface ApprovalKey {
  sign(data: unknown): string;
  isSigned(data: unknown, signature: string): boolean;
}

/**
 * The key of a state directory, made when it is first needed.
 * @throws StateError when the file that is there is no key, or others may read it.
 */
export function openApprovalKey(directory: string): ApprovalKey {
  const file = join(directory, KEY_FILE);
  const key = readKey(file) ?? makeKey(file);
  const sign = (data: unknown): string => createHmac("sha256", key).update(canonicalJson(data)).digest("hex");
  return {
    sign,
    isSigned: (data, signature) => {
      const expected = Buffer.from(sign(data));
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

const KEY_FILE = "approvals.key";
const KEY_BYTES = 32;

function readKey(file: string): Buffer | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const isOurs = stats.isFile() && stats.size === KEY_BYTES && stats.uid === process.getuid?.();
  if (!isOurs || (stats.mode & OTHERS) !== 0) throw new StateError(approvalKeyUnusable(file));
  return readFileSync(file);
}

/** Permissions of group and others. */
const OTHERS = 0o077;

/** Whole or not at all, and one for all: of several processes that make one at once, the first one's is taken by all. */
function makeKey(file: string): Buffer {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft);
  }
  const key = readKey(file);
  if (key === undefined) throw new StateError(approvalKeyUnusable(file));
  return key;
}
