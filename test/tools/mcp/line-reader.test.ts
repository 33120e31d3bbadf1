import * as fc from "fast-check";
import { expect, it } from "vitest";
import { LineReader } from "../../../src/tools/mcp/line-reader.ts";

it("LineReader gives the lines of a stream however it is cut into pieces", () => {
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n]/g, ""));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(40)), fc.constantFrom("\n", "\r\n"), (lines, sizes, end) => {
      const bytes = Buffer.from(lines.map((text) => `${text}${end}`).join(""));
      const reader = new LineReader(10_000);
      const read: string[] = [];
      let start = 0;
      for (const size of [...sizes, bytes.length]) {
        read.push(...reader.read(bytes.subarray(start, start + size)));
        start += size;
      }
      expect(read).toEqual(lines);
    }),
  );
});

it("LineReader throws when a line is longer than the limit, whether it ends or not", () => {
  expect(() => [...new LineReader(4).read(Buffer.from("12345\n"))]).toThrow("A line is longer than 4 bytes");
  expect(() => [...new LineReader(4).read(Buffer.from("1\n12345"))]).toThrow("A line is longer than 4 bytes");
  expect([...new LineReader(4).read(Buffer.from("1234\n1234\n"))]).toEqual(["1234", "1234"]);
});
