import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readPdf } from "../../../src/tools/pdf/read-pdf.ts";
import { makePdf, makePdfOf } from "./make-pdf.ts";

const { signal } = new AbortController();
const options = { maxLines: 1_000, signal };

describe("readPdf()", () => {
  it("gives the lines of each page under a heading", async () => {
    const pdf = makePdf([["First (page)", "caf\u00e9"], [], ["Last"]]);
    expect(await readPdf(pdf, options)).toEqual({
      kind: "text",
      lines: ["[page 1]", "First (page)", "caf\u00e9", "[page 2]", "[page 3]", "Last"],
      readPages: 3,
      pages: 3,
      emptyPages: 1,
      stopped: undefined,
    });
  });

  it("stops at the page that has the last line that is wanted", async () => {
    const pdf = makePdf(Array.from({ length: 50 }, (_, index) => [`line of ${index}`]));
    expect(await readPdf(pdf, { ...options, maxLines: 4 })).toMatchObject({
      kind: "text",
      pages: 50,
      stopped: "lines",
    });
  });

  it.each([
    [
      "has a password",
      makePdf(
        [["secret"]],
        `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${"00".repeat(32)}> /U <${"11".repeat(32)}> >> /ID [<00> <00>]`,
      ),
      "encrypted",
    ],
    ["is no PDF behind its first bytes", Buffer.from("%PDF-1.7\nnothing more"), "broken"],
    ["is cut off", makePdf([["text"]]).subarray(0, 60), "broken"],
  ])("says so of a document that %s", async (_, pdf, reason) => {
    expect(await readPdf(pdf, options)).toEqual({ kind: "failed", reason });
  });

  it("ends a document that takes too long, and the thread with it", async () => {
    const endless = deflateSync(Buffer.alloc(40_000_000, "BT (a) Tj ET\n"));
    const pdf = makePdfOf({ streams: [{ content: endless, filter: "FlateDecode" }] });
    expect(await readPdf(pdf, { ...options, timeoutMs: 300 })).toEqual({ kind: "failed", reason: "time" });
  });

  it("ends a document that unfolds to more memory than allowed", async () => {
    const bomb = deflateSync(Buffer.alloc(100_000_000, " "));
    const pdf = makePdfOf({ streams: [{ content: bomb, filter: "FlateDecode" }] });
    expect(await readPdf(pdf, { ...options, maxMemoryBytes: 40_000_000 })).toEqual({
      kind: "failed",
      reason: "memory",
    });
  });

  it("is rejected with the reason of an abort", async () => {
    const controller = new AbortController();
    const endless = deflateSync(Buffer.alloc(40_000_000, "BT (a) Tj ET\n"));
    const pdf = makePdfOf({ streams: [{ content: endless, filter: "FlateDecode" }] });
    const reading = readPdf(pdf, { ...options, signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
  });
});
