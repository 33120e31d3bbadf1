import { pathToBytes } from "../../union/path-bytes.ts";

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0b, "\\v"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x22, '\\"'],
  [0x5c, "\\\\"],
]);

/**
 * A path as git writes it with `core.quotePath`: as it is when it is plain ASCII, else in quotes with every other byte
 * escaped. So any name fits on one line of ASCII, and a name that is not UTF-8 is exact.
 */
export function quotePath(path: string): string {
  const bytes = pathToBytes(path);
  if (bytes.every((byte) => isPlain(byte))) return path;
  return `"${[...bytes].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : escape(byte))).join("")}"`;
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && !ESCAPES.has(byte);
}

function escape(byte: number): string {
  return ESCAPES.get(byte) ?? `\\${byte.toString(8).padStart(3, "0")}`;
}
