import { describe, expect, it } from "vitest";

import { explainFailure } from "../../../src/sandbox/bubblewrap/explain-failure.ts";

const restricted = (): string => "1";
const free = (): string => "";

describe("explainFailure()", () => {
  it.each([
    [
      "unshare: write failed /proc/self/uid_map: Operation not permitted",
      restricted,
      "AppArmor keeps programs from making user namespaces",
    ],
    ["bwrap: setting up uid map: Permission denied", restricted, "AppArmor keeps programs from making user namespaces"],
    ["unshare: unshare failed: Operation not permitted", free, "this user may not make user namespaces"],
    [
      "bwrap: No permissions to create a new namespace, likely because the kernel does not allow non-privileged user namespaces. On e.g. debian this can be enabled with 'sysctl kernel.unprivileged_userns_clone=1'.",
      free,
      "this user may not make user namespaces",
    ],
    ["unshare: unshare failed: No space left on device", free, "this user may not make user namespaces"],
    [
      "mount: /mnt: wrong fs type, bad option, bad superblock on overlay, missing codepage or helper program, or other error.",
      free,
      "the kernel cannot mount an overlay with its upper directory where the state is kept",
    ],
    [
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      free,
      "the kernel does not let a new /proc be mounted here, as in a container that hides parts of it",
    ],
    ["bwrap: Something else\nand more", free, 'a trial sandbox could not be made ("bwrap: Something else")'],
    ["", free, "a trial sandbox could not be made"],
  ])("explainFailure() explains %j", (said, readSetting, reason) => {
    expect(explainFailure(said, readSetting).reason).toBe(reason);
  });
});
