import { execFileSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject } from "./command-line.ts";

const FILES = { "src/a.ts": "first\n// TODO one\n", "old.txt": "old\n" };
const NOTES = { ...FILES, "notes/todo.txt": "src/a.ts:// TODO one\n" };
const SCRIPT = "mkdir notes && grep -r TODO . | sed 's|^./||' > notes/todo.txt && wc -l < notes/todo.txt && rm old.txt";

describe("the way of a change", () => {
  it("goes from the sandbox through review to the root and back, all of it or none", async () => {
    await using project = await createProject(FILES);
    const { root } = project;
    const ran = await project.run(["run", "--sandbox", "virtual", "--", SCRIPT]);
    const steps = `  see:       cofferdam diff --root ${root}
  land:      cofferdam land --root ${root}
  discard:   cofferdam discard --root ${root}
`;
    const listed = "  added         notes/\n  added         notes/todo.txt\n  deleted       old.txt\n";
    expect(ran).toEqual({
      exitCode: 0,
      signal: null,
      stdout: "1\n",
      stderr: `cofferdam: 3 changes (2 added, 1 deleted):\n${listed}${steps}`,
    });
    expect(await project.files()).toEqual(FILES);

    const status = await project.run(["status"]);
    expect(status.stdout).toBe(`On ${root}\nWaiting for review: 3 changes (2 added, 1 deleted)\n${listed}${steps}`);
    const diff = await project.run(["diff"]);
    await using copy = await createProject(FILES);
    execFileSync("git", ["apply", "-"], { cwd: copy.root, input: diff.stdout });
    const { "old.txt": _gone, ...landed } = NOTES;
    expect(await copy.files()).toEqual(landed);

    const unseen = await project.run(["land"]);
    expect(unseen).toMatchObject({
      exitCode: 2,
      stderr:
        'cofferdam: Cannot land without asking: stdin or stderr is not a terminal; look at "cofferdam diff" and add --yes\n',
    });
    expect(await project.files()).toEqual(FILES);

    const some = await project.run(["land", "--yes", "notes/**"]);
    expect(some.stdout).toMatch(/^Landed 2 changes \(2 added\) as \S+\n {2}take back: cofferdam undo \S+ --root /);
    expect(await project.files()).toEqual(NOTES);
    expect((await project.run(["land", "--yes"])).stdout).toMatch(/^Landed 1 change \(1 deleted\) as /);
    expect(await project.files()).toEqual(landed);

    expect(await project.run(["undo"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await project.files()).toEqual(NOTES);
    expect(await project.run(["undo"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await project.files()).toEqual(FILES);
  });

  it("lands only what the command changed with --land auto, not what was pending before", async () => {
    await using project = await createProject(FILES);
    await project.run(["run", "--sandbox", "virtual", "--", "echo kept > pending.txt"]);
    const ran = await project.run(["run", "--sandbox", "virtual", "--land", "auto", "--", "echo new > 'a*.txt'"]);
    expect(ran.stderr).toMatch(
      /^cofferdam: 1 change \(1 added\):\n {2}added {9}a\*\.txt\nLanded 1 change \(1 added\) as /,
    );
    expect(await project.files()).toEqual({ ...FILES, "a*.txt": "new\n" });
    expect((await project.run(["status"])).stdout).toContain("  added         pending.txt\n");
  });

  it("gives back the result as one JSON object, and the command's own exit code", async () => {
    await using project = await createProject(FILES);
    const ran = await project.run([
      "run",
      "--sandbox",
      "virtual",
      "--json",
      "--",
      "echo out; echo err >&2; touch new; exit 3",
    ]);
    expect(ran).toMatchObject({ exitCode: 3, stderr: "" });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      tool: "shell",
      success: false,
      errorKind: "business",
      output: expect.stringContaining("out\n"),
      changes: [{ path: "new", kind: "added", type: "file" }],
      metadata: { backend: "virtual", termination: "exit", exitCode: 3, signal: null },
    });
  });

  it("passes several arguments on as they were typed", async () => {
    await using project = await createProject(FILES);
    const ran = await project.run(["run", "--sandbox", "virtual", "--", "printf", "[%s]\\n", "it's", "$HOME  x", ""]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: "[it's]\n[$HOME  x]\n[]\n", stderr: "" });
  });

  it("shows names and contents that could drive a terminal as escapes", async () => {
    await using project = await createProject(FILES);
    const script = String.raw`printf x > "$(printf 'a\nb\033[2J')"`;
    const ran = await project.run(["run", "--sandbox", "virtual", "--", script]);
    expect(ran.stderr).toContain("cofferdam: 1 change (1 added):\n  added         ");
    expect(ran.stderr).not.toContain("\u001B");
    expect(ran.stderr.split("\n")).toHaveLength(6);
  });

  it("is not disturbed by a root whose name needs quotes", async () => {
    await using project = await createProject({ "it's, a:root\\/a.txt": "a\n" });
    const root = join(project.root, "it's, a:root\\");
    const ran = await project.run(["run", "--root", root, "--sandbox", "virtual", "--land", "auto", "--", "rm a.txt"]);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(await project.files()).toEqual({});
  });

  it("refuses to land over newer work and lists what stands in the way", async () => {
    await using project = await createProject(FILES);
    await project.run(["run", "--sandbox", "virtual", "--", "echo theirs > old.txt"]);
    await writeFile(join(project.root, "old.txt"), "mine\n");
    const landed = await project.run(["land", "--yes"]);
    expect(landed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(landed.stderr).toMatch(
      /^cofferdam: Cannot land changes: the root moved at "old\.txt" .*; nothing was landed; .*\n$/,
    );
    expect((await project.files())["old.txt"]).toBe("mine\n");
  });
});

describe("a pipe", () => {
  it("that nobody reads any more ends the output quietly", async () => {
    await using project = await createProject(FILES);
    await project.run(["run", "--sandbox", "virtual", "--", "seq 1 200000 > long.txt"]);
    await chmod(project.root, 0o755);
    const script = `"$1" "$2" diff | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const main = new URL("../../dist/cli/main.js", import.meta.url).pathname;
    const options = { cwd: project.root, env: project.env, encoding: "utf8" } as const;
    const printed = execFileSync("bash", ["-c", `{ ${script}; } 2>&1`, "bash", process.execPath, main], options);
    expect(printed).toBe("diff --git a/long.txt b/long.txt\n0\n");
  });
});
