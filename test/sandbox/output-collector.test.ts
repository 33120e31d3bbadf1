import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createOutputCollector } from "../../src/sandbox/output-collector.ts";

function collect(retainedBytes: number, writes: readonly (readonly ["stdout" | "stderr", Uint8Array | string])[]) {
  const collector = createOutputCollector({ retainedBytes, floodBytes: Number.MAX_SAFE_INTEGER, onFlood() {} });
  for (const [stream, bytes] of writes) {
    collector.write(stream, typeof bytes === "string" ? Buffer.from(bytes) : bytes);
  }
  return collector.finish();
}

describe("createOutputCollector()", () => {
  it("keeps everything when it fits", () => {
    expect(
      collect(10, [
        ["stdout", "abc"],
        ["stderr", "defg"],
        ["stdout", "hij"],
      ]),
    ).toEqual({ stdout: "abchij", stderr: "defg", stdoutBytes: 6, stderrBytes: 4, truncated: false });
  });

  it("keeps head and tail around a line that says how much is missing when it does not fit", () => {
    const output = collect(10, [["stdout", `${"a".repeat(1_000_000)}${"b".repeat(234_577)}`]]);
    expect(output).toEqual({
      stdout: "aaaaa\n[... 1,234,567 bytes left out ...]\nbbbbb",
      stderr: "",
      stdoutBytes: 1_234_577,
      stderrBytes: 0,
      truncated: true,
    });
  });

  it("adds no empty line when the head ends with a line break", () => {
    expect(collect(8, [["stdout", "abc\n1234567890xyz\n"]]).stdout).toBe("abc\n[... 10 bytes left out ...]\nxyz\n");
  });

  it("gives an idle stream's share to the other", () => {
    const output = collect(10, [
      ["stdout", "0123456789abcdef"],
      ["stderr", "xy"],
    ]);
    expect([output.stdout, output.stderr]).toEqual(["0123\n[... 8 bytes left out ...]\ncdef", "xy"]);
  });

  it("shares evenly when both streams overflow", () => {
    const output = collect(8, [
      ["stdout", "0123456789"],
      ["stderr", "abcdefghij"],
    ]);
    expect([output.stdout, output.stderr]).toEqual([
      "01\n[... 6 bytes left out ...]\n89",
      "ab\n[... 6 bytes left out ...]\nij",
    ]);
  });

  it("turns bytes that are not UTF-8 into U+FFFD", () => {
    expect(collect(10, [["stdout", Uint8Array.of(0x61, 0xff, 0x62)]]).stdout).toBe("a\uFFFDb");
  });

  it("keeps no output at all when the budget is zero", () => {
    expect(collect(0, [["stdout", "abc"]]).stdout).toBe("[... 3 bytes left out ...]\n");
  });

  it("joins a character that arrives in two pieces", () => {
    const [first, second] = [Uint8Array.of(0xe2, 0x82), Uint8Array.of(0xac)];
    expect(
      collect(10, [
        ["stdout", first],
        ["stdout", second],
      ]).stdout,
    ).toBe("€");
  });

  it("calls onFlood once and forwards nothing after it", () => {
    const seen: string[] = [];
    const collector = createOutputCollector({
      retainedBytes: 100,
      floodBytes: 4,
      onOutput: (chunk) => seen.push(`${chunk.stream}:${Buffer.from(chunk.bytes).toString()}`),
      onFlood: () => seen.push("flood"),
    });
    for (const text of ["ab", "cd", "ef", "gh"]) collector.write("stdout", Buffer.from(text));
    expect(seen).toEqual(["stdout:ab", "stdout:cd", "stdout:ef", "flood"]);
    expect(collector.finish().stdoutBytes).toBe(8);
  });

  it("keeps a copy when the caller reuses its buffer", () => {
    const collector = createOutputCollector({ retainedBytes: 10, floodBytes: 100, onFlood() {} });
    const buffer = Buffer.from("ab");
    collector.write("stdout", buffer);
    buffer.fill("x");
    expect(collector.finish().stdout).toBe("ab");
  });

  it("shows the longest head and tail of whole characters that fit, whatever the pieces", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 });
    const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(text, fc.double({ min: 0, max: 0.999, noNaN: true }), lengths, (text, ratio, pieces) => {
        const bytes = Buffer.from(text);
        const budget = Math.floor(bytes.byteLength * ratio);
        const characters = Array.from(bytes.toString());
        const head = longest(characters, Math.ceil(budget / 2)).join("");
        const tail = longest(characters.toReversed(), Math.floor(budget / 2))
          .toReversed()
          .join("");
        const missing = bytes.byteLength - Buffer.byteLength(head) - Buffer.byteLength(tail);
        const lineBreak = head === "" || head.endsWith("\n") ? "" : "\n";
        expect(collect(budget, split(bytes, pieces)).stdout).toBe(
          `${head}${lineBreak}[... ${missing.toLocaleString("en-US")} bytes left out ...]\n${tail}`,
        );
      }),
      { numRuns: 500 },
    );
  });

  it("never keeps more of both streams than the budget, whatever bytes come", () => {
    const write = fc.tuple(
      fc.constantFrom("stdout" as const, "stderr" as const),
      fc.uint8Array({ minLength: 0, maxLength: 60 }),
    );
    fc.assert(
      fc.property(fc.nat({ max: 100 }), fc.array(write, { maxLength: 20 }), (budget, writes) => {
        const output = collect(budget, writes);
        const missing = [output.stdout, output.stderr].map((text) => {
          const found = /(?:^|\n)\[\.\.\. (\d+) bytes left out \.\.\.\]\n/.exec(text);
          return found === null ? 0 : Number(found[1]);
        });
        const total = output.stdoutBytes + output.stderrBytes;
        expect(total).toBe(writes.reduce((sum, [, bytes]) => sum + bytes.byteLength, 0));
        const kept = total - missing[0]! - missing[1]!;
        expect(kept).toBeLessThanOrEqual(budget);
        expect(output.truncated).toBe(kept < total);
      }),
      { numRuns: 500 },
    );
  });

  it("holds at most a few times the budget when a gigabyte passes through", () => {
    const collector = createOutputCollector({ retainedBytes: 30_000, floodBytes: Infinity, onFlood() {} });
    const piece = Buffer.alloc(1 << 20, "x");
    const before = process.memoryUsage.rss();
    for (let count = 0; count < 1024; count += 1) collector.write("stdout", piece);
    expect(collector.finish().stdoutBytes).toBe(2 ** 30);
    expect(process.memoryUsage.rss() - before).toBeLessThan(32 * 1024 * 1024);
  });
});

function split(bytes: Buffer, pieces: readonly number[]): ["stdout", Uint8Array][] {
  const writes: ["stdout", Uint8Array][] = [];
  let offset = 0;
  for (let turn = 0; offset < bytes.byteLength; turn += 1) {
    const length = pieces[turn % pieces.length]!;
    writes.push(["stdout", bytes.subarray(offset, offset + length)]);
    offset += length;
  }
  return writes;
}

function longest(characters: readonly string[], budgetBytes: number): string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (const character of characters) {
    bytes += Buffer.byteLength(character);
    if (bytes > budgetBytes) break;
    kept.push(character);
  }
  return kept;
}
