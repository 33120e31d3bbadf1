import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createFrameReader } from "../../../src/sandbox/docker/frame-reader.ts";

describe("createFrameReader()", () => {
  it("createFrameReader() gives each stream its bytes in order, wherever the connection cuts them", () => {
    const frame = fc.record({ stream: fc.constantFrom("stdout", "stderr"), bytes: fc.uint8Array({ maxLength: 40 }) });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 30 })), (frames, cuts) => {
        const received: Record<string, number[]> = { stdout: [], stderr: [] };
        const read = createFrameReader(({ stream, bytes }) => received[stream]?.push(...bytes));
        for (const piece of cut(Buffer.concat(frames.map(encode)), cuts)) read(piece);
        for (const stream of ["stdout", "stderr"]) {
          const sent = frames.filter((each) => each.stream === stream).flatMap(({ bytes }) => [...bytes]);
          expect(received[stream]).toStrictEqual(sent);
        }
      }),
    );
  });

  it("createFrameReader() passes content on before its frame is complete", () => {
    const received: string[] = [];
    const read = createFrameReader(({ bytes }) => received.push(Buffer.from(bytes).toString()));
    read(encode({ stream: "stdout", bytes: Buffer.from("half way") }).subarray(0, 12));
    expect(received).toStrictEqual(["half"]);
  });
});

function encode(frame: { readonly stream: string; readonly bytes: Uint8Array }): Buffer {
  const header = Buffer.alloc(8);
  header[0] = frame.stream === "stderr" ? 2 : 1;
  header.writeUInt32BE(frame.bytes.byteLength, 4);
  return Buffer.concat([header, frame.bytes]);
}

function* cut(bytes: Buffer, lengths: readonly number[]): Generator<Buffer> {
  let rest = bytes;
  for (const length of lengths) {
    yield rest.subarray(0, length);
    rest = rest.subarray(length);
  }
  yield rest;
}
