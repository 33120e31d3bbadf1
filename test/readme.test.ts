import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadPolicy } from "../src/gate/load-policy.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const readme = await readFile(join(repository, "README.md"), "utf8");
const tools = await readFile(join(repository, "docs/tools.md"), "utf8");
const run = promisify(execFile);

/** What stands in a page's fenced blocks of one language. */
function fences(language: string, page = readme): readonly string[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, found, text = ""]) =>
    found === language ? [text] : [],
  );
}

/** The first group of every match, once. */
function words(text: string | undefined, pattern: RegExp): readonly string[] {
  return [...new Set([...(text ?? "").matchAll(pattern)].flatMap(([, word]) => word ?? []))];
}

describe("README.md and docs/tools.md", () => {
  let directory: string;
  let root: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-readme-"));
    root = join(directory, "root");
    await mkdir(join(root, "src"), { recursive: true });
    await cp(join(repository, "README.md"), join(root, "README.md"));
    env = { PATH: process.env["PATH"], HOME: directory, COFFERDAM_STATE: join(directory, "state") };
  });
  afterAll(async () => await rm(directory, { recursive: true }));

  it("shows the example that lies in examples/, and it prints what it says", async () => {
    const example = join(repository, "examples/first-dispatch.ts");
    expect(fences("ts")).toEqual([await readFile(example, "utf8")]);
    const { stdout } = await run(process.execPath, [example, root], { env });
    expect(stdout.split("\n")).toEqual([
      "3 words",
      "diff --git a/notes.md b/notes.md",
      "new file mode 100644",
      expect.stringMatching(/^index 0000000\.\.[0-9a-f]{7}$/),
      "--- /dev/null",
      "+++ b/notes.md",
      "@@ -0,0 +1 @@",
      "+three small words",
      "",
      "",
    ]);
  });

  it("shows the MCP server that lies in examples/, of which nobody approves a call that writes", async () => {
    const example = join(repository, "examples/mcp-server.ts");
    expect(fences("ts", tools)[0]).toBe(await readFile(example, "utf8"));
    const { stdout } = await run(process.execPath, [example, root], { env, cwd: repository });
    expect(stdout).toMatch(/^\[FILE\] README\.md\n.*false\n$/s);
  });

  it("shows the turn of a model that lies in examples/, and it answers the call", async () => {
    const example = join(repository, "examples/model-turn.ts");
    expect(fences("ts", tools).slice(1)).toEqual([await readFile(example, "utf8")]);
    const { stdout } = await run(process.execPath, [example, root], { env });
    expect(stdout).toMatch(/^true \[\{"type":"tool_result","tool_use_id":"call_1",.*README\.md/);
  });

  it("names every option of the engine, command, class and kind of error, and folder", async () => {
    const read = async (file: string) => await readFile(join(repository, file), "utf8");
    const options = /^export interface EngineOptions \{$(?<body>.*?)^\}$/ms.exec(await read("src/contract/engine.ts"));
    const kinds = /^export type ErrorKind =(?<body>.*?);$/ms.exec(await read("src/contract/tool-result.ts"));
    const program = await read("src/cli/program.ts");
    const named = {
      Configuration: words(options?.groups?.["body"], /^  readonly (\w+)\??:/gm),
      "Command line": words(program, /from "\.\/commands\/(\w+)\.ts"/g).map((command) => `cofferdam ${command}`),
      Errors: [
        ...words(kinds?.groups?.["body"], /"([a-z-]+)"/g),
        ...words(await read("src/index.ts"), /\b(\w+Error)\b/g).filter((name) => name !== "CofferdamError"),
      ],
      "Source map": (await readdir(join(repository, "src"), { withFileTypes: true })).map((entry) =>
        entry.isDirectory() ? `${entry.name}/` : entry.name,
      ),
    };
    const missing = Object.entries(named).map(([title, names]) => {
      const section = readme.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
      return [title, names.filter((name) => !section.includes(name))];
    });
    expect(Object.values(named).every((names) => names.length > 5)).toBe(true);
    expect(Object.fromEntries(missing)).toEqual({
      Configuration: [],
      "Command line": [],
      Errors: [],
      "Source map": [],
    });
  });

  it("says under Start and Development what CI runs", async () => {
    const ci = await readFile(join(repository, ".ci/run"), "utf8");
    const [, everything] = fences("sh");
    expect(ci.trimEnd().endsWith(everything?.trimEnd() ?? "nothing")).toBe(true);
    const { scripts } = JSON.parse(await readFile(join(repository, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["verify", "bench"]));
  });

  const commands = fences("sh")
    .flatMap((block) => block.trim().split("\n"))
    .flatMap((line) => line.split(" && npx cofferdam images build")[0]?.split("npm ci && ").at(-1) ?? [])
    .filter((line) => line.startsWith("npx cofferdam "));

  it("shows at least ten commands", () => {
    expect(commands.length).toBeGreaterThan(10);
  });

  // In order: each line works on what the ones before it left.
  it.each(commands)("shows a command that works: %s", async (command) => {
    const script = command.replace("npx cofferdam", `"${process.execPath}" "${join(repository, "dist/cli/main.js")}"`);
    await expect(run("bash", ["-c", script], { cwd: root, env })).resolves.toBeDefined();
  });

  it("shows a policy that can be loaded", async () => {
    const [text = ""] = fences("json");
    const option = JSON.parse(text) as object;
    const policy = await loadPolicy({ root, userFile: join(directory, "none.json"), option });
    expect(policy.rules.map(({ effect, text: rule }) => `${effect} ${rule}`)).toEqual([
      "allow shell",
      "ask delete_file",
      "deny mcp__*",
    ]);
  });
});
