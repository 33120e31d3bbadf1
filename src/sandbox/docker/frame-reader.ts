import type { OutputChunk } from "../../contract/sandbox.ts";

/** A frame's header: the stream's number, three zeros, the length of what follows as 32 bits. */
const HEADER_BYTES = 8;

/**
 * Takes apart the one stream in which the Engine sends stdout and stderr. Content is passed on as it comes, also in the
 * middle of a frame, so that nothing is ever held but a header.
 * @returns a function that takes the next bytes.
 */
export function createFrameReader(onContent: (chunk: OutputChunk) => void): (bytes: Uint8Array) => void {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let missingBytes = 0;
  return (bytes) => {
    let rest = bytes;
    while (rest.byteLength > 0) {
      if (missingBytes > 0) {
        const content = rest.subarray(0, missingBytes);
        onContent({ stream: header[0] === 2 ? "stderr" : "stdout", bytes: content });
        missingBytes -= content.byteLength;
        rest = rest.subarray(content.byteLength);
      } else {
        const part = rest.subarray(0, HEADER_BYTES - headerBytes);
        header.set(part, headerBytes);
        headerBytes += part.byteLength;
        rest = rest.subarray(part.byteLength);
        if (headerBytes < HEADER_BYTES) continue;
        headerBytes = 0;
        missingBytes = header.readUInt32BE(4);
      }
    }
  };
}
