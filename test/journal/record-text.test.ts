import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DispatchRecord } from "../../src/contract/record.ts";
import { copyBounded } from "../../src/journal/bounded-copy.ts";
import { writeRecord } from "../../src/journal/record-text.ts";

const record: DispatchRecord = {
  callId: "1",
  tool: "shell",
  risk: "exec",
  startedAtMs: 1_000,
  durationMs: 5,
  attempts: 1,
  outcome: "success",
};

describe("writeRecord()", () => {
  it("writes what is there and nothing else", () => {
    const full: DispatchRecord = {
      ...record,
      input: { command: "ls" },
      verdict: "the test says so",
      decidedBy: "policy",
      layer: 3,
      backend: "docker",
      termination: "exit",
      coercions: ["times: 1 was filled in"],
    };
    expect(JSON.parse(writeRecord(record))).toEqual(record);
    expect(JSON.parse(writeRecord(full))).toEqual(full);
  });

  it("masks every text", () => {
    const secret = "token=hunter2";
    const written = writeRecord({
      ...record,
      callId: secret,
      tool: secret,
      outcome: "denied",
      input: { deep: [{ command: secret }], password: "hunter2" },
      error: `it failed: ${secret}`,
      verdict: secret,
      backend: secret,
      coercions: [secret],
    });
    expect(written).not.toContain("hunter2");
    expect(JSON.parse(written)).toMatchObject({
      callId: "token=[masked]",
      error: "it failed: token=[masked]",
      input: { deep: [{ command: "token=[masked]" }], password: "[masked]" },
    });
  });

  it("shows the beginning of a long text, and never the beginning of a secret at the cut", () => {
    for (let offset = 0; offset < 120; offset += 1) {
      const command = `${"word ".repeat(180)}${"x".repeat(offset)} ${"-".repeat(10)} postgres://bob:hunter2hunter2@db`;
      const written = writeRecord({ ...record, input: copyBounded({ command }), error: command });
      expect(written).not.toContain("hunter");
    }
  });

  it("is bounded whatever it is given", () => {
    const hostileText = fc.oneof(fc.string({ maxLength: 20 }), fc.constant("\u0000".repeat(5_000)));
    const hostileInput = fc.anything({ maxDepth: 8, maxKeys: 50, withBigInt: true, key: hostileText });
    fc.assert(
      fc.property(hostileInput, hostileText, (input, text) => {
        const texts = { callId: text, tool: text, error: text, verdict: text, backend: text, termination: text };
        const coercions = Array.from({ length: 50 }, () => text);
        const written = writeRecord({ ...record, ...texts, coercions, input: copyBounded(input) });
        expect(Buffer.byteLength(written)).toBeLessThan(32_768);
      }),
      { numRuns: 200 },
    );
    const widest = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`${n}${"\u0000".repeat(90)}`, "\u0001".repeat(2_000)]),
    );
    expect(Buffer.byteLength(writeRecord({ ...record, input: copyBounded(widest) }))).toBeLessThan(32_768);
  });
});
