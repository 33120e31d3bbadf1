import { spawn } from "node:child_process";
import { once } from "node:events";

import { describe, expect, it } from "vitest";

import { currentOwner, formatOwner, isOwnerAlive, parseOwner } from "../../src/state/owner.ts";

describe("isOwnerAlive()", () => {
  it("knows this process, and not one of its number that started at another time or in another boot", () => {
    const owner = currentOwner();
    expect(isOwnerAlive(owner)).toBe(true);
    expect(isOwnerAlive({ ...owner, startTime: "1" })).toBe(false);
    expect(isOwnerAlive({ ...owner, bootId: "0" })).toBe(false);
  });

  it.runIf(process.platform === "linux")("takes a zombie for dead", async () => {
    // The shell starts a child, says its number, and never waits for it.
    const script = "sleep 0 & echo $!; exec sleep 60";
    const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [pid] = (await once(parent.stdout.setEncoding("utf8"), "data")) as [string];
      const owner = { ...currentOwner(), pid: Number(pid), startTime: "" };
      await expect.poll(() => isOwnerAlive(owner)).toBe(false);
      expect(process.kill(owner.pid, 0)).toBe(true);
    } finally {
      const ended = once(parent, "exit");
      parent.kill("SIGKILL");
      await ended;
    }
  });
});

describe("parseOwner()", () => {
  it("reads what formatOwner() writes, and nothing else", () => {
    const owner = currentOwner();
    expect(parseOwner(formatOwner(owner))).toEqual(owner);
    for (const text of ["", "x", "0:1:a", "1:2", "-1:1:a", "1:2:g"]) expect(parseOwner(text)).toBeUndefined();
  });
});
