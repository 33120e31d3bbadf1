import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { openOutputStream, paint } from "../../../src/cli/terminal/output-stream.ts";
import { Recorder } from "../test-context.ts";

describe("openOutputStream()", () => {
  it.each([
    ["a terminal", { isTTY: true, environment: {} }, true],
    ["a pipe", { isTTY: false, environment: {} }, false],
    ["a terminal with NO_COLOR", { isTTY: true, environment: { NO_COLOR: "1" } }, false],
    ["a terminal with an empty NO_COLOR", { isTTY: true, environment: { NO_COLOR: "" } }, true],
    ["a terminal that shows none", { isTTY: true, environment: { TERM: "dumb" } }, false],
    ["a pipe with FORCE_COLOR", { isTTY: false, environment: { FORCE_COLOR: "1" } }, true],
    ["a terminal with FORCE_COLOR=0", { isTTY: true, environment: { FORCE_COLOR: "0" } }, false],
    [
      "both variables, of which FORCE_COLOR counts",
      { isTTY: false, environment: { FORCE_COLOR: "", NO_COLOR: "1" } },
      true,
    ],
  ])("decides on colour for %s", (_what, { isTTY, environment }, hasColour) => {
    const stream = openOutputStream(new Recorder(isTTY), environment);
    expect({ isTerminal: stream.isTerminal, hasColour: stream.hasColour }).toEqual({ isTerminal: isTTY, hasColour });
    expect(paint(stream, "good", "x")).toBe(hasColour ? "\u001B[32mx\u001B[39m" : "x");
  });

  it("flushes what was written, in order, text and bytes", async () => {
    const recorder = new Recorder();
    const stream = openOutputStream(recorder, {});
    stream.write("a");
    stream.write(Buffer.from([0xff]));
    await stream.flush();
    expect(recorder.bytes()).toEqual(Buffer.from([0x61, 0xff]));
  });

  it("says that it is broken and drops what comes when nobody reads it any more", async () => {
    let writes = 0;
    const gone = new Writable({
      write: (_chunk, _encoding, done) => {
        writes += 1;
        done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
      },
    });
    const stream = openOutputStream(gone, {});
    stream.write("a");
    await stream.flush();
    expect(stream.broken.aborted).toBe(true);
    stream.write("b");
    await stream.flush();
    expect(writes).toBe(1);
  });
});
