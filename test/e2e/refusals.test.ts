import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject } from "./command-line.ts";

describe("what cannot be done", () => {
  it.each([
    ["a root that does not exist", ["status", "--root", "missing"], /^cofferdam: Cannot .*missing.*\n$/],
    ["a root that is a file", ["run", "--root", "a.txt", "--", "true"], /^cofferdam: Cannot .*a\.txt.*\n$/],
    [
      "an unknown backend",
      ["run", "--sandbox", "chroot", "--", "true"],
      /^cofferdam: .*"chroot".*docker.*virtual.*\n$/,
    ],
    [
      "a policy that does not exist",
      ["run", "--policy", "none.json", "--", "true"],
      /^cofferdam: Cannot .*none\.json.*\n$/,
    ],
    ["a policy that is no JSON", ["run", "--policy", "a.txt", "--", "true"], /^cofferdam: Cannot .*a\.txt.*\n$/],
    [
      "a policy that says nonsense",
      ["run", "--policy", "odd.json", "--", "true"],
      /^cofferdam: Cannot .*odd\.json.*\n$/,
    ],
    ["a landing that never was", ["undo", "L9"], /^cofferdam: Cannot undo .*\n$/],
    ["input that is no JSON", ["call", "read_file", "{"], /^cofferdam: Cannot read the input of the call from .*\n$/],
    [
      "a tool that does not exist",
      ["call", "raed_file", "{}"],
      /^cofferdam: Cannot call .*"raed_file".*"read_file".*\n$/,
    ],
    ["an unknown option", ["status", "--prob"], /^cofferdam: Unknown option "--prob" .*\n$/],
  ])("is said in one sentence with exit code 2: %s", async (_what, words, sentence) => {
    await using project = await createProject({ "a.txt": "a\n", "odd.json": '{"mode":"wild"}' });
    const ran = await project.run(words);
    expect(ran).toMatchObject({ exitCode: 2, signal: null, stdout: "" });
    expect(ran.stderr).toMatch(sentence);
  });

  it("is said for Docker when no Engine answers, with exit code 125", async () => {
    await using project = await createProject({ "a.txt": "a\n" });
    project.env["DOCKER_HOST"] = `unix://${join(project.root, "no.sock")}`;
    const ran = await project.run(["run", "--sandbox", "docker", "--", "true"]);
    expect(ran).toMatchObject({ exitCode: 125, stdout: "" });
    expect(ran.stderr).toMatch(/^cofferdam: .+\n$/);
    expect(ran.stderr).not.toContain("    at ");
  });

  it("is denied by a rule, whatever the person who types says", async () => {
    await using project = await createProject({ "a.txt": "a\n", "deny.json": '{"deny":["shell"]}' });
    const ran = await project.run(["run", "--policy", "deny.json", "--gate", "--yes", "--", "rm a.txt"]);
    expect(ran).toEqual({
      exitCode: 126,
      signal: null,
      stdout: "",
      stderr: 'cofferdam: Permission denied for "shell": the rule "deny shell" of "deny.json" says so\n',
    });
  });

  it("is denied by a mode that lets no command run, whatever the person who types says", async () => {
    await using project = await createProject({ "plan.json": '{"mode":"plan"}', "quiet.json": '{"mode":"dontAsk"}' });
    const planned = await project.run(["run", "--policy", "plan.json", "--yes", "--", "true"]);
    expect(planned).toMatchObject({
      exitCode: 126,
      stderr: 'cofferdam: Permission denied for "shell": the mode "plan" says so for exec tools\n',
    });
    const quiet = await project.run(["run", "--policy", "quiet.json", "--yes", "--", "true"]);
    expect(quiet).toMatchObject({
      exitCode: 126,
      stderr: expect.stringContaining('the mode "dontAsk" turns that into a denial\n'),
    });
  });

  it("is denied with --gate where nobody can be asked, and approved with --yes", async () => {
    await using project = await createProject({ "a.txt": "a\n" });
    const denied = await project.run(["run", "--sandbox", "virtual", "--gate", "--", "cat a.txt"]);
    expect(denied).toMatchObject({
      exitCode: 126,
      stdout: "",
      stderr:
        'cofferdam: Permission denied for "shell": it has to be approved (the mode "default" says so for exec tools) and nobody is there to answer\n',
    });
    const approved = await project.run(["run", "--sandbox", "virtual", "--gate", "--yes", "--", "cat a.txt"]);
    expect(approved).toMatchObject({ exitCode: 0, stdout: "a\n", stderr: "" });
  });

  it("is not applied from a file in the root that loosens the policy, which is said", async () => {
    await using project = await createProject({ "a.txt": "a\n", "cofferdam.json": '{"allow":["shell"]}' });
    const ran = await project.run(["run", "--sandbox", "virtual", "--gate", "--", "cat a.txt"]);
    expect(ran.exitCode).toBe(126);
    expect(ran.stderr).toMatch(/^cofferdam: "allow" in .* is not applied: .*\ncofferdam: Permission denied /);
  });
});

describe("what ends early", () => {
  it("exits with 124 on a timeout and leaves nothing pending", async () => {
    await using project = await createProject({ "a.txt": "a\n" });
    const ran = await project.run(["run", "--sandbox", "virtual", "--timeout", "3s", "--", "rm a.txt; sleep 60"]);
    expect(ran).toMatchObject({ exitCode: 124, stdout: "" });
    expect(ran.stderr).toMatch(/^cofferdam: .* timed out after .*; what it changed has been dropped\n$/);
    expect((await project.run(["status"])).stdout).toBe(`On ${project.root}\nNothing waits for review\n`);
  });
});

describe("cofferdam call", () => {
  it("calls any tool and prints what the model would read", async () => {
    await using project = await createProject({ "a.txt": "a\n" });
    const input = JSON.stringify({ path: "b.txt", content: "b\n" });
    expect(await project.run(["call", "write_file", "-"], { stdin: input })).toMatchObject({ exitCode: 0 });
    const read = await project.run(["call", "read_file", '{"path":"b.txt"}']);
    expect(read).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringContaining("b") });
    const missing = await project.run(["call", "read_file", '{"path":"c.txt"}']);
    expect(missing).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(/^cofferdam: .*c\.txt.*\n$/),
    });
    const invalid = await project.run(["call", "read_file", '{"path":1}']);
    expect(invalid).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("(input error: path ") });
    expect(await project.files()).toEqual({ "a.txt": "a\n" });
    await writeFile(join(project.root, "deny.json"), '{"deny":["risk:read"]}');
    const denied = await project.run(["call", "read_file", '{"path":"b.txt"}', "--policy", "deny.json"]);
    expect(denied).toMatchObject({ exitCode: 126, stdout: "" });
  });
});

describe("what can be found out", () => {
  it("tells the tools, the sandboxes and the version", async () => {
    await using project = await createProject({ "a.txt": "a\n" });
    const tools = await project.run(["tools"]);
    expect(tools.stdout).toMatch(/^read_file\s+read\s+\S/m);
    expect(tools.stdout).toMatch(/^shell\s+exec\s+\S/m);
    const specs: unknown = JSON.parse((await project.run(["tools", "--format", "json"])).stdout);
    expect(specs).toContainEqual({ name: "shell", description: expect.any(String), parameters: expect.any(Object) });
    const doctor = await project.run(["doctor", "--json"]);
    expect(doctor.exitCode).toBe(0);
    expect(JSON.parse(doctor.stdout)).toContainEqual({
      name: "virtual",
      capabilities: expect.objectContaining({ available: true, commands: ["shell"] }),
    });
    expect((await project.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
