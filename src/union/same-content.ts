import type { FileHandle } from "node:fs/promises";

/** Whether two open files hold the same bytes. Memory stays bounded whatever their size. */
export async function sameContent(left: FileHandle, right: FileHandle): Promise<boolean> {
  const leftChunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const rightChunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  for (let position = 0; ; position += CHUNK_BYTES) {
    const [leftBytes, rightBytes] = await Promise.all([
      fill(left, leftChunk, position),
      fill(right, rightChunk, position),
    ]);
    if (!leftBytes.equals(rightBytes)) return false;
    if (leftBytes.length < CHUNK_BYTES) return true;
  }
}

/** Whether an open file holds exactly these bytes. */
export async function holdsContent(file: FileHandle, content: Uint8Array): Promise<boolean> {
  const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, content.length + 1));
  for (let position = 0; ; position += chunk.length) {
    const bytes = await fill(file, chunk, position);
    if (!bytes.equals(content.subarray(position, position + chunk.length))) return false;
    if (bytes.length < chunk.length) return true;
  }
}

const CHUNK_BYTES = 256 * 1024;

/** Reads until the chunk is full or the file at its end; one read may give less than there is. */
async function fill(file: FileHandle, chunk: Buffer, position: number): Promise<Buffer> {
  let filled = 0;
  while (filled < chunk.length) {
    const { bytesRead } = await file.read(chunk, filled, chunk.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return chunk.subarray(0, filled);
}
