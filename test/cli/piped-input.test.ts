import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasPipedInput } from "../../src/cli/piped-input.ts";

describe("hasPipedInput()", () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "cofferdam-piped-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("tells a pipe and a file with content from what holds nothing", () => {
    const path = (name: string) => join(directory, name);
    execFileSync("mkfifo", [path("pipe")]);
    writeFileSync(path("full"), "data");
    writeFileSync(path("empty"), "");
    const found = [path("pipe"), path("full"), path("empty"), "/dev/null"].map((file) => {
      const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
      const answer = hasPipedInput(descriptor);
      closeSync(descriptor);
      return answer;
    });
    expect(found).toEqual([true, true, false, false]);
  });

  it("answers with no for a descriptor that is closed", () => {
    expect(hasPipedInput(99_999)).toBe(false);
  });
});
