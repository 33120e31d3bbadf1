import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createFrameDecoder, encodeFrame, type Frame } from "../../src/sandbox/frame-protocol.ts";

function decode(pieces: readonly Uint8Array[], maxFrameBytes = 1_000_000): Frame[] {
  const frames: Frame[] = [];
  const decoder = createFrameDecoder({ maxFrameBytes, onFrame: (frame) => frames.push(frame) });
  for (const piece of pieces) decoder.push(piece);
  return frames;
}

describe("createFrameDecoder()", () => {
  it("gives back what encodeFrame() took, however the bytes are cut", () => {
    const frame = fc.record({ text: fc.string({ unit: "binary" }), body: fc.uint8Array({ maxLength: 50 }) });
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), cuts, (frames, cuts) => {
        const bytes = Buffer.concat(frames.map(({ text, body }) => encodeFrame({ type: "test", text }, body)));
        const pieces: Uint8Array[] = [];
        for (let offset = 0, turn = 0; offset < bytes.byteLength; turn += 1) {
          const length = cuts[turn % cuts.length]!;
          pieces.push(bytes.subarray(offset, offset + length));
          offset += length;
        }
        expect(decode(pieces).map(({ header, body }) => ({ text: header["text"], body: [...body] }))).toEqual(
          frames.map(({ text, body }) => ({ text, body: [...body] })),
        );
      }),
    );
  });

  it("keeps a lone surrogate, which stands for a byte of a name", () => {
    expect(decode([encodeFrame({ type: "test", path: "a\uDC80" })])[0]?.header["path"]).toBe("a\uDC80");
  });

  it.each([
    ["larger than the bound", [0xff, 0xff, 0xff, 0xff], "A frame of 4294967295 bytes is out of bounds"],
    ["too short for its header's length", [0, 0, 0, 3, 0, 0, 0], "A frame of 3 bytes is out of bounds"],
    ["cut short in its header", [0, 0, 0, 6, 0, 0, 0, 9, 1, 1], "The header of a frame is longer than the frame"],
    ["without a type", [0, 0, 0, 6, 0, 0, 0, 2, 0x7b, 0x7d], "The header of a frame is no object with a type"],
  ])("throws when a frame is %s", (_case, bytes, message) => {
    expect(() => decode([Uint8Array.from(bytes)])).toThrow(message);
  });
});
