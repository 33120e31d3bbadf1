import { describe, expect, it } from "vitest";
import type { BackendReport } from "../../../src/contract/engine.ts";
import { lengthTool, readFileTool, shellTool } from "../fake-tools.ts";
import { change, runTestProgram } from "../test-context.ts";
import type { FakeEngine } from "../test-context.ts";

const VIRTUAL: BackendReport = {
  name: "virtual",
  capabilities: {
    available: true,
    commands: ["shell"],
    workspace: "union",
    enforces: ["wallTime"],
    streams: false,
    details: { "just-bash": "3.4.2" },
  },
};
const ISOLATE: BackendReport = {
  name: "isolate",
  capabilities: {
    available: true,
    commands: ["javascript"],
    workspace: "none",
    enforces: [],
    streams: true,
    details: {},
  },
};
const DOCKER: BackendReport = {
  name: "docker",
  capabilities: {
    available: false,
    reason: "no Docker Engine answers",
    remedy: "Start it: sudo systemctl start docker",
  },
};
const BACKENDS = `  docker   not available  no Docker Engine answers
           Start it: sudo systemctl start docker
  virtual  available  runs shell, workspace by union
           just-bash 3.4.2
  isolate  available  runs javascript, no workspace
`;

describe("cofferdam tools", () => {
  it("lists name, risk and the first sentence of each tool, escaped", async () => {
    const ran = await runTestProgram(["tools"], { engine: { tools: [readFileTool, shellTool] } });
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: "read_file  read  Reads a file.\nshell      exec  Runs a command \\x1b[2J in a.b.\n",
    });
  });

  it("prints a request's tools in the format of a provider, and on stderr what it cannot be told", async () => {
    const engine = { tools: [lengthTool] };
    const anthropic = await runTestProgram(["tools", "--format", "anthropic"], { engine });
    const parameters = {
      type: "object",
      properties: { x: { type: "string", minLength: 1 } },
      additionalProperties: false,
    };
    expect(JSON.parse(anthropic.stdout)).toEqual([
      { name: "measure", description: "Measures.", input_schema: parameters },
    ]);
    expect(anthropic).toMatchObject({ exitCode: 0, stderr: "" });
    const strict = await runTestProgram(["tools", "--format", "openai", "--strict"], { engine });
    expect(JSON.parse(strict.stdout)).toMatchObject([{ function: { name: "measure", strict: true } }]);
    expect(strict.stderr).toBe('cofferdam: tool "measure": x: "minLength" cannot be said; the description says it\n');
  });

  it.each([
    ["openai", "function"],
    ["openai-responses", "name"],
    ["gemini", "functionDeclarations"],
    ["mcp", "inputSchema"],
  ])("prints the tools with --format %s", async (format, field) => {
    const ran = await runTestProgram(["tools", "--format", format], { engine: { tools: [readFileTool] } });
    expect(JSON.parse(ran.stdout)[0]).toHaveProperty(field);
  });

  it("refuses --strict for a format without strict mode", async () => {
    const ran = await runTestProgram(["tools", "--format", "gemini", "--strict"], { engine: { tools: [] } });
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr:
        'cofferdam: Cannot use --strict: only OpenAI has a strict mode; use it with --format "openai" or "openai-responses"\n',
    });
  });

  it("prints the specs with --format json", async () => {
    const ran = await runTestProgram(["tools", "--format", "json"], { engine: { tools: [readFileTool] } });
    expect(JSON.parse(ran.stdout)).toEqual([
      { name: "read_file", description: "Reads a file.\nMore about it.", parameters: { type: "object" } },
    ]);
  });
});

describe("cofferdam status", () => {
  it("shows the root, what is pending, and how to go on", async () => {
    const ran = await runTestProgram(["status"], { engine: { changes: () => [change("added", "a")] } });
    expect(ran).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: `On /project
Waiting for review: 1 change (1 added)
  added         a
  see:       cofferdam diff --root /project
  land:      cofferdam land --root /project
  discard:   cofferdam discard --root /project
`,
    });
  });

  it("lists the newest ten landings, the newest last", async () => {
    const landings = Array.from({ length: 12 }, (_, n) => ({
      id: `0000000${n.toString(16)}`,
      landedAt: new Date(Date.UTC(2026, 0, n + 1)),
      state: n === 11 ? ("undone" as const) : ("landed" as const),
    }));
    const ran = await runTestProgram(["status"], { engine: { landings } });
    expect(ran.stdout.split("\n").slice(2, 5)).toEqual([
      "Landings:",
      "  … 2 older",
      "  00000002  2026-01-03T00:00:00.000Z  landed",
    ]);
    expect(ran.stdout.split("\n").slice(-2)).toEqual(["  0000000b  2026-01-12T00:00:00.000Z  undone", ""]);
  });

  it("probes the sandboxes only when told so", async () => {
    const engine: FakeEngine = { probe: () => [DOCKER, VIRTUAL, ISOLATE] };
    const plain = await runTestProgram(["status"], { engine });
    const probed = await runTestProgram(["status", "--probe"], { engine });
    expect(plain.stdout).toBe("On /project\nNothing waits for review\n");
    expect(probed.stdout).toBe(`On /project\nNothing waits for review\nSandboxes:\n${BACKENDS}`);
    const json = await runTestProgram(["status", "--probe", "--json"], { engine });
    expect(JSON.parse(json.stdout)).toEqual({
      root: "/project",
      changes: [],
      landings: [],
      backends: [DOCKER, VIRTUAL, ISOLATE],
    });
  });
});

describe("cofferdam doctor", () => {
  it("says what works and what to do about the rest, and exits with 0 when shell commands can run", async () => {
    const ran = await runTestProgram(["doctor"], { engine: { probe: () => [DOCKER, VIRTUAL, ISOLATE] } });
    expect(ran).toMatchObject({ exitCode: 0, stdout: BACKENDS, stderr: "" });
  });

  it("keeps its lines within 100 columns", async () => {
    const words = "a word and another ".repeat(12).trim();
    const missing = { ...DOCKER, capabilities: { available: false, reason: words, remedy: words } } as const;
    const details = Object.fromEntries(
      Array.from({ length: 20 }, (_each, index) => [`fact${index}`, "of the machine"]),
    );
    const found: BackendReport = {
      name: "virtual",
      capabilities: { available: true, commands: ["shell"], workspace: "union", enforces: [], streams: true, details },
    };
    const { stdout } = await runTestProgram(["doctor"], { engine: { probe: () => [missing, found] } });
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
    const said = stdout.replace(/\s+/g, " ");
    expect(said).toContain(` docker not available ${words} ${words} virtual available runs shell`);
    for (const name of Object.keys(details)) expect(said).toContain(`${name} of the machine`);
  });

  it("exits with 1 when no shell command can run", async () => {
    const ran = await runTestProgram(["doctor", "--json"], { engine: { probe: () => [DOCKER, ISOLATE] } });
    expect(ran.exitCode).toBe(1);
    expect(JSON.parse(ran.stdout)).toEqual([DOCKER, ISOLATE]);
  });
});

describe("cofferdam cleanup", () => {
  it("says how much was removed", async () => {
    const ran = await runTestProgram(["cleanup"], { removeOrphans: async () => ({ containers: 1, volumes: 2 }) });
    expect(ran).toMatchObject({ exitCode: 0, stdout: "Removed 1 container and 2 volumes\n", stderr: "" });
  });
});

describe("cofferdam images build", () => {
  it("passes on what to build, shows progress on stderr and the id on stdout", async () => {
    const asked: unknown[] = [];
    const ran = await runTestProgram(
      ["images", "build", "--image", "mine:1", "--base", "debian:x", "--dockerfile", import.meta.filename],
      {
        buildImage: async ({ onProgress, signal, ...rest }) => {
          asked.push({ ...rest, aborted: signal.aborted });
          onProgress("Step 1/2 : FROM \u001B[31mx");
          return { imageId: "sha256:1", tag: "mine:1" };
        },
      },
    );
    expect(asked).toEqual([{ image: "mine:1", base: "debian:x", dockerfile: import.meta.filename, aborted: false }]);
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: "sha256:1\n",
      stderr: "Step 1/2 : FROM \\x1b[31mx\nBuilt mine:1\n",
    });
  });

  it("refuses a Dockerfile that does not exist", async () => {
    const ran = await runTestProgram(["images", "build", "--dockerfile", "/nowhere/Dockerfile"]);
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr: 'cofferdam: Cannot build from "/nowhere/Dockerfile": there is no such file; name one with --dockerfile\n',
    });
  });
});
