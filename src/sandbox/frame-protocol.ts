/*
 * How the engine and a sandbox's child process talk: frames over two one-way pipes. A frame is a JSON header with an
 * optional body of bytes, and lengths come first, so that a reader knows before it buffers anything whether a frame is
 * larger than it is ready to hold. The other side may be a guest that broke out of its interpreter: a frame that is too
 * large or that is no JSON object is an error, and what a header holds is checked by who reads it.
 *
 *     u32 length of all that follows | u32 length of the header | header | body
 */

/** The JSON part of a frame; `type` says what it is. */
export interface FrameHeader {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What came in one frame. */
export interface Frame {
  readonly header: FrameHeader;
  readonly body: Uint8Array;
}

/** The largest frame that either side sends, a whole file with room for its header. */
export const MAX_FRAME_BYTES = 33 * 1024 * 1024;

const LENGTH_BYTES = 4;
const PREFIX_BYTES = 2 * LENGTH_BYTES;

/** The bytes of one frame. */
export function encodeFrame(header: FrameHeader, body: Uint8Array = new Uint8Array()): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(LENGTH_BYTES + json.byteLength + body.byteLength, 0);
  prefix.writeUInt32BE(json.byteLength, LENGTH_BYTES);
  return Buffer.concat([prefix, json, body]);
}

/** Puts frames back together from a stream of bytes. */
export interface FrameDecoder {
  /**
   * Takes the next bytes, which must not change afterwards, and gives each frame that they complete to `onFrame`.
   * @throws Error when the other side does not keep to the protocol.
   */
  push(bytes: Uint8Array): void;
}

/** Makes a decoder that never holds more than one frame of `maxFrameBytes`. */
export function createFrameDecoder(options: {
  readonly maxFrameBytes: number;
  readonly onFrame: (frame: Frame) => void;
}): FrameDecoder {
  let pending: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let partsBytes = 0;
  let neededBytes = LENGTH_BYTES;
  return {
    push(bytes) {
      parts.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      partsBytes += bytes.byteLength;
      // Joining only once a frame is complete keeps a large one from being copied again for each piece of it.
      while (partsBytes >= neededBytes) {
        pending = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
        if (neededBytes === LENGTH_BYTES) {
          neededBytes += readLength(pending, options.maxFrameBytes);
          parts = [pending];
          continue;
        }
        const frame = decodeFrame(pending.subarray(LENGTH_BYTES, neededBytes));
        parts = [pending.subarray(neededBytes)];
        partsBytes -= neededBytes;
        neededBytes = LENGTH_BYTES;
        options.onFrame(frame);
      }
    },
  };
}

function readLength(bytes: Buffer, maxFrameBytes: number): number {
  const length = bytes.readUInt32BE(0);
  if (length < LENGTH_BYTES || length > maxFrameBytes) throw new Error(`A frame of ${length} bytes is out of bounds`);
  return length;
}

function decodeFrame(bytes: Buffer): Frame {
  const headerEnd = LENGTH_BYTES + bytes.readUInt32BE(0);
  if (headerEnd > bytes.byteLength) throw new Error("The header of a frame is longer than the frame");
  const header: unknown = JSON.parse(bytes.toString("utf8", LENGTH_BYTES, headerEnd));
  if (!isFrameHeader(header)) throw new Error("The header of a frame is no object with a type");
  return { header, body: bytes.subarray(headerEnd) };
}

function isFrameHeader(value: unknown): value is FrameHeader {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
