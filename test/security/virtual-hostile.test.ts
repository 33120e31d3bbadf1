import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import type { WritableWorkspace } from "../../src/contract/workspace.ts";
import { createWorkspaceServer } from "../../src/sandbox/virtual/workspace-server.ts";
import { assertNoChildren } from "../sandbox/child-processes.ts";
import { createVirtualWorkspace } from "../sandbox/virtual/virtual-workspace.ts";

const tree = {
  "inside.txt": "inside\n",
  passwd: { link: "/etc/passwd" },
  etc: { link: "../../../../../../../../etc" },
  "folder/up": { link: "../.." },
  outside: { link: "../secret.txt" },
  loop: { link: "loop" },
} as const;

describe("a hostile script in the virtual shell", () => {
  afterEach(assertNoChildren);

  it.each([
    "cat /etc/passwd",
    "cat passwd",
    "cat etc/passwd",
    "ls etc/",
    "cd etc && cat passwd",
    "cat folder/up/secret.txt",
    "cat outside",
    "cat < outside",
    "cat loop",
    "cat ../secret.txt",
    "cat ../../../../../../../../etc/passwd",
    "cat /workspace/../../../etc/passwd",
    "cat /proc/self/environ",
    "cat /proc/1/cmdline /proc/self/fd/0",
    "grep -r root passwd etc outside",
    "rg root passwd",
    "head -1 passwd",
    "tar cf - passwd/ etc/passwd | tar xOf -",
    "cp -r folder/up /tmp/u && cat /tmp/u/secret.txt",
    "cp passwd /tmp/p && cat /tmp/p",
    "ln -s /etc/shadow mine && cat mine",
    "ln -s / all && ls all/etc",
    "ln -s /workspace/passwd twice && cat twice",
    "find folder/up/ -name secret.txt | grep secret",
    "source passwd",
    "bash outside",
    "jq . < passwd",
    "python3 -c 'print(open(\"/etc/passwd\").read())'",
    "node -e 1",
    "cat < /dev/tcp/127.0.0.1/22",
    "js-exec 'process.env'",
    "/bin/sh -c 'cat /etc/passwd'",
  ])("reads nothing of the host: %s", async (script) => {
    await using workspace = await createVirtualWorkspace(tree);
    await writeFile(join(workspace.folder, "secret.txt"), "root:the-secret\n");
    const { execution } = await workspace.run(script);
    expect(execution.termination).toBe("exit");
    expect(execution.exitCode).not.toBe(0);
    expect(execution.stdout + execution.stderr).not.toMatch(/root:|the-secret|bin\/bash|secret\.txt\n/);
    expect(execution.stdout + execution.stderr).not.toContain(workspace.folder);
  });

  it.each([
    "echo x > outside",
    "echo x >> outside",
    "echo x | tee outside",
    "cp inside.txt outside",
    "cp inside.txt folder/up/new",
    "mv inside.txt folder/up/",
    "sed -i s/a/b/ outside",
    "touch folder/up/new",
    "mkdir folder/up/new",
    "rm -rf folder/up/",
    "rm -f folder/up/secret.txt",
    "chmod 777 outside",
    "echo x > ../new",
    "ln -s ../secret.txt l && echo x > l",
  ])("writes nothing outside of the layer: %s", async (script) => {
    await using workspace = await createVirtualWorkspace(tree);
    const secret = join(workspace.folder, "secret.txt");
    await writeFile(secret, "root:the-secret\n", { mode: 0o600 });
    const before = await workspace.root();
    await workspace.run(script);
    expect((await readdir(workspace.folder)).sort()).toEqual(["root", "secret.txt", "upper", "work"]);
    expect(await readFile(secret, "utf8")).toBe("root:the-secret\n");
    expect((await stat(secret)).mode & 0o777).toBe(0o600);
    expect(await workspace.root()).toEqual(before);
  });

  it("leaves the engine's memory bounded when it floods its output", async () => {
    await using workspace = await createVirtualWorkspace({});
    await writeFile(join(workspace.request.mount!.root, "big"), Buffer.alloc(4_000_000, "x\n"));
    const before = process.memoryUsage.rss();
    const { execution } = await workspace.run("cat big big");
    expect(execution).toMatchObject({ termination: "exit", exitCode: 0, stdoutBytes: 8_000_000 });
    expect(execution.stdout.length).toBeLessThan(31_000);
    expect(execution.truncated).toBe(true);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024);
  });

  it("is stopped when it reads a file that is too large for memory", async () => {
    await using workspace = await createVirtualWorkspace({});
    const big = join(workspace.request.mount!.root, "big");
    await writeFile(big, "");
    await truncate(big, 8 * 1024 ** 3);
    const { execution } = await workspace.run("cat big; echo $?; cp big big2; echo $?; echo x >> big");
    expect(execution.termination).toBe("exit");
    expect(execution.stderr).toContain("file too large");
  });
});

describe("createWorkspaceServer()", () => {
  it.each([
    ["an unknown operation", { op: "exec", path: "a" }],
    ["the name of an inherited property", { op: "constructor", path: "a" }],
    ["no operation", { path: "a" }],
    ["a path that is no string", { op: "stat", path: 5 }],
    ["an offset below zero", { op: "read", path: "a", offsetBytes: -1 }],
    ["a missing target", { op: "move", path: "a" }],
  ])("throws when the shell's process sends %s", async (_name, header) => {
    // Nothing of the workspace is ever called.
    const server = createWorkspaceServer({} as WritableWorkspace);
    const frame = { header: { ...header, type: "request" }, body: new Uint8Array() };
    await expect(server(frame, new AbortController().signal)).rejects.toThrow(/^A request for ".*" is malformed$/);
  });
});
