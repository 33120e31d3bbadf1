import { describe, expect, it } from "vitest";

import { bubblewrapArguments, type BubblewrapPlan } from "../../../src/sandbox/bubblewrap/bubblewrap-arguments.ts";

const plan: BubblewrapPlan = {
  identity: { hostUid: 0, hostGid: 0, uid: 1000, gid: 1001 },
  memoryMb: 512,
  environment: { GREETING: "hello world" },
  system: [
    { kind: "bind", path: "/usr" },
    { kind: "symlink", path: "/bin", target: "usr/bin" },
    { kind: "bind", path: "/etc/ssl/certs" },
  ],
  hidden: ["/home/somebody", "/usr/src/app"],
  workspace: { source: "/mnt", nested: [{ source: "/root/x/node_modules", path: "node_modules" }] },
};

function wordsOf(each: BubblewrapPlan): readonly string[] {
  return bubblewrapArguments(each).toString("latin1").split("\0");
}

describe("bubblewrapArguments()", () => {
  it("bubblewrapArguments() gives a sandbox exactly this", () => {
    expect(wordsOf(plan).join(" ")).toBe(
      [
        "--unshare-user --disable-userns",
        "--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try",
        "--hostname sandbox --new-session --die-with-parent",
        "--cap-drop ALL --seccomp 7 --json-status-fd 5",
        "--uid 1000 --gid 1001",
        "--ro-bind /usr /usr --symlink usr/bin /bin --ro-bind /etc/ssl/certs /etc/ssl/certs",
        "--tmpfs /usr/src/app --remount-ro /usr/src/app",
        "--ro-bind-data 8 /etc/passwd --ro-bind-data 9 /etc/group --ro-bind-data 10 /etc/hosts",
        "--dev /dev --perms 01777 --size 134217728 --tmpfs /dev/shm --remount-ro /dev",
        "--proc /proc --remount-ro /proc",
        "--perms 01777 --size 268435456 --tmpfs /tmp",
        "--perms 01777 --size 16777216 --tmpfs /run",
        "--perms 0700 --size 134217728 --tmpfs /home/agent",
        "--symlink ../tmp /var/tmp",
        "--bind /mnt /workspace --ro-bind /root/x/node_modules /workspace/node_modules",
        "--remount-ro / --chdir /workspace",
        "--clearenv",
        "--setenv HOME /home/agent --setenv LANG C.UTF-8 --setenv GIT_OPTIONAL_LOCKS 0",
        "--setenv GIT_CONFIG_COUNT 1 --setenv GIT_CONFIG_KEY_0 safe.directory --setenv GIT_CONFIG_VALUE_0 *",
        "--setenv PATH /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --setenv GREETING hello world ",
      ].join(" "),
    );
  });

  it("bubblewrapArguments() makes the workspace an empty directory in memory when there is none to mount", () => {
    const { workspace: _, ...bare } = plan;
    expect(wordsOf(bare).join(" ")).toContain(" --perms 0700 --size 134217728 --tmpfs /workspace --remount-ro / ");
  });

  it("bubblewrapArguments() keeps each word whole and each byte of a path", () => {
    const nested = [{ source: "/r/a b\n\udcff", path: "a b\n\udcff" }];
    const words = wordsOf({ ...plan, environment: { X: "--bind / /" }, workspace: { source: "/mnt", nested } });
    expect(words).toContain("/r/a b\n\u00ff");
    expect(words).toContain("/workspace/a b\n\u00ff");
    expect(words.slice(-4)).toStrictEqual(["--setenv", "X", "--bind / /", ""]);
  });
});
