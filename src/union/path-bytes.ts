import { isUtf8 } from "node:buffer";

import { pathError } from "../errors/messages/path.ts";

export { displayPath } from "../errors/messages/path.ts";

/*
 * A file name on Linux is bytes; a path in Cofferdam is a string, because tools, JSON and people use strings. A byte that
 * is no part of valid UTF-8 is held as the lone surrogate U+DC00 + byte, as Python's "surrogateescape" does it. Lone
 * surrogates cannot come out of valid UTF-8, so the two never collide and every name survives the way there and back.
 *
 * A string can be written by hand that spells valid UTF-8 in stray bytes; it has the same bytes as the plain spelling.
 * Whoever compares paths compares normalised ones: `normalizePath` brings both to one spelling.
 */

/**
 * The bytes of a path.
 * @throws WorkspacePathError `invalid-path` for a surrogate that stands for no byte.
 */
export function pathToBytes(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path, "utf8");
  const parts: Buffer[] = [];
  for (const character of path) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (isStrayByte(codePoint)) parts.push(Buffer.of(codePoint - STRAY_BYTE_BASE));
    else if (isSurrogate(codePoint)) throw pathError("invalid-path", { action: "use", path });
    else parts.push(Buffer.from(character, "utf8"));
  }
  return Buffer.concat(parts);
}

/** The path that has these bytes. `pathToBytes` gives exactly them back. */
export function pathFromBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString("utf8");
  let path = "";
  let validFrom = 0;
  let index = 0;
  while (index < buffer.length) {
    const length = sequenceLength(buffer, index);
    if (length === 0) {
      path += buffer.toString("utf8", validFrom, index) + String.fromCharCode(STRAY_BYTE_BASE + (buffer[index] ?? 0));
      index += 1;
      validFrom = index;
    } else {
      index += length;
    }
  }
  return path + buffer.toString("utf8", validFrom);
}

/** Whether a path's bytes are UTF-8. */
export function isUtf8Path(path: string): boolean {
  return path.isWellFormed();
}

/** The absolute path on the host of `path` below `base`, for `node:fs`: a string, or bytes where a string cannot say it. */
export function toHostPath(base: string, path: string): string | Buffer {
  const hostPath = path === "" ? base : `${base}/${path}`;
  return hostPath.isWellFormed() ? hostPath : pathToBytes(hostPath);
}

/** Orders paths by their bytes; a directory comes before what is in it. */
export function comparePaths(left: string, right: string): number {
  // The order of UTF-16 units is that of the bytes as long as no surrogate is involved.
  if (!ABOVE_SURROGATES.test(left) && !ABOVE_SURROGATES.test(right)) return left < right ? -1 : Number(left > right);
  return Buffer.compare(pathToBytes(left), pathToBytes(right));
}

const ABOVE_SURROGATES = /[\ud800-\uffff]/;
const STRAY_BYTE_BASE = 0xdc00;

function isStrayByte(codePoint: number): boolean {
  return codePoint >= 0xdc80 && codePoint <= 0xdcff;
}

function isSurrogate(codePoint: number): boolean {
  return codePoint >= 0xd800 && codePoint <= 0xdfff;
}

/** How many bytes the UTF-8 sequence at `index` has; 0 when there is no valid one (Unicode 16, table 3-7). */
function sequenceLength(bytes: Buffer, index: number): number {
  const lead = bytes[index] ?? 0;
  if (lead < 0x80) return 1;
  const length =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (length === 0 || index + length > bytes.length) return 0;
  return isUtf8(bytes.subarray(index, index + length)) ? length : 0;
}
