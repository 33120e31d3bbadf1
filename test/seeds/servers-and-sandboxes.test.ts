/** What the seed systems say of MCP servers, of sandboxes and of circuit breakers. */
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { CircuitBreaker } from "../../src/resilience/circuit-breaker.ts";
import type { BreakerReport } from "../../src/resilience/circuit-breaker.ts";
import { fakeBackend } from "../../src/testing/fake-backend.ts";
import { approveAll } from "../../src/testing/reviewers.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { mcpServer } from "../../src/tools/mcp/mcp-server.ts";
import { nameTools } from "../../src/tools/mcp/name-tools.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { describeWithEngine } from "../sandbox/docker/engine-available.ts";
import { mcpFixture } from "../tools/mcp/mcp-fixture.ts";
import { answers, askAll, readTool } from "./seed-engine.ts";

describe("Echo Agent", () => {
  it("EC-17 no tool with an invalid schema is among the definitions: one's own is refused, a server's is left out", async () => {
    const parameters = { type: "object", properties: { tags: { type: "array", items: 5 } } } as never;
    const define = () => defineTool({ name: "probe", description: "Does nothing", parameters, execute: () => "" });
    expect(define).toThrow(ToolDefinitionError);
    expect(define).toThrow(/^Cannot define tool "probe": "parameters"/);
    await using fixture = await mcpFixture({ server: { include: ["touch", "broken schema"] } });
    expect(fixture.server.tools.map(({ name }) => name)).toEqual(["mcp__odd__touch"]);
    expect(fixture.server.notices).toEqual([
      expect.stringMatching(/^The tool "broken schema" of the server is left out: Cannot compile the schema: /),
    ]);
  });

  it("EC-30 five failures in a row open a breaker for 60 s; then two probes have to work, and one that fails opens it again", () => {
    const { breaker, pass, report } = breakerAt(0);
    report("failed", "failed", "failed", "failed", "worked", "failed", "failed", "failed", "failed");
    expect(breaker.peek()).toBe(0);
    report("failed");
    expect(breaker.admit()).toEqual({ admitted: false, retryAfterMs: 60_000 });
    pass(60_000);
    report("worked", "failed");
    expect(breaker.peek()).toBe(60_000);
    pass(60_000);
    const probes = [breaker.admit(), breaker.admit(), breaker.admit()];
    expect(probes.map(({ admitted }) => admitted)).toEqual([true, true, false]);
    for (const probe of probes) if (probe.admitted) probe.report("worked");
    report("failed", "failed", "failed", "failed");
    expect(breaker.peek()).toBe(0);
  });

  it("EC-31 looking at a breaker takes no probe away", () => {
    const { breaker, pass, report } = breakerAt(0);
    report("failed", "failed", "failed", "failed", "failed");
    pass(60_000);
    for (let times = 0; times < 9; times += 1) expect(breaker.peek()).toBe(0);
    expect([breaker.admit().admitted, breaker.admit().admitted, breaker.admit().admitted]).toEqual([true, true, false]);
  });

  it("EC-36 the risk of a server's tool is the greater of the configured one and of what the server says", async () => {
    const server = {
      risk: "read",
      include: ["echo", "touch", "wipe", "look"],
      tools: { look: { risk: "exec" } },
    } as const;
    await using fixture = await mcpFixture({ server });
    expect(fixture.server.tools.map(({ name, risk }) => [name, risk])).toEqual([
      ["mcp__odd__echo", "read"],
      ["mcp__odd__look", "exec"],
      ["mcp__odd__wipe", "exec"],
      ["mcp__odd__touch", "write"],
    ]);
  });

  it("EC-46 backends are chosen by name, one of your own too, and what none can enforce is refused", async () => {
    const remote = fakeBackend(() => ({ stdout: "far away\n" }), { name: "remote" });
    const sandbox = { backend: "remote", memoryMb: 64, pids: 10 };
    const [result] = await answers({ backends: [remote], reviewer: approveAll, sandbox }, ["shell", { command: "w" }]);
    expect(result).toMatchObject({ output: "far away", metadata: { backend: "remote" } });
    expect(remote.commands.map(({ request }) => request.limits)).toMatchObject([{ memoryMb: 64, pids: 10 }]);
    await expect(temporaryEngine({ sandbox: { backend: "nowhere" } })).rejects.toThrow(ConfigurationError);
    const weak = { backend: "virtual", memoryMb: 64 };
    const [refused] = await answers({ reviewer: approveAll, sandbox: weak }, ["shell", { command: "true" }]);
    expect(refused).toMatchObject({
      errorKind: "unavailable",
      error:
        'Cannot hold the "virtual" sandbox to 64 MB of memory: it needs 192 MB for itself; give it at least that much, or leave the limit out',
    });
  });

  it("EC-47 the tools of a server have its name, count as changing things, are filtered and looked through, and do not hide one another", async () => {
    await using fixture = await mcpFixture({ server: { include: ["echo", "look", "wipe"], exclude: ["look"] } });
    const { tools, notices } = fixture.server;
    expect(tools.map(({ name, risk }) => [name, risk])).toEqual([
      ["mcp__odd__echo", "exec"],
      ["mcp__odd__wipe", "exec"],
    ]);
    expect(notices).toEqual([
      'The description of "mcp__odd__wipe" speaks to the model as no description should: "<IMPORTANT>"',
    ]);
    const own = readTool("mcp__odd__echo", () => "");
    await expect(temporaryEngine({ tools: [own, fixture.server] })).rejects.toThrow(
      'Cannot register tool "mcp__odd__echo": two tools have this name',
    );
    expect([...nameTools("odd", ["naïve tool"]).values()]).toEqual(["mcp__odd__na_ve_tool"]);
  });
});

describeWithEngine("Echo Agent in a container", () => {
  it("EC-46 a container has 512 MB, 256 processes, no network and an end that takes all of its processes along", async () => {
    const sandbox = { backend: "docker" };
    await using temporary = await temporaryEngine({ reviewer: approveAll, sandbox });
    const read = (v1: string, v2: string) => `cat /sys/fs/cgroup/${v1} 2>/dev/null || cat /sys/fs/cgroup/${v2}`;
    const command = [
      read("memory/memory.limit_in_bytes", "memory.max"),
      read("pids/pids.max", "pids.max"),
      "setsid sleep 4711.25 & setsid nohup sleep 4711.25 >/dev/null 2>&1 &",
      'until [ "$(pgrep -c -f "^sleep 4711.25")" = 2 ]; do sleep 0.05; done',
      "ls /sys/class/net",
      "sleep 1",
    ].join("\n");
    const during: Promise<readonly string[]>[] = [];
    const call = { id: "1", name: "shell", input: { command } };
    const result = await temporary.engine.dispatch(call, {
      onEvent: ({ type }) => void (type === "output-received" && during.push(commandLines())),
    });
    expect(result).toMatchObject({ success: true, output: "536870912\n256\nlo", metadata: { backend: "docker" } });
    expect((await Promise.all(during)).flat()).toContain("sleep 4711.25 ");
    expect(await commandLines()).not.toContain("sleep 4711.25 ");
  });
});

describe("alpineagents", () => {
  it("AL-32 a server's tools have short names of their own, one connection, error results, and what JSON it gave", async () => {
    await using fixture = await mcpFixture({ server: { risk: "read" } });
    const [echo, again] = await Promise.all(["a", "b"].map(async (text) => await fixture.call("echo", { text })));
    const [failed, sum, all] = [
      await fixture.call("fail"),
      await fixture.call("sum"),
      await fixture.call("everything"),
    ];
    const missing = await fixture.call("echo");
    const lost = await fixture.call("crash");
    expect([echo, again, failed, sum, all, missing, lost]).toMatchObject([
      { output: "a" },
      { output: "b" },
      { errorKind: "business", error: "no such issue" },
      { output: '{"sum":5}', structured: { sum: 5 } },
      { output: expect.stringContaining("[audio, audio/wav, cannot be shown]") },
      { errorKind: "validation", error: "(input error: text is required)" },
      { errorKind: "dependency", error: expect.stringMatching(/^The connection to the MCP server "odd" was lost/) },
    ]);
    expect((await fixture.log()).filter((line) => line.startsWith("started"))).toHaveLength(1);
    const [long] = nameTools("odd", ["x".repeat(80)]).values();
    expect(long).toMatch(/^mcp__odd__x{45}_[0-9a-f]{8}$/);
  });
});

describe("OpenAgentSDK", () => {
  it("SW-29 a tool is called mcp__server__tool, a server's name has no double underscore, and none of them counts as reading", async () => {
    const named = mcpServer({ name: "a__b", command: process.execPath });
    await expect(named).rejects.toThrow(ConfigurationError);
    await using fixture = await mcpFixture({ server: { include: ["look"] } });
    // "look" says of itself that it only reads.
    expect(fixture.server.tools.map(({ name, risk }) => [name, risk])).toEqual([["mcp__odd__look", "exec"]]);
    await using temporary = await temporaryEngine({ tools: [fixture.server], policy: { mode: "plan" } });
    const [result] = await askAll(temporary.engine, ["mcp__odd__look"]);
    expect(result).toMatchObject({ errorKind: "denied", attempts: 0 });
  });
});

/** The command line of every process of this machine, those in containers included. */
async function commandLines(): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  // A process may end while it is looked at.
  return await Promise.all(
    pids.map(async (pid) => {
      const words = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
      return words.replaceAll("\0", " ");
    }),
  );
}

function breakerAt(startMs: number) {
  let nowMs = startMs;
  const breaker = new CircuitBreaker({}, () => nowMs);
  return {
    breaker,
    pass: (ms: number) => void (nowMs += ms),
    report: (...reports: readonly BreakerReport[]) => {
      for (const each of reports) {
        const admission = breaker.admit();
        if (admission.admitted) admission.report(each);
      }
    },
  };
}
