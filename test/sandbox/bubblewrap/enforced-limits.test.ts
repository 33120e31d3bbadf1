import { describe, expect, it } from "vitest";

import { controlGroupsIn } from "../../../src/sandbox/bubblewrap/control-group.ts";
import { enforcedLimits, limitHolders } from "../../../src/sandbox/bubblewrap/enforced-limits.ts";
import { identityFor } from "../../../src/sandbox/bubblewrap/sandbox-identity.ts";

const groups = controlGroupsIn([{ version: 2, directory: "/g", limits: ["memoryMb", "pids"] }]);

describe("limitHolders()", () => {
  it("limitHolders() takes the control group where there is one", () => {
    const holders = limitHolders({ groups }, { hostUid: 0 }, "4.19.0");
    expect(holders).toStrictEqual({ memoryMb: "control group", pids: "control group", cpus: "nothing" });
    expect(enforcedLimits(holders)).toStrictEqual(["memoryMb", "pids", "retainedOutputBytes", "floodBytes", "graceMs"]);
  });

  it.each([
    [1000, "6.1.0-18-amd64", "process limit"],
    [1000, "5.14.0", "process limit"],
    [1000, "5.13.19", "nothing"],
    [1000, "unknown", "nothing"],
    [0, "6.18.0", "nothing"],
  ])("limitHolders() finds for user %i on Linux %s without control groups: %s", (hostUid, release, pids) => {
    expect(limitHolders({}, { hostUid }, release)).toStrictEqual({ memoryMb: "nothing", pids, cpus: "nothing" });
  });
});

describe("identityFor()", () => {
  it("identityFor() keeps an ordinary user and never shows number 0 inside", async () => {
    const mount = { root: "/" };
    expect(await identityFor(mount, { uid: 1234, gid: 5 })).toStrictEqual({
      hostUid: 1234,
      hostGid: 5,
      uid: 1234,
      gid: 5,
    });
    expect(await identityFor(mount, { uid: 0, gid: 0 })).toStrictEqual({
      hostUid: 0,
      hostGid: 0,
      uid: 1000,
      gid: 1000,
    });
    const nobody = { hostUid: 65_534, hostGid: 65_534, uid: 65_534, gid: 65_534 };
    expect(await identityFor(undefined, { uid: 0, gid: 0 })).toStrictEqual(nobody);
  });
});
