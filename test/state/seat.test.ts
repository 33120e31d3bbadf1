import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { clearEmptySeats, isSeatTaken, takeSeat } from "../../src/state/seat.ts";

const SITTER = fileURLToPath(new URL("./sitter-program.ts", import.meta.url));
const mayUnshare = process.getuid?.() === 0 && process.platform === "linux";

describe("takeSeat()", () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "cofferdam-seat-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("holds a seat until it is disposed of, and leaves nothing", () => {
    const seat = takeSeat(directory);
    expect(isSeatTaken(directory, seat.id)).toBe(true);
    seat[Symbol.dispose]();
    expect(isSeatTaken(directory, seat.id)).toBe(false);
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(["", "no-seat", "../../etc/passwd", "0".repeat(32)])("knows no seat named %j", (id) => {
    expect(isSeatTaken(directory, id)).toBe(false);
  });

  it("is over with the process, however it dies", async () => {
    const child = spawn(process.execPath, [SITTER, directory], { stdio: ["ignore", "pipe", "inherit"] });
    const [id] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    expect(isSeatTaken(directory, id)).toBe(true);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    expect(isSeatTaken(directory, id)).toBe(false);
    clearEmptySeats(directory);
    expect(readdirSync(directory)).toEqual([]);
  });

  it.runIf(mayUnshare)("is seen to be taken from another process namespace", () => {
    using seat = takeSeat(directory);
    const ask = ["-pf", "--mount-proc", process.execPath, SITTER, directory, seat.id];
    const asked = spawnSync("unshare", ask, { encoding: "utf8" });
    expect(asked).toMatchObject({ status: 0, stderr: "", stdout: "taken" });
  });

  it("clears no seat that is taken", () => {
    using seat = takeSeat(directory);
    clearEmptySeats(directory);
    expect(isSeatTaken(directory, seat.id)).toBe(true);
  });
});
