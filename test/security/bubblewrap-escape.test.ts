import { chown, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import type { SandboxSession } from "../../src/contract/sandbox.ts";
import { createBubblewrapBackend } from "../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { scanUpper } from "../../src/union/scan-upper.ts";
import { openUnionView } from "../../src/union/union-view.ts";
import { describeWithBubblewrap } from "../sandbox/bubblewrap/fixture.ts";
import { createMount, type TestMount } from "../sandbox/test-mount.ts";
import { ATTACKS } from "./attacks.ts";

const OWNERS =
  process.getuid?.() === 0 ? (["an ordinary user's", "root's"] as const) : (["an ordinary user's"] as const);

for (const owner of OWNERS)
  describeWithBubblewrap(`bubblewrap backend: hostile commands on ${owner} root`, () => attackRootOf(owner));

function attackRootOf(owner: (typeof OWNERS)[number]): void {
  let mount: TestMount;
  let session: SandboxSession;
  const server = createServer((socket) => socket.end());
  const abstractServer = createServer((socket) => socket.end());
  const socketName = `cofferdam-test-${process.pid}-${owner.length}`;

  beforeAll(async () => {
    mount = await createMount();
    if (owner === "root's") await chown(mount.root, 0, 0);
    await writeFile(join(mount.directory, "secret"), "the host's secret", { mode: 0o666 });
    await new Promise<void>((resolve) => abstractServer.listen({ path: `\0${socketName}` }, resolve));
    const env = {
      SECRET_PATH: join(mount.directory, "secret"),
      HOST_PORT: String(await listen(server)),
      HOST_SOCKET: socketName,
      HOST_PID: String(process.pid),
    };
    session = await createBubblewrapBackend().open({ mount, env });
  });

  afterAll(async () => {
    await session?.[Symbol.asyncDispose]();
    await mount?.[Symbol.asyncDispose]();
    server.close();
    abstractServer.close();
  });

  it.each(ATTACKS)("run() gives a command nothing by $attempt", async ({ script }) => {
    const execution = await session.run({ kind: "shell", script }, { timeoutMs: 30_000 });
    expect(execution.stdout).toBe("");
  });

  it("run() shows only read-only mounts, and four places to write to", async () => {
    const script = "awk '{ split($4, o, \",\"); if (o[1] == \"rw\") print $2 }' /proc/mounts | grep -v '^/dev/' | sort";
    const { stdout } = await session.run({ kind: "shell", script }, { timeoutMs: 30_000 });
    expect(stdout).toBe("/home/agent\n/run\n/tmp\n/workspace\n");
  });

  it("run() tells nothing about where on the host the workspace is", async () => {
    const script =
      'cat /proc/self/mountinfo /proc/mounts /proc/1/cmdline /proc/self/maps | grep -c "$(dirname "$SECRET_PATH")"';
    const { stdout } = await session.run({ kind: "shell", script }, { timeoutMs: 30_000 });
    expect(stdout).toBe("0\n");
  });
}

describeWithBubblewrap("bubblewrap backend: hostile trees", () => {
  it("run() follows a planted symlink only inside the sandbox", async () => {
    await using mount = await createMount();
    const secret = join(mount.directory, "secret");
    await writeFile(secret, "the host's secret", { mode: 0o666 });
    await symlink(secret, join(mount.root, "planted"));
    await using session = await createBubblewrapBackend().open({ mount });
    const script = "cat planted; echo over >planted; ln -s / up; ln -sfn ../../../.. rel; echo x >up/x";
    const execution = await session.run({ kind: "shell", script }, { timeoutMs: 30_000 });
    expect(execution.stdout).toBe("");
    expect(await readFile(secret, "utf8")).toBe("the host's secret");
    const below = openUnionView({ root: mount.root, layers: [] });
    expect((await scanUpper({ below, upper: mount.upper })).entries).toStrictEqual([
      { op: "put", path: "rel", type: "symlink" },
      { op: "put", path: "up", type: "symlink" },
    ]);
  });

  it("run() lets no command speak to overlayfs by its own marks", async () => {
    await using mount = await createMount();
    await using session = await createBubblewrapBackend().open({ mount });
    // setxattr(2), in the name of overlayfs: a directory whose content is elsewhere, and one that hides everything.
    const mark = (path: string, name: string, value: string): string =>
      `perl -e 'syscall(188, "${path}", "user.overlay.${name}", "${value}", ${value.length}, 0)'`;
    const script = `mkdir a b; ${mark("a", "redirect", "/b")}; ${mark("b", "opaque", "y")}; : >file; ${mark("file", "metacopy", "x")}`;
    await session.run({ kind: "shell", script }, { timeoutMs: 30_000 });
    const below = openUnionView({ root: mount.root, layers: [] });
    expect((await scanUpper({ below, upper: mount.upper })).entries).toStrictEqual([
      { op: "put", path: "a", type: "directory" },
      { op: "put", path: "b", type: "directory" },
      { op: "put", path: "file", type: "file" },
    ]);
  });

  it("run() keeps no device, socket, pipe or set-id bit of a command", async () => {
    await using mount = await createMount();
    await using session = await createBubblewrapBackend().open({ mount });
    const script =
      "mkfifo fifo; perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, pack_sockaddr_un(\"sock\"))'; : >suid; chmod 6755 suid";
    await session.run({ kind: "shell", script }, { timeoutMs: 30_000 });
    const below = openUnionView({ root: mount.root, layers: [] });
    const { entries, refused } = await scanUpper({ below, upper: mount.upper });
    expect(entries).toStrictEqual([{ op: "put", path: "suid", type: "file" }]);
    expect(refused.map(({ path }) => path)).toStrictEqual(["fifo", "sock", "suid"]);
  });
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
