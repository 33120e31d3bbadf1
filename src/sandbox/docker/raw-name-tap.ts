import { Transform } from "node:stream";

import { decodePaxRecords } from "./pax-block.ts";

/*
 * tar-stream reads names as UTF-8 and replaces every byte that is none, so two files could become one. This passes an
 * archive through unchanged, follows its blocks, and keeps the names' bytes in the order of the entries. The archive
 * comes from the Engine, which writes POSIX headers only.
 */

const BLOCK_BYTES = 512;

/** The bytes of an entry's names, where an extended header gives them. */
export interface RawNames {
  readonly path?: Buffer;
  readonly linkPath?: Buffer;
}

/** An archive on its way through. */
export interface RawNameTap {
  readonly stream: Transform;
  /** The names of the next entry. */
  next(): RawNames;
  /** Whether the end mark of the archive has passed. */
  isComplete(): boolean;
}

/** Makes a tap for one archive. */
export function createRawNameTap(): RawNameTap {
  const names: RawNames[] = [];
  let isComplete = false;
  let pax: ReadonlyMap<string, Buffer> | undefined;
  const walk = createBlockWalk({
    onHeader(header) {
      if (header.every((byte) => byte === 0)) {
        isComplete = true;
        return { bodyBytes: 0, isKept: false };
      }
      const bodyBytes = readSize(header);
      if (header[156] === 0x78) return { bodyBytes, isKept: true };
      const path = pax?.get("path");
      const linkPath = pax?.get("linkpath");
      const size = pax?.get("size");
      pax = undefined;
      names.push({ ...(path === undefined ? {} : { path }), ...(linkPath === undefined ? {} : { linkPath }) });
      return { bodyBytes: size === undefined ? bodyBytes : Number(size.toString("latin1")), isKept: false };
    },
    onBody(body) {
      pax = decodePaxRecords(body);
    },
  });
  return {
    stream: new Transform({
      transform(chunk: Buffer, _encoding, done) {
        walk(chunk);
        done(null, chunk);
      },
    }),
    next: () => names.shift() ?? {},
    isComplete: () => isComplete,
  };
}

/** Cuts a stream of bytes into headers and bodies; only bodies that are asked for are held. */
function createBlockWalk(listener: {
  readonly onHeader: (header: Buffer) => { readonly bodyBytes: number; readonly isKept: boolean };
  readonly onBody: (body: Buffer) => void;
}): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let missingBytes = BLOCK_BYTES;
  let part: "header" | "kept-body" | "skipped-body" = "header";
  let bodyBytes = 0;
  const finishPart = (): void => {
    const whole = Buffer.concat(held);
    held = [];
    if (part === "header") {
      const next = listener.onHeader(whole);
      bodyBytes = next.bodyBytes;
      missingBytes = Math.ceil(bodyBytes / BLOCK_BYTES) * BLOCK_BYTES;
      part = next.isKept ? "kept-body" : "skipped-body";
      if (missingBytes > 0) return;
    } else if (part === "kept-body") {
      listener.onBody(whole.subarray(0, bodyBytes));
    }
    part = "header";
    missingBytes = BLOCK_BYTES;
  };
  return (chunk) => {
    let rest = chunk;
    while (rest.byteLength > 0) {
      const piece = rest.subarray(0, missingBytes);
      if (part !== "skipped-body") held.push(piece);
      missingBytes -= piece.byteLength;
      rest = rest.subarray(piece.byteLength);
      if (missingBytes === 0) finishPart();
    }
  };
}

/** Octal digits, or a binary number where the first bit is set. */
function readSize(header: Buffer): number {
  const first = header[124] ?? 0;
  if ((first & 0x80) === 0) return Number.parseInt(header.toString("latin1", 124, 135).trim() || "0", 8);
  return Number(BigInt(`0x${header.toString("hex", 128, 136)}`));
}
