import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, it } from "vitest";

import type { SandboxSession } from "../../src/contract/sandbox.ts";
import { scanUpper } from "../../src/union/scan-upper.ts";
import { openUnionView } from "../../src/union/union-view.ts";
import { describeWithEngine } from "../sandbox/docker/engine-available.ts";
import { assertNothingLeft, testBackend } from "../sandbox/docker/fixture.ts";
import { createMount, type TestMount } from "../sandbox/test-mount.ts";

/** What a hostile command tries, and all it may see of it. */
const ATTACKS: readonly { readonly attempt: string; readonly script: string; readonly stdout: string }[] = [
  {
    attempt: "writing to the image",
    script: "for d in / /etc /usr/bin /var /root /home /opt /dev/shm/../..; do : 2>&- >$d/x && echo wrote $d; done",
    stdout: "",
  },
  {
    attempt: "reading a directory of the host",
    script: `cat "$SECRET_PATH"; ls /var/lib/docker /var/run/docker.sock; cat /proc/1/root"$SECRET_PATH"`,
    stdout: "",
  },
  {
    attempt: "reaching the Engine's socket",
    script: "find / -xdev -name 'docker.sock' -o -name 'containerd.sock' 2>/dev/null",
    stdout: "",
  },
  {
    attempt: "having a network",
    script: `cat /sys/class/net/*/uevent | grep INTERFACE; ls /sys/class/net
      (exec 3<>/dev/tcp/127.0.0.1/$HOST_PORT) && echo reached loopback; (exec 3<>/dev/tcp/192.0.2.1/80) && echo reached out`,
    stdout: "INTERFACE=lo\nlo\n",
  },
  {
    attempt: "making devices",
    script:
      "for d in /tmp /workspace /home/agent; do mknod $d/disk b 8 0 && echo made $d; mknod $d/mem c 1 1 && echo made; done",
    stdout: "",
  },
  {
    attempt: "having capabilities or getting them by set-user-id",
    script: `grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | tr '\\t' ' '
      cp /bin/bash ./rooted && chmod 4755 rooted && ./rooted -p -c 'id -u'; rm -f rooted`,
    stdout: `${["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}: 0000000000000000\n`).join("")}NoNewPrivs: 1\nSeccomp: 2\n1000\n`,
  },
  {
    attempt: "mounting, and new namespaces",
    script:
      "mount -t tmpfs none /tmp && echo mounted; unshare -Urm true && echo unshared; chroot / true && echo chrooted",
    stdout: "",
  },
  {
    attempt: "changing the kernel's settings",
    script:
      "echo x 2>&- >/proc/sys/kernel/core_pattern && echo wrote; echo 1 2>&- >/proc/sysrq-trigger && echo wrote; : 2>&- >/sys/kernel/x && echo wrote",
    stdout: "",
  },
  {
    attempt: "seeing or signalling the host's processes",
    script:
      "ls -d /proc/[0-9]* | wc -l | awk '{ print ($1 < 12) }' 2>/dev/null || perl -e 'print scalar(@{[glob(\"/proc/[0-9]*\")]}) < 12, \"\\n\"'; cat /proc/1/comm",
    stdout: "1\ndocker-init\n",
  },
  {
    attempt: "keeping something in the sandbox for the next command",
    script: "ls -A /tmp /home/agent; echo planted | tee /tmp/planted /home/agent/planted >/dev/null",
    stdout: "/home/agent:\n\n/tmp:\n",
  },
  {
    attempt: "keeping something in the sandbox for the next command, again",
    script: "ls -A /tmp /home/agent",
    stdout: "/home/agent:\n\n/tmp:\n",
  },
];

describeWithEngine("docker backend: hostile commands", () => {
  let mount: TestMount;
  let session: SandboxSession;
  const server = createServer((socket) => socket.end());

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    mount = await createMount();
    await writeFile(join(mount.directory, "secret"), "the host's secret");
    session = await testBackend().open({
      mount,
      env: { SECRET_PATH: join(mount.directory, "secret"), HOST_PORT: String(port) },
    });
  });

  afterAll(async () => {
    await session?.[Symbol.asyncDispose]();
    await mount?.[Symbol.asyncDispose]();
    server.close();
    await assertNothingLeft();
  });

  it.each(ATTACKS)("run() gives a command nothing by $attempt", async ({ script, stdout }) => {
    const execution = await session.run({ kind: "shell", script }, { timeoutMs: 30_000 });
    expect(execution.stdout).toBe(stdout);
  });

  it("run() follows a planted symlink only inside the sandbox", async () => {
    await using own = await createMount();
    const secret = join(mount.directory, "secret");
    await symlink(secret, join(own.root, "planted"));
    await symlink("/etc/hostname", join(own.root, "absolute"));
    await using reading = await testBackend().open({ mount: own });
    const script = "cat planted; cat absolute; echo over >planted; ln -s / up; ln -sfn ../../../.. rel; echo x >up/x";
    const execution = await reading.run({ kind: "shell", script }, { timeoutMs: 30_000 });
    expect(execution.stdout).toBe("sandbox\n");
    const { stdout } = await promisify(execFile)("cat", [secret]);
    expect(stdout).toBe("the host's secret");
    const below = openUnionView({ root: own.root, layers: [] });
    expect((await scanUpper({ below, upper: own.upper })).entries).toStrictEqual([
      { op: "put", path: "rel", type: "symlink" },
      { op: "put", path: "up", type: "symlink" },
    ]);
  });

  it("run() copies a hostile tree out without following it anywhere", async () => {
    await using own = await createMount();
    await using copying = await testBackend({ workspace: "copy" }).open({ mount: own });
    const secret = join(mount.directory, "secret");
    const script = `ln -s ${secret} file; ln -s ${mount.directory} dir; ln -s / root; mkdir real; ln -s ../.. real/up; mkfifo fifo
      ln -s self self; echo ok >real/ok; mkdir swap; echo 1 >swap/x`;
    await copying.run({ kind: "shell", script }, { timeoutMs: 30_000 });
    // What was a directory is a link out of the tree now, and the other way round.
    const swap = `rm -r swap; ln -s ${mount.directory} swap; rm dir; mkdir dir; echo over >dir/secret`;
    await copying.run({ kind: "shell", script: swap }, { timeoutMs: 30_000 });
    const { stdout } = await promisify(execFile)("cat", [secret]);
    expect(stdout).toBe("the host's secret");
    const below = openUnionView({ root: own.root, layers: [] });
    const reported = copying.reportedEntries?.() ?? [];
    expect((await scanUpper({ below, upper: own.upper, reported })).entries).toStrictEqual([
      { op: "put", path: "dir", type: "directory" },
      { op: "put", path: "dir/secret", type: "file" },
      { op: "put", path: "file", type: "symlink" },
      { op: "put", path: "real", type: "directory" },
      { op: "put", path: "real/ok", type: "file" },
      { op: "put", path: "real/up", type: "symlink" },
      { op: "put", path: "root", type: "symlink" },
      { op: "put", path: "self", type: "symlink" },
      { op: "put", path: "swap", type: "symlink" },
    ]);
  });

  it("run() refuses to copy out a file that claims a terabyte", async () => {
    await using own = await createMount();
    await using copying = await testBackend({ workspace: "copy" }).open({ mount: own });
    await expect(
      copying.run({ kind: "shell", script: "truncate -s 1T sparse" }, { timeoutMs: 30_000 }),
    ).rejects.toThrow(
      "Cannot copy a file out of the sandbox: it is larger than 256 MiB; remove it at the end of the command",
    );
  });
});
