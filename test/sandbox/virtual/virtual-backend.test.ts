import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import type { Execution, RunOptions, SandboxRequest } from "../../../src/contract/sandbox.ts";
import { createVirtualBackend } from "../../../src/sandbox/virtual/virtual-backend.ts";
import { assertNoChildren } from "../child-processes.ts";
import { createVirtualWorkspace } from "./virtual-workspace.ts";

const source = {
  "README.md": "# Readme\nTODO: write\n",
  "src/a.ts": "// TODO one\nexport {};\n",
  "src/deep/b.ts": "export {}; // TODO two\n",
  "src/deep/bin": "\u0000\u0001TOD",
  "empty/": "",
};

async function run(
  script: string,
  options: Partial<RunOptions> & { readonly request?: SandboxRequest } = {},
): Promise<Execution> {
  const { request = {}, ...rest } = options;
  await using session = await createVirtualBackend().open(request);
  return await session.run({ kind: "shell", script }, { timeoutMs: 30_000, ...rest });
}

describe("createVirtualBackend()", () => {
  afterEach(assertNoChildren);

  it("says what it can do when its probe has run a command", async () => {
    expect(await createVirtualBackend().probe()).toEqual({
      available: true,
      commands: ["shell"],
      workspace: "union",
      enforces: ["memoryMb", "pids", "retainedOutputBytes", "floodBytes", "graceMs", "network", "wallTime"],
      streams: false,
      details: { node: process.version, diesWithEngine: expect.stringMatching(/^(?:kernel|pipe)$/) },
    });
  });

  it("says that it is not available when its program is missing", async () => {
    expect(await createVirtualBackend({ nodeProgram: "/does/not/exist" }).probe()).toMatchObject({
      available: false,
      remedy: "Run Node 24 or newer on Linux or macOS, and `npm install` without leaving packages out",
    });
  });

  it("gives back both streams and the exit code", async () => {
    expect(await run("echo out; echo err >&2; exit 3")).toEqual({
      termination: "exit",
      exitCode: 3,
      signal: null,
      stdout: "out\n",
      stderr: "err\n",
      stdoutBytes: 4,
      stderrBytes: 4,
      truncated: false,
      durationMs: expect.any(Number),
      survivors: 0,
    });
  });

  it.each([
    ["git status", 127, "bash: git: command not found\n"],
    ["curl http://127.0.0.1/", 127, "bash: curl: command not found\n"],
    ["if then fi", 2, "bash: syntax error: Parse error at 1:9: syntax error near unexpected token `fi'\n"],
  ])("ends as bash does when it cannot run the command (%s)", async (script, exitCode, stderr) => {
    expect(await run(script)).toMatchObject({ termination: "exit", exitCode, stdout: "", stderr });
  });

  it("has the environment of the request and nothing of the engine's", async () => {
    const { stdout } = await run("printenv | cut -d= -f1 | sort", { request: { env: { GREETING: "hello there" } } });
    const names = new Set(stdout.split("\n"));
    expect(names).toContain("GREETING");
    const foreign = Object.keys(process.env).filter((name) => names.has(name));
    // Names that every shell has, with values of its own.
    expect(foreign.filter((name) => !["HOME", "LANG", "OLDPWD", "PATH", "PWD", "HOSTNAME"].includes(name))).toEqual([]);
    expect((await run("echo $GREETING $HOME $PATH", { request: { env: { GREETING: "hello" } } })).stdout).toBe(
      "hello /home/agent /usr/bin:/bin\n",
    );
  });

  it("has directories of its own for what does not belong to the workspace", async () => {
    expect((await run("cd; pwd; echo x > /tmp/x; cat /tmp/x; echo y > /dev/null; pwd -P; ls /")).stdout).toBe(
      "/home/agent\nx\n/home/agent\ndev\nhome\ntmp\nworkspace\n",
    );
  });

  it.each([
    ["endless loops", "while :; do :; done", /^bash: too many commands executed \(>200000\)/],
    ["endless recursion", "f() { f; }; f", /^bash: .*(?:recursion|depth)/],
    ["strings that double", "x=a; while :; do x=$x$x; done", /^bash: .*limit exceeded/],
  ])("fails the command when it meets a limit of the interpreter: %s", async (_name, script, stderr) => {
    const execution = await run(script, { timeoutMs: 50_000 });
    expect(execution).toMatchObject({ termination: "exit", stderr: expect.stringMatching(stderr) });
    expect(execution.exitCode).toBeGreaterThan(0);
  });

  it.each([
    [
      { cpus: 1 },
      'Cannot open the "virtual" sandbox: it cannot enforce "cpus"; leave it out or use a backend that can',
    ],
    [
      { memoryMb: 64 },
      'Cannot hold the "virtual" sandbox to 64 MB of memory: it needs 192 MB for itself; give it at least that much, or leave the limit out',
    ],
  ])("refuses limits that it cannot keep (%o)", async (limits, message) => {
    await expect(createVirtualBackend().open({ limits })).rejects.toMatchObject({ code: "configuration", message });
  });
});

describe("a script on the workspace", () => {
  afterEach(assertNoChildren);

  it("searches a source tree and writes what it found to the layer only", async () => {
    await using workspace = await createVirtualWorkspace(source);
    const { execution, entries } = await workspace.run(
      "mkdir -p notes && grep -rn TODO . | sort > notes/todo.txt; wc -l < notes/todo.txt",
    );
    expect(execution).toMatchObject({ termination: "exit", exitCode: 0, stdout: "3\n", stderr: "" });
    expect(entries).toEqual(["directory notes", "file notes/todo.txt"]);
    expect(await workspace.layerFile("notes/todo.txt")).toBe(
      "README.md:2:TODO: write\nsrc/a.ts:1:// TODO one\nsrc/deep/b.ts:1:export {}; // TODO two\n",
    );
    const { "empty/": _directory, ...files } = source;
    expect(await workspace.root()).toEqual(files);
  });

  it.each<[string, string, readonly string[]]>([
    ["> and >>", "echo a > new; echo b >> new", ["file new"]],
    ["an edit in place", "sed -i s/one/1/ src/a.ts", ["file src/a.ts"]],
    ["an edit that changes nothing", "sed -i s/absent/x/ src/a.ts", []],
    ["rm", "rm README.md", ["delete README.md"]],
    ["rm -r", "rm -r src", ["delete src"]],
    ["rm and the same again", "cp README.md /tmp/r; rm README.md; cp /tmp/r README.md", []],
    ["mv of a file", "mv README.md empty/R", ["delete README.md", "file empty/R"]],
    [
      "mv of a directory",
      "mv src/deep other",
      ["directory other", "file other/b.ts", "file other/bin", "delete src/deep"],
    ],
    ["cp -r", "cp -r src/deep empty/", ["directory empty/deep", "file empty/deep/b.ts", "file empty/deep/bin"]],
    ["chmod", "chmod 755 src/a.ts", ["file src/a.ts"]],
    ["ln -s", "ln -s src/a.ts link && cat link > /dev/null", ["symlink link"]],
    ["mkdir and rmdir", "mkdir x && rmdir x && rmdir empty", ["delete empty"]],
    ["touch", "touch new README.md", ["file new"]],
    ["odd names", "echo a > 'a\nb'; echo b > 'é ü'", ["file a\nb", "file é ü"]],
  ])("changes exactly what it says: %s", async (_name, script, entries) => {
    await using workspace = await createVirtualWorkspace(source);
    const outcome = await workspace.run(script);
    expect(outcome.execution).toMatchObject({ termination: "exit", exitCode: 0, stderr: "" });
    expect(outcome.entries).toEqual(entries);
  });

  it.each([
    ["cat absent", 1, "cat: absent: No such file or directory\n"],
    ["mkdir a/b", 1, "mkdir: cannot create directory 'a/b': No such file or directory\n"],
    ["mkdir src", 1, "mkdir: cannot create directory 'src': File exists\n"],
    ["rmdir src", 1, "rmdir: failed to remove 'src': Directory not empty\n"],
    ["cp -r src src/copy", 1, "cp: cannot copy 'src' into itself, '/workspace/src/copy'\n"],
    ["rm src", 1, "rm: cannot remove 'src': Is a directory\n"],
    ["echo x > src", 1, "bash: src: Is a directory\n"],
    [
      "echo x > no/such",
      1,
      "bash: no such file or directory, write '/workspace/no/such'; the script was stopped there and its output is lost\n",
    ],
    ["ln README.md hard", 1, "ln: 'README.md': hard link not allowed for directory\n"],
  ])("fails as a shell does: %s", async (script, exitCode, stderr) => {
    await using workspace = await createVirtualWorkspace(source);
    const { execution, entries } = await workspace.run(script);
    expect(execution).toMatchObject({ termination: "exit", exitCode, stderr });
    expect(entries).toEqual([]);
  });

  it("tells a file that may not be read from one that is missing", async () => {
    await using workspace = await createVirtualWorkspace({ ...source, "src/shut": { link: "/etc/passwd" } });
    const { execution } = await workspace.run("cat src/shut absent; cd src; grep x shut; head -n 1 ./shut");
    expect(execution.stderr).toBe(
      "cat: src/shut: Permission denied\ncat: absent: No such file or directory\ngrep: shut: Permission denied\nhead: ./shut: Permission denied\n",
    );
  });

  it("carries files byte for byte", async () => {
    await using workspace = await createVirtualWorkspace({});
    const stdin = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256));
    const { execution } = await workspace.run("cat > data; cat data | sha256sum; cp data data2; sha256sum < data2", {
      stdin,
    });
    const digest = createHash("sha256").update(stdin).digest("hex");
    expect(execution.stdout).toBe(`${digest}  -\n${digest}  -\n`);
  });

  it("sees in the next run what the last one and others left", async () => {
    await using workspace = await createVirtualWorkspace(source);
    await using session = await createVirtualBackend().open(workspace.request);
    const options = { timeoutMs: 30_000 };
    await session.run({ kind: "shell", script: "rm README.md; echo one > left" }, options);
    await writeFile(`${workspace.request.mount!.upper}/other`, "two\n");
    const { stdout } = await session.run({ kind: "shell", script: "ls; cat left other" }, options);
    expect(stdout).toBe("empty\nleft\nother\nsrc\none\ntwo\n");
    expect(session.reportedEntries?.()).toEqual([
      { op: "delete", path: "README.md" },
      { op: "put", path: "left", type: "file" },
      { op: "put", path: "other", type: "file" },
    ]);
  });

  it("changes nothing any more once it was stopped", async () => {
    await using workspace = await createVirtualWorkspace(source);
    const cancel = new AbortController();
    const running = workspace.run("while :; do echo x >> count; done", { signal: cancel.signal });
    const count = join(workspace.request.mount!.upper, "count");
    await expect.poll(() => existsSync(count), { timeout: 25_000 }).toBe(true);
    cancel.abort();
    const { execution, entries } = await running;
    expect(execution).toMatchObject({ termination: "cancelled", stdout: "" });
    const last = await workspace.layerFile("count");
    expect(entries).toEqual(["file count"]);
    expect(await workspace.layerFile("count")).toBe(last);
  });
});
