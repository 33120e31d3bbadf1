/*
 * A tar entry's extended header, as POSIX defines it: `length key=value\n` records in an entry of type `x`. tar-stream
 * writes these as UTF-8 text and can hold no other bytes, but a file's name may be any bytes.
 */

const BLOCK_BYTES = 512;

/** The blocks that give the next entry of an archive these attributes. */
export function encodePaxBlock(records: Readonly<Record<string, Uint8Array | string>>): Buffer {
  const body = Buffer.concat(Object.entries(records).map(([key, value]) => encodeRecord(key, Buffer.from(value))));
  return Buffer.concat([encodeHeader(body.byteLength), body, Buffer.alloc(-body.byteLength & (BLOCK_BYTES - 1))]);
}

/** The records of an extended header's body; stops at the first thing that is none. */
export function decodePaxRecords(body: Buffer): ReadonlyMap<string, Buffer> {
  const records = new Map<string, Buffer>();
  let rest = body;
  while (rest.byteLength > 0) {
    const space = rest.indexOf(" ");
    const length = Number(rest.toString("latin1", 0, Math.max(0, space)));
    const equals = rest.indexOf("=", space);
    if (space <= 0 || equals < 0 || !Number.isSafeInteger(length) || length <= equals || length > rest.byteLength)
      break;
    records.set(rest.toString("latin1", space + 1, equals), Buffer.from(rest.subarray(equals + 1, length - 1)));
    rest = rest.subarray(length);
  }
  return records;
}

/** The length counts its own digits. */
function encodeRecord(key: string, value: Buffer): Buffer {
  const tail = Buffer.concat([Buffer.from(` ${key}=`, "latin1"), value, Buffer.from("\n")]);
  let length = tail.byteLength + 1;
  while (tail.byteLength + String(length).length !== length) length = tail.byteLength + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), tail]);
}

function encodeHeader(bodyBytes: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write("PaxHeader", 0);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${bodyBytes.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        x", 148);
  header.write("ustar\u000000", 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
