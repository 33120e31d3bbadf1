import type { EntryType } from "../contract/change.ts";

const OWNER_READ = 0o400;
const OWNER_READ_AND_SEARCH = 0o500;

/**
 * A mode under which this process can read back what it keeps. What its owner cannot read, an engine that is not root
 * could neither show in a review nor land, so in a layer the owner can always read; root can read anything.
 */
export function readableMode(type: EntryType, mode: number): number {
  if (process.getuid?.() === 0 || type === "symlink") return mode;
  return mode | (type === "directory" ? OWNER_READ_AND_SEARCH : OWNER_READ);
}
